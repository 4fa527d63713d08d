//! The output of `culet prove`: the proved properties, their assumptions, or why a proof failed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use culet_diag::{Diagnostic, counted};
use culet_driver::{FunctionProof, Options, diagnostic, kind};
use culet_prove::contract::Contract;
use culet_prove::decoded::Reliance;
use culet_prove::rejection::{At, Counterexample};
use culet_prove::run::LENGTH_BITS;
use culet_prove::theorem::{Argument, OnBytes, Proved, Rejection};

use crate::args::MessageFormat;
use crate::output::{Failure, Output};

/// Texts that say what the proved functions compute: one for each proof, in order. The last one also holds for all
/// proofs that follow.
pub struct Meanings(Vec<String>);

impl Meanings {
    /// The meaning of a kernel's functions.
    pub fn of_source(source: &Path, options: &Options) -> Meanings {
        let node = options.node.as_ref().map_or_else(|| "the last node".to_owned(), |node| format!("node {node}"));
        let (source, options) = (source.display(), options.arguments());
        Meanings(vec![format!(
            "for all contents of memory it computes what {node} of {source} means, as compiled with `{options}`"
        )])
    }

    /// The meanings of functions with contracts. Contracts of one function that differ in their lengths only come last.
    pub fn of_contracts<'c>(contracts: impl Iterator<Item = &'c Contract>) -> Meanings {
        let of_one = |contract: &Contract| {
            let equations: Vec<&str> = contract.equations.iter().map(|equation| equation.text.as_str()).collect();
            let equations = equations.join("`, `");
            format!(
                "for all arguments within the contract's bounds `{equations}` holds, and its results are within their bounds"
            )
        };
        Meanings(contracts.map(of_one).collect())
    }

    /// The meaning of functions of which it is not said what they compute.
    pub fn of_safety() -> Meanings {
        Meanings(vec!["for all secrets it returns, whatever it computes".to_owned()])
    }

    /// The meaning of the proof with this index.
    pub fn of(&self, place: usize) -> &str {
        self.0.get(place).or(self.0.last()).map_or("", String::as_str)
    }
}

/// Writes the verdicts. A function that is not proved is a failure.
pub fn verdict(proofs: &[FunctionProof], meanings: &Meanings, output: Output) -> Result<(), Failure> {
    let text = match output.format {
        MessageFormat::Human => human(proofs, meanings),
        MessageFormat::Json => {
            let places = proofs.iter().enumerate();
            places.map(|(place, proof)| format!("{}\n", json(proof, meanings.of(place)))).collect()
        }
    };
    output.data(text.as_bytes())?;
    if proofs.iter().all(|proof| proof.outcome.is_ok()) { Ok(()) } else { Err(Failure::Input) }
}

fn human(proofs: &[FunctionProof], meanings: &Meanings) -> String {
    let mut text = String::new();
    for proof @ FunctionProof { outcome, replay, .. } in proofs {
        let symbol = named(proof);
        match outcome {
            Ok(proved) => describe(&mut text, &symbol, proved),
            Err(rejection) => {
                let replay = replay.as_ref().map_or_else(String::new, |replay| format!(" ({replay})"));
                let _ = writeln!(text, "NOT PROVED  {symbol}: {rejection}{replay}");
                let Diagnostic { code, notes, .. } = diagnostic(rejection);
                for remedy in notes {
                    let _ = writeln!(text, "            {}: {remedy}", code.id);
                }
                if let Some(found) = rejection.counterexample() {
                    refuted(&mut text, &found);
                }
                if let [first, more @ ..] = writers(rejection) {
                    let places = more.last().map_or(format!("at {first}"), |last| format!("from {first} to {last}"));
                    let _ = writeln!(text, "            what it says that of was written {places}");
                }
            }
        }
    }
    let proved: Vec<&Proved> = proofs.iter().filter_map(|proof| proof.outcome.as_ref().ok()).collect();
    if !proved.is_empty() {
        let erased = if proved.iter().all(|proved| proved.is_erased) {
            "; nothing that depends on data is left on the stack or in registers that callers may read, but results"
        } else {
            ""
        };
        let mut by_meaning: Vec<(&str, Vec<String>)> = Vec::new();
        for (place, proof) in proofs.iter().enumerate().filter(|(_, proof)| proof.outcome.is_ok()) {
            match by_meaning.last_mut().filter(|(meaning, _)| *meaning == meanings.of(place)) {
                Some((_, of)) => of.push(named(proof)),
                None => by_meaning.push((meanings.of(place), vec![named(proof)])),
            }
        }
        for (meaning, of) in by_meaning {
            let of = if of.len() == proofs.len() { String::new() } else { format!(" of {}", of.join(", ")) };
            let branches = if proved.iter().any(|proved| proved.ways > 1) {
                "no address or variable-time instruction depends on data, no branch on anything but public arguments and the number that is \
                 returned"
            } else {
                "no branch, address or variable-time instruction depends on data"
            };
            let _ = writeln!(
                text,
                "proved{of}: {meaning}, every access is inside the arguments, the stack and the constants, {branches}, and the registers \
                 that the System V ABI keeps are kept{erased}."
            );
        }
        for assumption in assumptions(&proved, "") {
            let _ = writeln!(text, "assumed: {assumption}.");
        }
    }
    text
}

/// The function's name, with the public lengths for which the proof holds.
fn named(proof: &FunctionProof) -> String {
    let lengths: Vec<String> = proof.lengths.iter().map(|(name, length)| format!("{name} = {length}")).collect();
    if lengths.is_empty() { proof.symbol.clone() } else { format!("{} ({})", proof.symbol, lengths.join(", ")) }
}

/// The assumptions of proofs, beside those on each argument. `users` is a clause that says whose code needs the CPU's extensions, or nothing.
pub fn assumptions(proved: &[&Proved], users: &str) -> Vec<String> {
    let mut all = vec![
        "the arguments, stack, code and constants are apart, but where arguments may be the same memory, none is at address \
         zero, and they end before the address space does; nothing else changes them meanwhile"
            .to_owned(),
        "at the entry the stack pointer is 8 more than a multiple of 16, as many bytes below it as listed may be used, and the \
         direction flag is clear"
            .to_owned(),
    ];
    if proved.iter().any(|proved| proved.is_fixed) {
        all.push("the program is loaded to the addresses to which it is linked, as its file demands".to_owned());
    }
    let mut reliance = Reliance::default();
    proved.iter().for_each(|proved| reliance.add(&proved.reliance));
    let extensions = if reliance.extensions.is_empty() {
        String::new()
    } else {
        format!("has {}, enabled by the operating system{users}, and ", list(&reliance.extensions))
    };
    all.push(format!("the CPU {extensions}is in its data-independent timing mode where it has one"));
    if !reliance.unlisted.is_empty() {
        let unlisted = list(&reliance.unlisted);
        all.push(format!("these take the same time whatever the data, though Intel does not list them: {unlisted}"));
    }
    if !reliance.one_decoder.is_empty() {
        let mnemonics = list(&reliance.one_decoder);
        all.push(format!("these are what one decoder says; the second one is known to misread them: {mnemonics}"));
    }
    let library: BTreeSet<String> = proved.iter().flat_map(|proved| library(proved)).cloned().collect();
    let variables: BTreeSet<String> = proved.iter().flat_map(|proved| proved.variables.iter().cloned()).collect();
    if let Some(turns) = proved.iter().map(|proved| proved.turns).filter(|&turns| turns > 0).min() {
        all.push(format!(
            "secrets decide no branch more than {} in a call; how those go that they decide more than once may be known",
            counted(turns as u64, "time")
        ));
    }
    if !variables.is_empty() {
        all.push(format!("variables of the image stay as they are: {}", list(&variables)));
    }
    if !library.is_empty() {
        all.push(format!(
            "{} of the C library do what its standard says, in a time that does not depend on contents, and have the stack that \
             they need",
            list(&library)
        ));
    }
    all.push("what SOUNDNESS.md lists".to_owned());
    all
}

fn list(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn library(proved: &Proved) -> impl Iterator<Item = &String> {
    proved.library.iter()
}

fn describe(text: &mut String, symbol: &str, proved: &Proved) {
    let _ = writeln!(
        text,
        "proved      {symbol}: {}{}, {} of stack{}, {:.2} s",
        counted(proved.instructions, "instruction"),
        if proved.is_in_parts { " in the longest part of the proof" } else { "" },
        counted(proved.stack, "byte"),
        if proved.residue == 0 { String::new() } else { format!(" ({} left with data)", proved.residue) },
        proved.time.as_secs_f64()
    );
    for argument in &proved.arguments {
        let _ = writeln!(text, "            {}", line(argument));
    }
    if proved.ways > 1 {
        let _ = writeln!(text, "            goes on {} ways, each of which follows from what is public", proved.ways);
    }
    let Some(OnBytes { batch, in_place, .. }) = &proved.on_bytes else { return };
    if let Some(batch) = batch {
        let _ = writeln!(
            text,
            "            for every number of blocks below 2^{LENGTH_BITS}, by an induction over iterations of {}",
            counted(*batch, "block")
        );
    }
    for (result, parameter) in in_place {
        let _ = writeln!(text, "            also where the memory of {result} is exactly that of {parameter}");
    }
}

/// A description of an argument in one line: how it is passed, what it points to, and the layout of its memory.
fn line(argument: &Argument) -> String {
    let Argument { name, place, is_word, bytes, alignment, is_written, layout } = argument;
    let layout = if layout.is_empty() { String::new() } else { format!("; {layout}") };
    match (is_word, is_written) {
        (true, false) => format!("{place} is {name}{layout}"),
        (true, true) => format!("{place} returns {name}{layout}"),
        (false, _) => {
            let access = if *is_written { "writes" } else { "reads" };
            let bytes = counted(*bytes, "byte");
            format!("{access} {bytes} at {place}, aligned to {alignment}: {name}{layout}")
        }
    }
}

/// Inputs of a counterexample that people are shown; the output for programs has all.
const SHOWN: usize = 24;

/// Writes the values of a counterexample.
fn refuted(text: &mut String, found: &Counterexample) {
    let more = found.inputs.len().saturating_sub(SHOWN);
    for (title, values) in [("inputs", &found.inputs), ("computed", &found.computed), ("expected", &found.expected)] {
        let _ = writeln!(text, "          {title}:");
        for (name, value) in values.iter().take(if title == "inputs" { SHOWN } else { usize::MAX }) {
            let _ = writeln!(text, "            {name} = {value}");
        }
        if title == "inputs" && more > 0 {
            let _ = writeln!(text, "            and {more} more, which `--message-format json` shows");
        }
    }
}

/// The instructions that wrote the memory that a false claim of a contract is about.
fn writers(rejection: &Rejection) -> &[At] {
    match rejection {
        Rejection::False { writers, .. } => writers,
        _ => &[],
    }
}

/// A verdict as JSON. `meaning` says what the function computes, if it is proved.
pub fn json(proof: &FunctionProof, meaning: &str) -> serde_json::Value {
    let symbol = &proof.symbol;
    let lengths: serde_json::Map<_, _> =
        proof.lengths.iter().map(|(name, length)| (name.clone(), (*length).into())).collect();
    match &proof.outcome {
        Ok(proved) => serde_json::json!({
            "symbol": symbol,
            "lengths": lengths,
            "proved": true,
            "meaning": meaning,
            "instructions": proved.instructions,
            "in_parts": proved.is_in_parts,
            "stack": proved.stack,
            "residue": proved.residue,
            "erased": proved.is_erased,
            "phases": proved.phases,
            "ways": proved.ways,
            "fixed": proved.is_fixed,
            "unlisted": proved.reliance.unlisted,
            "one_decoder": proved.reliance.one_decoder,
            "extensions": proved.reliance.extensions,
            "seconds": proved.time.as_secs_f64(),
            "gates": proved.statistics.gates,
            "cases": proved.cases,
            "solver_calls": proved.statistics.solver_calls,
            "turn": proved.on_bytes.as_ref().and_then(|on_bytes| on_bytes.batch),
            "in_place": proved.on_bytes.as_ref().map(|on_bytes| &on_bytes.in_place),
            "library": library(proved).collect::<Vec<_>>(),
            "assumed": assumptions(&[proved], ""),
            "arguments": proved.arguments.iter().map(|argument| serde_json::json!({
                "name": argument.name, "place": argument.place, "word": argument.is_word, "bytes": argument.bytes,
                "alignment": argument.alignment, "written": argument.is_written, "layout": argument.layout,
            })).collect::<Vec<_>>(),
        }),
        Err(rejection) => {
            let found = rejection.counterexample();
            let named = |values: fn(&Counterexample) -> &Vec<(String, String)>| {
                let all = found.iter().flat_map(|found| values(found).iter().cloned());
                all.collect::<std::collections::BTreeMap<_, _>>()
            };
            let Diagnostic { code, message, notes, .. } = diagnostic(rejection);
            let written_at: Vec<String> = writers(rejection).iter().map(At::to_string).collect();
            serde_json::json!({
                "symbol": symbol,
                "lengths": lengths,
                "proved": false,
                "kind": kind(rejection),
                "code": code.id,
                "reason": message,
                "place": place(symbol, rejection),
                "remedy": notes.join("; "),
                "counterexample": named(|found| &found.inputs),
                "computed": named(|found| &found.computed),
                "expected": named(|found| &found.expected),
                "written_at": written_at,
                "replay": proof.replay,
            })
        }
    }
}

/// Where in the code it is: the function, if no place in it is known, and the line of source, if that is.
fn place(symbol: &str, rejection: &Rejection) -> serde_json::Value {
    let place = rejection.place();
    let line = place.and_then(|place| place.line.as_ref());
    serde_json::json!({
        "function": place.map_or(symbol, |place| &place.function),
        "offset": place.map(|place| place.offset),
        "file": line.map(|(file, _)| file),
        "line": line.map(|(_, line)| line),
    })
}
