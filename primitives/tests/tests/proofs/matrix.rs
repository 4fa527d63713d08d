//! The kernels, and the proof of one in a process of its own, so that its memory is known.

use std::env;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use culet_driver::{DEFAULT_GRAIN, Interleave, Options, compile, prove_kernel, slicing_name};
use culet_image::Image;
use culet_ir::Target;
use culet_native::{CCompiler, Job};
use culet_passes::Amount;
use culet_primitives_tests::shelf::{Entry, families, messages};
use culet_prove::theorem::Limits;
use culet_testing::{Stopwatch, compilers};

pub const TARGETS: [Target; 4] = [Target::C64, Target::Sse, Target::Avx2, Target::Avx512];
/// The end of the names of kernels with real loops.
const LOOPS: &str = "/loops";
const FLAGS: [&[&str]; 2] = [&["-O2"], &["-O3", "-march=native"]];

pub struct Kernel {
    pub name: String,
    entry: Arc<Vec<Entry>>,
    options: Options,
    compiler: CCompiler,
    flags: &'static [&'static str],
    /// Whether it is made by the first compiler at its first level, not interleaved, loops unrolled.
    pub is_first: bool,
}

/// What the proof of a kernel took.
#[derive(Clone, Copy)]
pub struct Cost {
    pub seconds: f64,
    pub mebibytes: u64,
    pub gates: usize,
}

/// All kernels of the matrix that this machine can make: `program/slicing/target/compiler/level`, and perhaps `/interleaved` or
/// `/loops`.
pub fn kernels() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    // Nothing is executed, so any x86-64 will do for all targets.
    let compilers = compilers(Target::C64);
    for family in families() {
        let entry = Arc::new(family);
        let primitive = &entry[0].primitive;
        let block = primitive.block.as_ref().map(|block| &block.encrypt);
        let node = block.or(primitive.stream.as_ref().map(|stream| &stream.node)).cloned();
        for (slicing, word) in primitive.slicings().expect("checked when it was read") {
            for target in TARGETS {
                let plain = Options { node: node.clone(), slicing: Some(slicing), word, ..Options::new(target) };
                let interleave = Some(Interleave { factor: 2, grain: DEFAULT_GRAIN });
                let variants = [
                    ("", plain.clone()),
                    ("/interleaved", Options { interleave, ..plain.clone() }),
                    (LOOPS, Options { unroll: Amount::None, ..plain }),
                ];
                for (index, compiler) in compilers.iter().enumerate() {
                    for (level, flags) in FLAGS.into_iter().enumerate() {
                        for (variant, options) in &variants {
                            let (source, slicing) = (&entry[0].source.stem, slicing_name(slicing));
                            let (target, compiler_name) = (target.name(), compiler.name());
                            kernels.push(Kernel {
                                name: format!("{source}/{slicing}/{target}/{compiler_name}/{}{variant}", flags[0]),
                                entry: Arc::clone(&entry),
                                options: options.clone(),
                                compiler: compiler.clone(),
                                flags,
                                is_first: index == 0 && level == 0 && variant.is_empty(),
                            });
                        }
                    }
                }
            }
        }
    }
    kernels
}

impl Kernel {
    /// Proves it in this process.
    ///
    /// # Errors
    ///
    /// The reason if it is not proved.
    pub fn prove(&self) -> Result<Cost, String> {
        let Entry { source, .. } = &self.entry[0];
        let (compiled, diagnostics) = compile(source, "kernel", &self.options, &Default::default());
        let c = compiled.ok_or_else(|| messages(&diagnostics))?.c;
        let object = self.object(&c.source, &c.header)?;
        let image = Image::read(&object).map_err(|error| error.to_string())?;
        let watch = Stopwatch::start();
        let proofs = prove_kernel(source, "kernel", &self.options, &image, &Limits::default(), &mut |_| true)
            .map_err(|diagnostics| messages(&diagnostics))?;
        let seconds = watch.seconds();
        let mut gates = 0;
        for proof in proofs {
            let proved = proof.outcome.map_err(|rejection| format!("{}: {rejection}", proof.symbol))?;
            gates = gates.max(proved.statistics.gates);
        }
        Ok(Cost { seconds, mebibytes: peak_mebibytes(), gates })
    }

    /// The kernel with unrolled loops that has the same C, where this one has real loops and yet the same: it needs no proof of its own.
    ///
    /// # Errors
    ///
    /// If it is not compiled.
    pub fn twin(&self) -> Result<Option<String>, String> {
        let Some(name) = self.name.strip_suffix(LOOPS) else { return Ok(None) };
        let unrolled = Options { unroll: Options::new(self.options.target).unroll, ..self.options.clone() };
        Ok((self.text(&self.options)? == self.text(&unrolled)?).then(|| name.to_owned()))
    }

    /// The C, without what says how it was made.
    fn text(&self, options: &Options) -> Result<Vec<String>, String> {
        let (compiled, diagnostics) = compile(&self.entry[0].source, "kernel", options, &Default::default());
        let c = compiled.ok_or_else(|| messages(&diagnostics))?.c;
        let lines = c.source.lines().chain(c.header.lines());
        Ok(lines.filter(|line| !line.contains("culet compile")).map(str::to_owned).collect())
    }

    /// What its C compiler makes of a text.
    fn object(&self, source: &str, header: &str) -> Result<Vec<u8>, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        for (name, text) in [("kernel.c", source), ("kernel.h", header)] {
            fs::write(directory.path().join(name), text).map_err(|error| error.to_string())?;
        }
        let flags: Vec<String> = self.flags.iter().map(|&flag| flag.into()).collect();
        let (target, limit) = (self.options.target, Duration::from_secs(600));
        let object = self.compiler.object(directory.path(), "kernel", target, &flags, limit);
        fs::read(object.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    }
}

/// The most memory that this process has had.
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kibibytes.unwrap_or_default() / 1024
}

/// The argument before a kernel's name that makes this program prove it and nothing else.
pub const PROVE: &str = "prove";
/// Likewise say which kernel has the same C, if one has.
pub const TWIN: &str = "twin";

/// Proves a kernel in another process.
///
/// # Errors
///
/// The reason if it is not proved in time.
pub fn prove_apart(name: &str, patience: Duration) -> Result<Cost, String> {
    let text = apart(PROVE, name, patience)?;
    let not_understood = || format!("not understood: {text}");
    let last = text.lines().last().unwrap_or_default();
    let [seconds, mebibytes, gates] = last.split(' ').collect::<Vec<_>>()[..] else {
        return Err(not_understood());
    };
    let cost = Cost {
        seconds: seconds.parse().map_err(|_| not_understood())?,
        mebibytes: mebibytes.parse().map_err(|_| not_understood())?,
        gates: gates.parse().map_err(|_| not_understood())?,
    };
    Ok(cost)
}

/// The kernel that has the same C as this one, found in another process.
///
/// # Errors
///
/// If it is not compiled.
pub fn twin_apart(name: &str, patience: Duration) -> Result<Option<String>, String> {
    if !name.ends_with(LOOPS) {
        return Ok(None);
    }
    let text = apart(TWIN, name, patience)?;
    Ok(text.lines().last().map(str::to_owned))
}

fn apart(what: &str, name: &str, patience: Duration) -> Result<String, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let arguments = [what.into(), name.into()];
    let job = Job { program: &program, arguments: &arguments, input: &[], time_limit: patience, output_limit: 10_000 };
    let output = job.run(None).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}
