//! The builds of the library's kernels: program × slicing × target × C compiler × level × variant; and one of them, run and proved.

use std::fs;
use std::sync::Arc;

use culet_driver::{DEFAULT_GRAIN, Interleave, Maker, Options, Source, elaborate, slicing_name};
use culet_image::Image;
use culet_ir::Target;
use culet_native::CCompiler;
use culet_passes::Amount;
use culet_primitives_tests::shelf::{Entry, messages};
use culet_prove::theorem::Limits;
use culet_testing::{Stopwatch, compilers, draw};
use culet_types::program::Slicing;
use libtest_mimic::Failed;

use crate::answers::Bench;

/// The primitives of one program.
pub type Family = Arc<Vec<Entry>>;

/// Targets whose machine code the prover reads.
pub const TARGETS: [Target; 5] = [Target::C32, Target::C64, Target::Sse, Target::Avx2, Target::Avx512];

/// Flags of the two levels. The second one is for the CPU at hand.
const LEVELS: [&[&str]; 2] = [&["-O2"], &["-O3", "-march=native"]];

/// Builds that run right, and whose proofs end without an answer (`SOUNDNESS.md`, "What is missing").
const OPEN: [&str; 1] = ["sha256/v/c32/clang-19/-O2"];

/// Instances in a call: one more than two full registers of the widest target, so that a call handles full batches and a partial one.
pub const INSTANCES: usize = 1025;

/// A way to make a kernel from a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    Unrolled,
    Interleaved,
    Loops,
}

impl Variant {
    const ALL: [Variant; 3] = [Variant::Unrolled, Variant::Interleaved, Variant::Loops];

    /// The end of a kernel's name.
    fn suffix(self) -> &'static str {
        match self {
            Variant::Unrolled => "",
            Variant::Interleaved => "/interleaved",
            Variant::Loops => "/loops",
        }
    }

    fn options(self, plain: &Options) -> Options {
        match self {
            Variant::Unrolled => plain.clone(),
            Variant::Interleaved => {
                Options { interleave: Some(Interleave { factor: 2, grain: DEFAULT_GRAIN }), ..plain.clone() }
            }
            Variant::Loops => Options { unroll: Amount::None, ..plain.clone() },
        }
    }
}

/// A program and the way to build its kernels.
pub struct Kernel {
    /// `program/slicing/target/compiler/level`, and perhaps `/interleaved` or `/loops`.
    pub name: String,
    family: Family,
    options: Options,
    variant: Variant,
    compiler: CCompiler,
    level: &'static [&'static str],
}

/// The cost of a kernel's proof.
#[derive(Clone, Copy)]
pub struct Cost {
    /// Seconds on a CPU.
    pub seconds: f64,
    /// The largest size of the process during the test.
    pub mebibytes: u64,
    pub gates: usize,
}

/// All builds for x86-64 of the programs, as far as this CPU runs them.
pub fn kernels(families: &[Family]) -> Vec<Kernel> {
    let compilers: Vec<(Target, Vec<CCompiler>)> =
        TARGETS.into_iter().map(|target| (target, compilers(target))).collect();
    let mut kernels = Vec::new();
    for family in families {
        let primitive = &family[0].primitive;
        for (slicing, word) in primitive.slicings() {
            for (target, compilers) in &compilers {
                let plain = Options { slicing: Some(slicing), word, ..Options::new(*target) };
                for compiler in compilers {
                    for level in LEVELS {
                        for variant in Variant::ALL {
                            let name = format!(
                                "{}/{}/{}/{}/{}{}",
                                family[0].source.stem,
                                slicing_name(slicing),
                                target.name(),
                                compiler.name(),
                                level[0],
                                variant.suffix()
                            );
                            kernels.push(Kernel {
                                name,
                                family: Arc::clone(family),
                                options: variant.options(&plain),
                                variant,
                                compiler: compiler.clone(),
                                level,
                            });
                        }
                    }
                }
            }
        }
    }
    kernels
}

/// The design of a program: AES with longer keys has the rounds of AES-128, and takes C compilers the longest.
pub fn design(program: &str) -> &str {
    match program {
        "aes192" | "aes256" => "aes128",
        "aes192_fixsliced" | "aes256_fixsliced" => "aes128_fixsliced",
        _ => program,
    }
}

/// Whether a program has many operations for its state: C compilers and proofs take three times as long for it as for others.
pub fn is_large(program: &str) -> bool {
    ["aes", "chacha", "keccak", "photon", "salsa", "serpent", "sha", "tdea"]
        .iter()
        .any(|start| program.starts_with(start))
}

impl Kernel {
    /// The kernel's feature on each axis of the matrix.
    pub fn features(&self) -> Vec<String> {
        let mut features: Vec<String> = self.name.splitn(6, '/').map(str::to_owned).collect();
        features.resize(6, String::new());
        features[0] = design(&features[0]).to_owned();
        features
    }

    /// About how long the kernel takes to make, run and prove, in tenths of a second of a CPU: measured factors of 150 drawn kernels.
    pub fn cost(&self) -> u32 {
        let of_variant = match self.variant {
            Variant::Loops => 4,
            Variant::Unrolled => 5,
            Variant::Interleaved => 8,
        };
        let of_program = if is_large(&self.family[0].source.stem) { 3 } else { 1 };
        let of_slicing = if self.options.slicing == Some(Slicing::Bitslice) { 3 } else { 1 };
        let of_target = match self.options.target {
            Target::Avx512 => 3,
            Target::Avx2 => 2,
            _ => 1,
        };
        of_variant * of_program * of_slicing * of_target
    }

    /// Runs all known answers and random batches on one shared object, and proves the main node's functions in that same object. A build of
    /// [`OPEN`] is only run; where all builds are tried, its proof must still be open.
    ///
    /// Nodes beside the main one, such as a cipher's inverse, are optimised only where all builds are tried.
    ///
    /// # Errors
    ///
    /// The answer that is wrong, or the function that is not proved, and the reason.
    pub fn check(&self) -> Result<Option<Cost>, Failed> {
        // Where all builds are tried, that with unrolled loops is another trial of the same C.
        if draw::wants_all() && self.variant == Variant::Loops && !self.has_loops()? {
            return Ok(None);
        }
        let main = self.main_node()?;
        let maker = |source: &Source, options: &Options| {
            let is_main = options.node.as_deref() == Some(&main);
            let level = if is_main || draw::wants_all() { self.level } else { &["-O0"] };
            let flags = level.iter().chain(&["-Wall", "-Wextra", "-Werror"]).map(|&flag| flag.to_owned()).collect();
            Maker::Compiler { compiler: self.compiler.clone(), flags }.engine(source, options)
        };
        let mut bench = Bench::new(&self.options, maker);
        bench.check(&self.family, INSTANCES)?;
        let is_open = OPEN.contains(&self.name.as_str());
        if is_open && !draw::wants_all() {
            return Ok(None);
        }
        let object = bench.engine(&self.family[0], &main)?.machine_code().ok_or("the shared object is gone")?;
        let image = Image::read(&object).map_err(|error| error.to_string())?;
        let generated = self.generated(&self.options)?;
        reset_peak();
        let watch = Stopwatch::start();
        let proofs = generated
            .proofs(&image, &Limits::default(), &mut |_| true)
            .map_err(|diagnostics| messages(&diagnostics))?;
        let seconds = watch.seconds();
        if is_open {
            let is_still = proofs.iter().any(|proof| proof.outcome.is_err());
            return if is_still {
                Ok(None)
            } else {
                Err("it is proved now: take it off the list of open builds".into())
            };
        }
        let mut gates = 0;
        for proof in proofs {
            let proved = proof.outcome.map_err(|rejection| format!("{}: {rejection}", proof.symbol))?;
            gates = gates.max(proved.statistics.gates);
        }
        Ok(Some(Cost { seconds, mebibytes: peak_mebibytes(), gates }))
    }

    /// The node that enciphers, or that makes a block of a stream, or the program's last node.
    fn main_node(&self) -> Result<String, String> {
        let Entry { primitive, source, .. } = &self.family[0];
        if let Some(node) = primitive.main_node() {
            return Ok(node.to_owned());
        }
        let (program, diagnostics) = elaborate(source, &self.options);
        Ok(program.ok_or_else(|| messages(&diagnostics))?.entry().name.clone())
    }

    /// Whether the C with real loops differs from that with unrolled ones.
    fn has_loops(&self) -> Result<bool, String> {
        let unrolled = Options { unroll: Options::new(self.options.target).unroll, ..self.options.clone() };
        Ok(self.text(&self.options)? != self.text(&unrolled)?)
    }

    /// The C of the main node, without the line that says how it was made.
    fn text(&self, options: &Options) -> Result<Vec<String>, String> {
        let generated = self.generated(options)?;
        let lines = generated.text().lines().chain(generated.header().lines());
        Ok(lines.filter(|line| !line.contains("culet compile")).map(str::to_owned).collect())
    }

    /// The code of the main node.
    fn generated(&self, options: &Options) -> Result<culet_driver::Kernel, String> {
        let options = Options { node: Some(self.main_node()?), ..options.clone() };
        let source = &self.family[0].source;
        let (kernel, diagnostics) = culet_driver::Kernel::of(source, &source.stem, &options, &Default::default());
        kernel.ok_or_else(|| messages(&diagnostics))
    }
}

/// Makes the kernel forget the largest size that this process had (proc(5), `clear_refs`).
fn reset_peak() {
    // Without it the figure is an upper bound.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The largest size that this process had since then.
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kibibytes.unwrap_or_default() / 1024
}
