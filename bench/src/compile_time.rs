//! The time and the memory that culet takes from source to C.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use culet_driver::{DiskReader, Kernel, Options, elaborate, load, lower};
use culet_ir::{Module, Target};
use culet_passes::Amount;
use culet_types::program::Slicing;

use crate::clock::median;

/// Name, file and node of each program. It is bitsliced, with everything unrolled and inlined.
const SUBJECTS: [(&str, &str, &str); 8] = [
    ("AES-128", "ciphers/aes128.ua", "AES128"),
    ("ACE-like permutation", "experiments/ace_like.ua", "ace_like"),
    ("ACE", "ciphers/ace.ua", "ACE"),
    ("Gimli", "ciphers/gimli.ua", "Gimli"),
    ("SKINNY-128-256", "ciphers/skinny128.ua", "SKINNY_128_256"),
    ("Spongent-π[160]", "ciphers/spongent160.ua", "Spongent_pi_160"),
    ("Pyjamask-128", "ciphers/pyjamask.ua", "Pyjamask128"),
    ("PHOTON-256", "ciphers/photon256.ua", "PHOTON_256"),
];

/// The median time of several runs from the file to C, and the process's peak memory after each program.
pub fn run(primitives: &Path) -> Result<String, String> {
    let mut text = String::from(
        "| program | options | operations unrolled | emitted | ms | peak MB |\n|---|---|---|---|---|---|\n",
    );
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
            let mut emitted = 0;
            for _ in 0..9 {
                let start = Instant::now();
                let (source, diagnostics) = load(&primitives.join(file), &[], &DiskReader);
                let (kernel, more) = Kernel::of(&source, &source.stem, &options, &diagnostics);
                times.push(start.elapsed().as_secs_f64() * 1e3);
                emitted = size(kernel.ok_or_else(|| messages(&more))?.module());
            }
            let memory = peak_megabytes();
            let _ = writeln!(
                text,
                "| {name} | `{}` | {} | {emitted} | {:.0} | {memory:.0} |",
                options.arguments(),
                unrolled(&primitives.join(file), &options)?,
                median(&mut times),
            );
        }
    }
    Ok(text)
}

fn messages(diagnostics: &culet_diag::Diagnostics) -> String {
    diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ")
}

/// Number of instructions of the entry.
fn size(module: &Module) -> usize {
    let func = module.entry();
    func.region(func.body).insts.len()
}

/// Number of instructions after everything is inlined and unrolled, before passes reduce it.
fn unrolled(path: &Path, options: &Options) -> Result<usize, String> {
    let (source, _) = load(path, &[], &DiskReader);
    let (program, diagnostics) = elaborate(&source, options);
    let mut unrolled = 0;
    lower(program.ok_or_else(|| messages(&diagnostics))?, options, &mut |pass, module| {
        if pass == "unroll" {
            unrolled = size(module);
        }
    })
    .map_err(|diagnostics| messages(&diagnostics))?;
    Ok(unrolled)
}

/// The peak memory of this process so far.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
