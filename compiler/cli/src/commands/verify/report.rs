//! The output of `culet verify`: a table, or JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use culet_driver::{Lengths, diagnostic, kind};
use culet_prove::theorem::Proved;

use super::super::verdict::assumptions;
use super::{Outcome, Verified};

pub(super) fn text(file: &Path, verified: &[Verified], json: bool) -> String {
    if json { format!("{:#}\n", document(file, verified)) } else { table(file, verified) }
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Outcome::Equal(_) => "equal",
            Outcome::Safe { .. } => "safe",
            Outcome::Refused(_) => "REFUSED",
            Outcome::Unknown(_) => "UNKNOWN",
        }
    }

    fn proved(&self) -> Option<&Proved> {
        match self {
            Outcome::Equal(proved) | Outcome::Safe { proved, .. } => Some(proved),
            Outcome::Refused(_) | Outcome::Unknown(_) => None,
        }
    }

    /// The reason why no more is proved.
    fn reason(&self) -> Option<String> {
        match self {
            Outcome::Equal(_) | Outcome::Safe { why: None, .. } => None,
            Outcome::Safe { why: Some(why), .. } | Outcome::Refused(why) => Some(why.to_string()),
            Outcome::Unknown(why) => Some(why.clone()),
        }
    }
}

fn table(file: &Path, verified: &[Verified]) -> String {
    let mut text = String::new();
    let width = verified.iter().map(|verified| verified.name.len()).max().unwrap_or(0).max("operation".len());
    let _ = writeln!(text, "{:width$}  {:>10}  {:>6}  verdict  seconds", "operation", "address", "bytes");
    for Verified { name, record, outcome, time } in verified {
        let address = record.function.map_or_else(String::new, |address| format!("{address:#x}"));
        let bytes = outcome.proved().map_or_else(String::new, |proved| proved.code.to_string());
        let verdict = outcome.word();
        let _ = writeln!(text, "{name:width$}  {address:>10}  {bytes:>6}  {verdict:7}  {:7.2}", time.as_secs_f64());
    }
    text.push('\n');
    for Verified { name, record, outcome, .. } in verified.iter().filter(|verified| !verified.outcome.is_safe()) {
        let _ = writeln!(text, "{}  {name}: {}", outcome.word(), outcome.reason().unwrap_or_default());
        if let Outcome::Refused(rejection) = outcome {
            let refusal = diagnostic(rejection);
            for remedy in refusal.notes {
                let _ = writeln!(text, "         {}: {remedy}", refusal.code.id);
            }
        }
        let _ = writeln!(text, "         its record says: {}", record.made_by);
    }
    why_only_safe(&mut text, verified);
    let count = |wanted: fn(&Outcome) -> bool| verified.iter().filter(|verified| wanted(&verified.outcome)).count();
    let (equal, safe) = (count(|outcome| matches!(outcome, Outcome::Equal(_))), count(Outcome::is_safe));
    let _ = writeln!(
        text,
        "{}: {} kernels, {safe} safe, {equal} of them equal to their programs, {} not proved",
        file.display(),
        verified.len(),
        verified.len() - safe
    );
    let proved: Vec<&Proved> = verified.iter().filter_map(|verified| verified.outcome.proved()).collect();
    if !proved.is_empty() {
        for line in meanings() {
            let _ = writeln!(text, "{line}.");
        }
        for assumption in assumptions(&proved) {
            let _ = writeln!(text, "assumed: {assumption}.");
        }
    }
    text
}

/// The meanings of the two verdicts.
fn meanings() -> [&'static str; 2] {
    [
        "safe: no branch, address or variable-time instruction depends on data, every access is within the arguments, the stack and \
         the constants, the registers that the System V ABI keeps are kept, and it returns",
        "equal: safe, and for all contents of its arguments it computes what the program named in its record means, for streams of any length",
    ]
}

/// The reasons why kernels are not proved equal, each with the kernels that it is about, and the lengths of streams for
/// which these are safe.
fn why_only_safe(text: &mut String, verified: &[Verified]) {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut lengths_of: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for Verified { name, outcome, .. } in verified {
        let Outcome::Safe { lengths, why, .. } = outcome else { continue };
        if let Some(why) = why {
            reasons.entry(why.to_string()).or_default().push(name);
        }
        if let Lengths::These(lengths) = lengths {
            let lengths: Vec<String> = lengths.iter().map(u64::to_string).collect();
            lengths_of.entry(lengths.join(", ")).or_default().push(name);
        }
    }
    for (why, names) in reasons {
        let _ = writeln!(text, "safe only: {}: {why}", names.join(", "));
    }
    for (lengths, names) in lengths_of {
        let _ = writeln!(text, "safe for streams of these lengths in bytes: {}: {lengths}", names.join(", "));
    }
}

/// `null` without streams, `"any"`, or a list of numbers of bytes.
fn lengths(outcome: &Outcome) -> serde_json::Value {
    match outcome {
        Outcome::Safe { lengths: Lengths::Any, .. } => "any".into(),
        Outcome::Safe { lengths: Lengths::These(lengths), .. } => lengths.clone().into(),
        _ => serde_json::Value::Null,
    }
}

fn document(file: &Path, verified: &[Verified]) -> serde_json::Value {
    let kernels = verified.iter().map(|Verified { name, record, outcome, time }| {
        let proved = outcome.proved();
        let refusal = match outcome {
            Outcome::Safe { why: Some(why), .. } | Outcome::Refused(why) => Some((kind(why), diagnostic(why).code.id)),
            _ => None,
        };
        serde_json::json!({
            "operation": name,
            "address": record.function,
            "record": record.address,
            "made_by": record.made_by,
            "verdict": outcome.word().to_lowercase(),
            "reason": outcome.reason(),
            "kind": refusal.map(|(kind, _)| kind),
            "code": refusal.map(|(_, code)| code),
            "lengths": lengths(outcome),
            "bytes": proved.map(|proved| proved.code),
            "instructions": proved.map(|proved| proved.instructions),
            "stack": proved.map(|proved| proved.stack),
            "library": proved.map(|proved| &proved.library),
            "extensions": proved.map(|proved| &proved.reliance.extensions),
            "seconds": time.as_secs_f64(),
        })
    });
    let proved: Vec<&Proved> = verified.iter().filter_map(|verified| verified.outcome.proved()).collect();
    serde_json::json!({
        "culet": env!("CARGO_PKG_VERSION"),
        "file": file.display().to_string(),
        "kernels": kernels.collect::<Vec<_>>(),
        "all_safe": verified.iter().all(|verified| verified.outcome.is_safe()),
        "meaning": meanings(),
        "assumed": assumptions(&proved),
    })
}
