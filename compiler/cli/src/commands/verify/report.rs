//! The output of `culet verify`: a table, or JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use culet_diag::counted;
use culet_driver::{Lengths, diagnostic, kind};
use culet_prove::theorem::Proved;

use super::super::verdict::assumptions;
use super::{Claim, Outcome, Verified};

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Json,
    /// A table, with a line for each reason.
    Lines,
    /// A table, with all that is known.
    Whole,
}

/// Maximum number of characters of a reason in a line.
const MAX_REASON: usize = 120;

pub(super) fn text(file: &Path, verified: &[Verified], style: Style) -> String {
    match style {
        Style::Json => format!("{:#}\n", document(file, verified)),
        Style::Lines | Style::Whole => table(file, verified, style == Style::Whole),
    }
}

impl Outcome {
    pub(super) fn word(&self) -> &'static str {
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

fn table(file: &Path, verified: &[Verified], is_whole: bool) -> String {
    let mut text = String::new();
    let width = verified.iter().map(|verified| verified.name.len()).max().unwrap_or(0).max("operation".len());
    let _ = writeln!(text, "{:width$}  {:>10}  {:>6}  verdict  seconds", "operation", "address", "bytes");
    for Verified { name, record, outcome, time, .. } in verified {
        let address = record.function.map_or_else(String::new, |address| format!("{address:#x}"));
        let bytes = outcome.proved().map_or_else(String::new, |proved| proved.code.to_string());
        let verdict = outcome.word();
        let _ = writeln!(text, "{name:width$}  {address:>10}  {bytes:>6}  {verdict:7}  {:7.2}", time.as_secs_f64());
    }
    text.push('\n');
    let is_shortened = match is_whole {
        true => whole_reasons(&mut text, verified),
        false => short_reasons(&mut text, verified),
    };
    if is_shortened {
        let _ = writeln!(text, "`--verbose` shows all of this, and what to do.");
    }
    if file.components().any(|part| part.as_os_str() == "debug") && !verified.iter().all(|own| own.outcome.is_safe()) {
        let _ = writeln!(
            text,
            "Is this a debug build? Kernels are proved as rustc optimises them: verify the build with `--release`."
        );
    }
    let count = |wanted: fn(&Outcome) -> bool| verified.iter().filter(|verified| wanted(&verified.outcome)).count();
    let (equal, safe) = (count(|outcome| matches!(outcome, Outcome::Equal(_))), count(Outcome::is_safe));
    let _ = writeln!(
        text,
        "{}: {}, {safe} safe, {equal} of them equal to {}, {} not proved",
        file.display(),
        counted(verified.len(), "kernel"),
        if equal == 1 { "its program" } else { "their programs" },
        verified.len() - safe
    );
    let proved: Vec<&Proved> = verified.iter().filter_map(|verified| verified.outcome.proved()).collect();
    if !proved.is_empty() {
        for line in meanings() {
            let _ = writeln!(text, "{line}.");
        }
        for assumption in assumptions(&proved, users_of_extensions(verified)) {
            let _ = writeln!(text, "assumed: {assumption}.");
        }
    }
    text
}

/// The clause that says which kernels assume extensions of the CPU: those for kinds of CPU, if no other one has such instructions.
fn users_of_extensions(verified: &[Verified]) -> &'static str {
    let needs = |own: &&Verified| own.outcome.proved().is_some_and(|proved| !proved.reliance.extensions.is_empty());
    let all_are_named = verified.iter().filter(needs).all(|own| own.name.contains('@'));
    if all_are_named { ", as kernels named `@…` assume" } else { "" }
}

/// The meanings of the two verdicts.
fn meanings() -> [&'static str; 2] {
    [
        "safe: no branch, address or variable-time instruction depends on data, every access is within the arguments, the stack and \
         the constants, the registers that the System V ABI keeps are kept, and it returns",
        "equal: safe, and for all contents of its arguments it computes what the program named in its record means, for streams of any length",
    ]
}

/// Writes a line for each kernel that is not safe, and for each reason why others are not proved equal. Returns whether anything
/// was left out.
fn short_reasons(text: &mut String, verified: &[Verified]) -> bool {
    let mut is_shortened = false;
    for Verified { name, outcome, .. } in verified.iter().filter(|verified| !verified.outcome.is_safe()) {
        is_shortened = true;
        let _ = writeln!(text, "{}  {name}: {}", outcome.word(), shortened(&outcome.reason().unwrap_or_default()));
    }
    let (reasons, lengths) = why_only_safe(verified);
    for (why, names) in reasons {
        is_shortened |= names.len() > 1 || why.chars().count() > MAX_REASON;
        let _ = writeln!(text, "safe only: {}: {}", few(&names), shortened(&why));
    }
    for (lengths, names) in lengths {
        let _ = writeln!(text, "safe for streams of these lengths in bytes: {}: {lengths}", names.join(", "));
    }
    is_shortened
}

/// The first characters of a reason, in one line.
fn shortened(reason: &str) -> String {
    let line: String = reason.chars().map(|own| if own.is_control() { ' ' } else { own }).collect();
    match line.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A name, or how many there are.
fn few(names: &[&str]) -> String {
    if let [name] = names { (*name).to_owned() } else { format!("{} kernels", names.len()) }
}

/// Writes all reasons why kernels are not safe or not proved equal, with remedies. Returns whether anything was left out.
fn whole_reasons(text: &mut String, verified: &[Verified]) -> bool {
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
    let (reasons, lengths) = why_only_safe(verified);
    for (why, names) in reasons {
        let _ = writeln!(text, "safe only: {}: {why}", names.join(", "));
    }
    for (lengths, names) in lengths {
        let _ = writeln!(text, "safe for streams of these lengths in bytes: {}: {lengths}", names.join(", "));
    }
    false
}

/// Texts, each with the names of the kernels that it is about.
type Grouped<'v> = BTreeMap<String, Vec<&'v str>>;

/// The reasons why kernels are not proved equal, and the lengths of streams for which kernels are safe.
fn why_only_safe(verified: &[Verified]) -> (Grouped<'_>, Grouped<'_>) {
    let (mut reasons, mut lengths_of) = (Grouped::new(), Grouped::new());
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
    (reasons, lengths_of)
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
    let kernels = verified.iter().map(|Verified { name, record, claim, outcome, time }| {
        let proved = outcome.proved();
        let refusal = match outcome {
            Outcome::Safe { why: Some(why), .. } | Outcome::Refused(why) => Some((kind(why), diagnostic(why))),
            _ => None,
        };
        serde_json::json!({
            "operation": name,
            "address": record.function,
            "record": record.address,
            "made_by": record.made_by,
            "claim": claim.map(|Claim::Equal| "equal"),
            "verdict": outcome.word().to_lowercase(),
            "reason": outcome.reason(),
            "kind": refusal.as_ref().map(|(kind, _)| kind),
            "code": refusal.as_ref().map(|(_, refusal)| refusal.code.id),
            "remedy": refusal.as_ref().map(|(_, refusal)| refusal.notes.join("; ")),
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
        "assumed": assumptions(&proved, users_of_extensions(verified)),
    })
}
