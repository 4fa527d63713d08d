//! The programs that were published with usubac, compiled with the default choices, beside ours of the same ciphers, and beside
//! usubac's best of the table.
//!
//! The two programs of a row are measured one after the other, each with every C compiler in turns; the better one counts. The
//! layouts of their bits in memory may differ, so that their kernels cannot take each other's data.

use std::fmt::Write;
use std::path::Path;

use culet_driver::{DiskReader, Options, Source, load};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_types::program::Slicing;

use super::{CALIBRATION, EQUAL, Plan, Row, Subject, WITH_KEY_SCHEDULE, described, first, mean, shown};
use crate::predictions::fastest;

/// The published programs of rows, in `samples/usuba` of usubac's repository. Their last node is the cipher.
const PROGRAMS: [(&str, &str); 26] = [
    ("ACE-V", "ace"),
    ("ACE-B", "ace"),
    ("AES-H", "aes_mslice"),
    ("AES-B", "aes"),
    ("Ascon-V", "ascon"),
    ("Ascon-B", "ascon"),
    ("Chacha20-V", "chacha20"),
    ("Clyde-V", "clyde"),
    ("Clyde-B", "clyde_bitslice"),
    ("DES-B", "des"),
    ("Gift-B", "gift_bitslice"),
    ("Giftfix-V", "gift_fixslice"),
    ("Gimli-V", "gimli"),
    ("Gimli-B", "gimli_bitslice"),
    ("Photon-B", "photon_bitslice"),
    ("Present-B", "present"),
    ("Pyjamask-V", "pyjamask_vslice"),
    ("Pyjamask-B", "pyjamask_bitslice"),
    ("Rectangle-V", "rectangle"),
    ("Rectangle-H", "rectangle"),
    ("Rectangle-B", "rectangle"),
    ("Serpent-V", "serpent"),
    ("Skinny-B", "skinny_bitslice"),
    ("Spongent-B", "spongent"),
    ("Xoodoo-V", "xoodoo"),
    ("Xoodoo-B", "xoodoo"),
];

/// A row as measured here, in ticks a byte of results.
struct Measured {
    row: Row,
    published: f64,
    ours: f64,
}

/// The table as Markdown, followed by the means.
pub fn run(
    primitives: &Path,
    directory: &Path,
    plan: &Plan,
    compilers: &[CCompiler],
    progress: &mut dyn FnMut(&str),
) -> String {
    let mut all = Vec::new();
    for (row, target) in plan.rows() {
        let label = format!("{} {}", row.name, row.architecture);
        match measure(primitives, directory, row, target, plan, compilers) {
            Ok(measured) => {
                let Measured { published, ours, .. } = measured;
                progress(&format!("{label}: published {published:.3} ticks a byte, ours {ours:.3}"));
                all.push(measured);
            }
            Err(reason) => progress(&format!("{label}: {reason}")),
        }
    }
    table(&all)
}

fn measure(
    primitives: &Path,
    directory: &Path,
    row: Row,
    target: Target,
    plan: &Plan,
    compilers: &[CCompiler],
) -> Result<Measured, String> {
    let (_, file) = PROGRAMS.iter().find(|(name, _)| *name == row.name).ok_or("no published program computes it")?;
    let Subject(_, own, node, slicing) = super::subject(row.name).ok_or("there is no such program")?;
    let path = directory.join(file).with_extension("ua");
    let (published, diagnostics) = load(&path, &[], &DiskReader);
    if diagnostics.has_errors() {
        return Err(first(&diagnostics));
    }
    let ours = super::source(primitives, own)?;
    let options = Options { slicing: Some(*slicing), ..Options::new(target) };
    let measure = |source: &Source, options: &Options| fastest(source, options, compilers, &plan.cflags);
    let ours = measure(&ours, &Options { node: Some((*node).into()), ..options.clone() })?;
    Ok(Measured { published: measure(&published, &fitting(&published, options))?, ours, row })
}

/// The options of a published program: it may leave no direction open.
fn fitting(source: &Source, options: Options) -> Options {
    let fixed = Options { slicing: None::<Slicing>, ..options.clone() };
    let compiles = |options: &Options| super::Facts::of(source, options).is_ok();
    if compiles(&options) || !compiles(&fixed) { options } else { fixed }
}

fn table(all: &[Measured]) -> String {
    let is_calibration = |measured: &&Measured| CALIBRATION.contains(&(measured.row.name, measured.row.architecture));
    let scale = mean(all.iter().filter(is_calibration).map(|m| m.row.former / m.ours));
    let mut text = String::from(
        "| row | registers | published, ticks/byte | ours | published : ours | usubac, scaled | published : usubac by \
         calibration | in that run |\n|---|---|---|---|---|---|---|---|\n",
    );
    let (mut beside_ours, mut beside_usubac) = (Vec::new(), Vec::new());
    let mut above = 0;
    for Measured { row, published, ours } in all {
        let theirs = scale.map(|scale| row.usubac / scale).filter(|_| !WITH_KEY_SCHEDULE.contains(&row.name));
        let calibrated = theirs.map(|theirs| published / theirs);
        let then = row.published.map(|then| then / row.usubac);
        beside_ours.push(published / ours);
        beside_usubac.extend(calibrated);
        above += usize::from(calibrated.is_some_and(|quotient| quotient > EQUAL));
        let [theirs, calibrated, then] = [theirs, calibrated, then].map(shown);
        let quotient = published / ours;
        let _ = writeln!(
            text,
            "| {} | {} | {published:.3} | {ours:.3} | {quotient:.3} | {theirs} | {calibrated} | {then} |",
            row.name, row.architecture
        );
    }
    let _ = writeln!(
        text,
        "\n{} beside ours; {} beside usubac by calibration ({} ticks there for one here), {above} above {EQUAL}.",
        described(&beside_ours),
        described(&beside_usubac),
        shown(scale)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_with_a_figure_has_a_published_program() {
        for row in super::super::rows().filter(|row| row.published.is_some()) {
            assert!(PROGRAMS.iter().any(|(name, _)| *name == row.name), "{}", row.name);
        }
    }

    #[test]
    fn the_means_say_how_many_rows_are_in_them() {
        let rows = super::super::rows().filter(|row| ["Clyde-B", "Chacha20-V"].contains(&row.name));
        let all: Vec<Measured> = rows.map(|row| Measured { published: row.former, ours: row.former, row }).collect();
        let text = table(&all);
        assert!(text.contains("geometric mean of 6 rows 1.000 beside ours"), "{text}");
        assert!(text.contains("geometric mean of 3 rows 1.0"), "{text}");
        let clyde = text.lines().find(|line| line.starts_with("| Clyde-B | avx |")).expect("a row");
        assert!(clyde.ends_with("| - | - | 0.884 |"), "{clyde}");
    }
}
