//! Long searches for circuits of tables, which can be resumed; and the cost of a circuit on a target.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use culet_diag::Diagnostics;
use culet_ir::{Op, Target};
use culet_passes::Amount;
use culet_sbox::polarity::without_andn;
use culet_sbox::search::{Effort, quality, search};
use culet_sbox::{Circuit, Gate, Listing, Signal, TableSpec};
use culet_types::program::Slicing;

use crate::kernel::lower;
use crate::load::{Reader, load};
use crate::options::Options;
use crate::program::elaborate;

/// The best circuit so far for a table, and the number of searches that were made for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub circuit: Circuit,
    pub searches: u64,
}

/// Searches with one seed after another until the time is over, starting where `known` stopped. `watch` is called after
/// each search. At least one search is made if there is any time.
pub fn search_sbox(
    table: &TableSpec,
    known: Option<Progress>,
    time: Duration,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Progress, culet_sbox::TableError> {
    let start = Instant::now();
    let mut progress = match known {
        Some(progress) => progress,
        None => Progress { circuit: culet_sbox::circuit(table)?.as_ref().clone(), searches: 0 },
    };
    while start.elapsed() < time {
        progress.searches += 1;
        let found = search(table, Effort::compile_time(table), progress.searches);
        if quality(&found) < quality(&progress.circuit) && found.check(table).is_ok() {
            progress.circuit = found;
        }
        watch(&progress);
    }
    Ok(progress)
}

/// The file that keeps the progress for a table, in a directory. Its name is a hash of the table.
fn path(directory: &Path, table: &TableSpec) -> PathBuf {
    let mut hash = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    for number in [u64::from(table.inputs), u64::from(table.outputs)].iter().chain(&table.values) {
        hash.0 = (hash.0 ^ number).wrapping_mul(0x100_0000_01b3).rotate_left(23);
        hash.1 = (hash.1.rotate_left(29) ^ number).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    directory.join(format!("{}x{}-{:016x}{:016x}.circuit", table.inputs, table.outputs, hash.0, hash.1))
}

/// Reads the progress that was kept for a table. The error says that the file is damaged or belongs to another table;
/// this is decided by comparing the circuit with the table on every input.
pub fn kept_sbox(directory: &Path, table: &TableSpec) -> Result<Option<Progress>, String> {
    let path = path(directory, table);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("`{}` cannot be read: {error}", path.display())),
    };
    let damaged = |why: &str| format!("`{}` is damaged ({why}); the search begins anew", path.display());
    let searches = text.lines().next().and_then(|line| line.strip_prefix("# searches ")?.parse().ok());
    let searches = searches.ok_or_else(|| damaged("its first line does not count searches"))?;
    let listing: Listing = text.parse().map_err(|error: culet_sbox::TextError| damaged(&error.to_string()))?;
    if listing.circuit.check(table).is_err() {
        return Err(damaged("its circuit is of another table"));
    }
    Ok(Some(Progress { circuit: listing.circuit, searches }))
}

/// Writes the progress for a table, whole or not at all.
pub fn keep_sbox(directory: &Path, table: &TableSpec, progress: &Progress) -> Result<(), String> {
    let path = path(directory, table);
    let listing = Listing { circuit: progress.circuit.clone(), table: Some(table.values.clone()) };
    let text = format!("# searches {}\n{listing}", progress.searches);
    let new = path.with_extension(format!("{}.new", std::process::id()));
    fs::create_dir_all(directory)
        .and_then(|()| fs::write(&new, text))
        .and_then(|()| fs::rename(&new, &path))
        .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))
}

/// The number of operations of each kind that a circuit takes on a target, the most frequent first.
pub fn sbox_cost(circuit: &Circuit, target: Target) -> Result<Vec<(String, usize)>, String> {
    let circuit = if target.has_andn() { circuit.clone() } else { without_andn(circuit) };
    struct Text(String);
    impl Reader for Text {
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Ok(self.0.clone().into_bytes())
        }
    }
    let (source, diagnostics) = load(Path::new("sbox.ua"), &[], &Text(sbox_node(&circuit, "sbox")));
    let first = |diagnostics: &Diagnostics| {
        diagnostics.iter().find(|d| d.is_error()).map_or_else(String::new, |error| error.message.clone())
    };
    if diagnostics.has_errors() {
        return Err(first(&diagnostics));
    }
    let slicing = Some(Slicing::Bitslice);
    let options = Options { slicing, unroll: Amount::All, inline: Amount::All, ..Options::new(target) };
    let (program, diagnostics) = elaborate(&source, &options);
    let program = program.ok_or_else(|| first(&diagnostics))?;
    let (_, module) = lower(program, &options, &mut |_, _| {}).map_err(|diagnostics| first(&diagnostics))?;
    let mut counts: Vec<(String, usize)> = Vec::new();
    module.entry().walk(&mut |_, data, _| {
        let name = match &data.op {
            Op::Load { .. } | Op::Store { .. } | Op::Const(_) => return,
            op => op.name(),
        };
        match counts.iter_mut().find(|(other, _)| other == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name.to_owned(), 1)),
        }
    });
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(counts)
}

/// A circuit as a node of the language. Bit 0 is the most significant.
pub fn sbox_node(circuit: &Circuit, name: &str) -> String {
    let signal = |signal: Signal| match signal {
        Signal::Zero => "0".to_owned(),
        Signal::One => "1".to_owned(),
        // A vector of one element is an atom.
        Signal::Input(_) if circuit.inputs == 1 => "x".to_owned(),
        Signal::Input(input) => format!("x[{input}]"),
        Signal::Gate(gate) => format!("g{gate}"),
    };
    let (inputs, outputs) = (circuit.inputs, circuit.outputs.len());
    let mut text = format!("node {name} (x : b{inputs}) returns (y : b{outputs})\n");
    if !circuit.gates.is_empty() {
        let gates: Vec<String> = (0..circuit.gates.len()).map(|gate| format!("g{gate}")).collect();
        let lines: Vec<String> = gates.chunks(16).map(|line| line.join(", ")).collect();
        let _ = writeln!(text, "vars\n  {} : b1", lines.join(",\n  "));
    }
    text.push_str("let\n");
    for (number, gate) in circuit.gates.iter().enumerate() {
        let value = match *gate {
            Gate::And(a, b) => format!("{} & {}", signal(a), signal(b)),
            Gate::Or(a, b) => format!("{} | {}", signal(a), signal(b)),
            Gate::Xor(a, b) => format!("{} ^ {}", signal(a), signal(b)),
            Gate::Andn(a, b) => format!("{} & ~{}", signal(a), signal(b)),
            Gate::Not(a) => format!("~{}", signal(a)),
        };
        let _ = writeln!(text, "  g{number} = {value};");
    }
    let outputs: Vec<String> = circuit.outputs.iter().map(|&output| signal(output)).collect();
    let _ = writeln!(text, "  y = ({})\ntel", outputs.join(", "));
    text
}
