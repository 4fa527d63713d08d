//! Random programs and modules, and the comparison of two executions of one program. For tests only: rooms have it as a
//! `dev-dependency`, never as a dependency.
//!
//! ```
//! use culet_testing::{Options, Slicing, check_module, random_module, random_program, random_source, source};
//! use culet_testing::{Rng, Shape, module_inputs, scrambled_module};
//!
//! // A program, well formed by construction; the same seed gives the same program.
//! let options = Options::new(Slicing::Vertical);
//! let program = random_program(7, &options);
//!
//! // What lowering makes of it, before any pass; and a check that a module computes what the program means.
//! let module = random_module(7, &options);
//! check_module(&program, &module, 3).unwrap();
//!
//! // The text of a program; with `for_source`, one that the parser and the elaborator accept.
//! let text = random_source(7, &options.for_source());
//! assert!(text.contains("node"));
//!
//! // A module that comes from no program: any operation, memory in nested loops, values that nothing needs.
//! let module = scrambled_module(7, &Shape::any());
//! let inputs = module_inputs(&module, &mut Rng::new(8));
//! let outputs = culet_ir::eval(&mut culet_meaning::Concrete, &module, &inputs).unwrap();
//! ```
//!
//! The programs have loops that count up and down, nested loops, arrays with positions that depend on counters,
//! recurrences, updates, temporaries, calls of nodes and of tables, words of several sizes, and every operator of the
//! direction. Elements of the module's slots are in the order of [`pieces`].

mod clock;
mod compare;
mod compile;
pub mod draw;
mod expressions;
mod generate;
mod modules;
mod rng;
mod source;
mod tables;
mod toolchains;
mod trial;

pub use clock::Stopwatch;
pub use compare::{check_module, evaluate_module, pieces, random_inputs, words};
pub use compile::{program_of, program_of_node};
pub use culet_types::program::Slicing;
pub use generate::{Options, random_program};
pub use modules::{Shape, module_inputs, scrambled_module};
pub use rng::Rng;
pub use source::source;
pub use toolchains::{big_endian, compilers, report, rustc};
pub use trial::timed;

use culet_ir::Module;

/// The text of a random program. The options should be made by [`Options::for_source`].
pub fn random_source(seed: u64, options: &Options) -> String {
    source(&random_program(seed, options))
}

/// A random program, lowered.
///
/// # Panics
///
/// If the program cannot be lowered.
pub fn random_module(seed: u64, options: &Options) -> Module {
    match culet_lower::lower(&random_program(seed, options)) {
        Ok(module) => module,
        Err(diagnostics) => panic!("program {seed}: {:?}", diagnostics.iter().next()),
    }
}
