//! NaCl's operations on a small board: built from generated kernels and a little C in `bench/board`, run by the simulator of `tools/rv32sim`.
//!
//! [`recipe`] says which kernels a build has, [`build`] compiles and links, [`programs`] writes the programs that call operations,
//! [`figures`] measures, and [`document`] writes `board.md` and its plots. [`cortex_m4`] counts instructions of the same operations on another CPU.

mod build;
mod cortex_m4;
mod document;
mod figures;
mod programs;
mod recipe;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use self::build::Builder;
use self::figures::Figure;
use self::recipe::STEPS;

/// The places of everything.
#[derive(Debug, Clone)]
pub struct Plan {
    pub primitives: PathBuf,
    /// Where `board.md`, `cortex-m4.md` and `plots/` go.
    pub out: PathBuf,
    /// Whether `cortex-m4.md` alone is made.
    pub is_only_cortex_m4: bool,
}

/// The folder of the board's C.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("board")
}

/// Measures everything and writes the document.
///
/// # Errors
///
/// A program that is not built, that does not run, or that computes something else than others.
pub fn run(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let save =
        |path: PathBuf, text: &str| fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()));
    let last = &STEPS[STEPS.len() - 1];
    let builder = Builder::new(last, &plan.primitives, &directory.path().join("last"))?;
    if cortex_m4::is_installed() {
        save(plan.out.join("cortex-m4.md"), &cortex_m4::page(&cortex_m4::figures(&builder, progress)?))?;
    } else {
        let missing = format!("{} is not installed: instructions of a Cortex-M4 are not counted", cortex_m4::EMULATOR);
        if plan.is_only_cortex_m4 {
            return Err(missing);
        }
        progress(&missing);
    }
    if plan.is_only_cortex_m4 {
        return Ok(());
    }
    let mut steps: Vec<(&str, Figure)> = Vec::new();
    for step in &STEPS {
        progress(step.name);
        let builder = Builder::new(step, &plan.primitives, &directory.path().join(step.name.replace(' ', "-")))?;
        steps.extend(figures::of_step(&builder)?.into_iter().map(|figure| (step.name, figure)));
    }
    let matrix = figures::of_matrix(&builder, progress)?;
    let (text, plots) = document::write(&steps, &matrix);
    for (name, svg) in plots {
        save(plan.out.join("plots").join(name), &svg)?;
    }
    save(plan.out.join("board.md"), &text)
}
