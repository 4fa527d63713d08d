//! The proofs of the kernels that the demo has compiled and used. They are about the very bytes that ran.

use std::fmt::Write;
use std::time::{Duration, Instant};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{FunctionProof, Kernel, Options, diagnostic};
use culet_image::Image;
use culet_prove::theorem::Limits;

use super::variant::Subject;
use crate::commands::spinner;
use crate::output::Output;

/// Time after which no further proof begins.
const TIME: Duration = Duration::from_secs(15);

/// The results of proving one variant's functions.
pub struct Proofs {
    pub variant: String,
    pub functions: Vec<FunctionProof>,
    pub time: Duration,
}

impl Proofs {
    pub fn is_proved(&self) -> bool {
        self.functions.iter().all(|function| function.outcome.is_ok())
    }

    /// One line of text, and one more for each function that is not proved.
    pub fn text(&self) -> String {
        let proved = || self.functions.iter().filter_map(|function| function.outcome.as_ref().ok());
        let instructions: u64 = proved().map(|proved| proved.instructions).sum();
        let word = if self.is_proved() { "proved" } else { "NOT PROVED" };
        let mut text = format!(
            "{word:<10} {}: {} of {} functions, {instructions} instructions, {:.1} s\n",
            self.variant,
            proved().count(),
            self.functions.len(),
            self.time.as_secs_f64()
        );
        for function in &self.functions {
            if let Err(rejection) = &function.outcome {
                let code = diagnostic(rejection).code.id;
                let _ = writeln!(text, "           {}: {rejection} ({code})", function.symbol);
            }
        }
        text
    }
}

/// A kernel that was compiled.
pub struct Made<'d> {
    pub name: String,
    pub options: &'d Options,
    pub machine_code: Vec<u8>,
}

/// Proves kernels in the order given, while there is time.
pub fn prove(subject: &Subject, kernels: &[Made<'_>], output: Output) -> Result<Vec<Proofs>, Diagnostics> {
    let start = Instant::now();
    let bar = spinner("proving", output);
    let mut all = Vec::new();
    for Made { name, options, machine_code } in kernels.iter().take_while(|_| start.elapsed() < TIME) {
        let image = Image::read(machine_code).map_err(|error| {
            let reason = format!("cannot prove {name}: its file is no image: {error}");
            Diagnostics::from(Diagnostic::error_without_place(&world::E0801, reason))
        });
        let image = image.inspect_err(|_| bar.finish_and_clear())?;
        let begin = Instant::now();
        let (kernel, found) = Kernel::of(subject.source, &subject.source.stem, options, &Diagnostics::new());
        let functions = kernel.ok_or(found).and_then(|kernel| {
            kernel.proofs(&image, &Limits::default(), &mut |symbol| {
                bar.set_message(format!("proving {name}: {symbol}"));
                true
            })
        });
        match functions {
            Ok(functions) => all.push(Proofs { variant: name.clone(), functions, time: begin.elapsed() }),
            Err(diagnostics) => {
                bar.finish_and_clear();
                return Err(diagnostics);
            }
        }
    }
    bar.finish_and_clear();
    Ok(all)
}

/// A summary for the terminal and for the report.
pub fn summary(proofs: &[Proofs], kernels: usize) -> String {
    let proved = proofs.iter().filter(|proofs| proofs.is_proved()).count();
    let mut text = format!(
        "The machine code of {proved} of {kernels} kernels is proved equal to the source's meaning, in constant time"
    );
    match kernels - proofs.len() {
        0 => text.push('.'),
        left => {
            let _ = write!(text, "; for {left} there was no time (`culet compile --prove`).");
        }
    }
    text
}
