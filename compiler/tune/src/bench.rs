//! Measuring given choices, without a search: what benchmarks and experiments need.

use culet_diag::Diagnostics;

use crate::lab::{Laboratory, Prepared, Trouble, Workshop};
use crate::space::Choice;
use crate::{Request, cannot_measure};

/// Candidates of one executable: their samples alternate.
const TOGETHER: usize = 24;
const RUNS: usize = 7;
const ROUNDS: usize = 15;

/// What was measured, and where.
#[derive(Debug, Default)]
pub struct Figures {
    pub machine: String,
    pub clock: String,
    /// For each choice its median ticks a byte, or why there is none. Choices that are the same machine code are measured
    /// each.
    pub of: Vec<Result<f64, String>>,
}

/// Measures these choices; of the request, the program, the compilers, the runner and what is measured count.
///
/// # Errors
///
/// When the program is wrong, or the runner fails whatever it runs.
pub fn measure(request: &Request, choices: &[Choice], watch: &mut dyn FnMut(usize)) -> Result<Figures, Diagnostics> {
    let mut figures = Figures::default();
    let Some(first) = choices.first() else { return Ok(figures) };
    let mut workshop =
        Workshop::new(request.source, &first.options, &request.compilers, &request.runner, request.what)?;
    for (batch, together) in choices.chunks(TOGETHER).enumerate() {
        let mut of: Vec<Result<f64, String>> = vec![Err(String::new()); together.len()];
        let id = |k: usize| batch * TOGETHER + k;
        let mut ids = Vec::new();
        let numbered: Vec<_> = together.iter().enumerate().map(|(k, choice)| (id(k), choice.clone())).collect();
        for (k, prepared) in workshop.prepare(&numbered).into_iter().enumerate() {
            match prepared {
                Prepared::Ready { .. } => ids.push(id(k)),
                Prepared::CannotAct => of[k] = Err("the choice does nothing for this program".into()),
                Prepared::Failed(reason) => of[k] = Err(reason),
            }
        }
        while !ids.is_empty() {
            match workshop.measure(&ids, RUNS, ROUNDS) {
                Ok(samples) => {
                    for &measured in &ids {
                        if let Some(median) = samples.median(measured) {
                            of[measured - id(0)] = Ok(median);
                        }
                    }
                    break;
                }
                Err(Trouble::Candidates(failed)) => {
                    for (candidate, reason) in failed {
                        ids.retain(|&other| other != candidate);
                        of[candidate - id(0)] = Err(reason);
                    }
                }
                Err(Trouble::Runner(reason)) => return Err(cannot_measure(request, &reason)),
            }
        }
        figures.of.append(&mut of);
        watch(figures.of.len());
    }
    (figures.machine, figures.clock) = (workshop.machine, workshop.clock);
    Ok(figures)
}
