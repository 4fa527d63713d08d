//! How long culet takes from source to C, and how much memory.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use culet_driver::{DiskReader, Options, compile, load};
use culet_ir::Target;
use culet_passes::Amount;
use culet_types::program::Slicing;

use crate::clock::median;

/// Name, file, node: bitsliced, everything unrolled and inlined.
const SUBJECTS: [(&str, &str, &str); 2] =
    [("AES-128", "ciphers/aes128.ua", "AES128"), ("ACE-like permutation", "experiments/ace_like.ua", "ace_like")];

/// The median of several runs of the whole way from the file to C, and the process's peak memory after each program.
pub fn run(primitives: &Path) -> Result<String, String> {
    let mut text = String::from("program\toptions\toperations\tms\tpeak MB\n");
    for (name, file, node) in SUBJECTS {
        for target in [Target::Avx2, Target::Avx512] {
            let options = Options {
                node: Some(node.into()),
                slicing: Some(Slicing::Bitslice),
                unroll: Amount::All,
                inline: Amount::All,
                ..Options::new(target)
            };
            let mut times = Vec::new();
            let mut operations = 0;
            for _ in 0..5 {
                let start = Instant::now();
                let (source, diagnostics) = load(&primitives.join(file), &[], &DiskReader);
                let (compiled, more) = compile(&source, &source.stem, &options, &diagnostics);
                times.push(start.elapsed().as_secs_f64() * 1e3);
                let compiled =
                    compiled.ok_or_else(|| more.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))?;
                let func = compiled.lowered.module.entry();
                operations = func.region(func.body).insts.len();
            }
            let _ = writeln!(
                text,
                "{name}\t{}\t{operations}\t{:.0}\t{:.0}",
                options.arguments(),
                median(&mut times),
                peak_megabytes()
            );
        }
    }
    Ok(text)
}

/// The most memory this process has held so far.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
