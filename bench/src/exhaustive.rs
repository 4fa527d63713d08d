//! The quality of the tuner's search, compared with the best of all choices.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use culet_ir::Target;
use culet_native::CCompiler;
use culet_tune::{Limits, Request, measure, tune};

use crate::speed::{Plan, SUBJECTS, Subject, with_request};

/// Kernels that are small enough for every choice to be tried.
const DEFAULTS: [&str; 4] = ["Ascon-vs", "Clyde-vs", "Rectangle-vs", "Xoodoo-vs"];

/// For each cipher, the winner of a search and the winner of all choices, measured in turns at the end.
pub fn run(primitives: &Path, plan: &Plan, progress: &mut dyn FnMut(&str)) -> Result<String, String> {
    let compilers = CCompiler::installed();
    let target = plan.target.unwrap_or(Target::Avx2);
    let mut text = String::from(
        "| cipher | target | tried by the search | seconds | all choices | seconds | search : best | choice of the search | best |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let wanted = |subject: &&Subject| match &plan.cipher {
        Some(cipher) => subject.0 == cipher,
        None => DEFAULTS.contains(&subject.0),
    };
    for subject in SUBJECTS.iter().filter(wanted) {
        progress(subject.0);
        let row = with_request(primitives, subject, target, plan, &compilers, |request| {
            let start = Instant::now();
            let found = tune(request, &mut |_, _| {})?;
            let searched = start.elapsed();
            let everything = Request { limits: Limits { exhaustive: true, ..request.limits }, ..request.clone() };
            let start = Instant::now();
            let best = tune(&everything, &mut |count, _| progress(&format!("{count} of all choices")))?;
            let tried_all = start.elapsed();
            let choices = [best.ranking[0].choice.clone(), found.ranking[0].choice.clone()];
            let fair =
                Request { limits: Limits { time: Duration::from_secs(5), exhaustive: false }, ..request.clone() };
            let figures = measure(&fair, &choices, &mut |_| {})?;
            let ratio = figures.of[1].as_ref().ok().and_then(|figure| figure.ratio);
            Ok(format!(
                "| {} | {} | {} | {:.0} | {} | {:.0} | {} | `{}` | `{}` |",
                subject.0,
                target.name(),
                found.measured(),
                searched.as_secs_f64(),
                best.measured(),
                tried_all.as_secs_f64(),
                ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.3}")),
                choices[1].describe(&compilers),
                choices[0].describe(&compilers),
            ))
        })?;
        progress(&row);
        let _ = writeln!(text, "{row}");
    }
    Ok(text)
}
