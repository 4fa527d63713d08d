//! The measurements: cycles with and without the instruction cache, instructions, code, stack and RAM of one call of an operation.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use culet_rv32sim::{Costs, FunctionCounts, Machine, Options, Program, Run};

use super::build::{Builder, CLANG, Constants, GCC, RAM_BYTES, Way};
use super::programs::{Call, OPERATIONS, Operation, text};

/// One call of an operation, built in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub operation: &'static str,
    pub way: Way,
    pub constants: Constants,
    /// Cycles of the first call, with an empty cache.
    pub cycles: u64,
    /// Cycles if all code is at hand; none where no table or plot has them.
    pub cycles_without_cache: Option<u64>,
    pub cache_misses: u64,
    pub instructions: u64,
    /// Bytes of the program's code, of which a few hundred start it and write its result.
    pub code: usize,
    /// Bytes of its constants.
    pub constant_bytes: usize,
    pub stack: u32,
    /// The program's functions by themselves, with the cache, the most cycles first.
    pub functions: Vec<FunctionCounts>,
}

/// Runs a program, watches a function, and returns what the program has written, too.
///
/// # Errors
///
/// The program is not loaded, or stops with a fault.
pub fn run(path: &Path, options: Options) -> Result<(Program, Run), String> {
    let file = fs::read(path).map_err(|error| error.to_string())?;
    let program = Program::read(&file).map_err(|error| error.to_string())?;
    let machine = Machine::new(Arc::new(program.clone()), options).map_err(|error| error.to_string())?;
    let run = machine.run().map_err(|report| report.to_string())?;
    Ok((program, run))
}

/// Options of a run with the cache or without it.
pub fn options(function: &str, has_cache: bool) -> Options {
    let line_fill = if has_cache { Costs::LINE_FILL } else { 0 };
    let costs = Costs { line_fill, ..Costs::E31 };
    let limit = 100_000_000_000;
    Options { costs, ram_bytes: RAM_BYTES, limit, watched: vec![function.to_owned()], ..Options::default() }
}

/// Measures an operation; `answers` has what it computes in other builds.
///
/// # Errors
///
/// A program that is not built or does not run, and another answer.
pub fn figure(
    builder: &Builder,
    way: Way,
    constants: Constants,
    operation: &'static Operation,
    answers: &mut HashMap<&'static str, Vec<u8>>,
) -> Result<Figure, String> {
    let call = Call::measured(operation);
    let path = builder.program(&way, constants, &text(std::slice::from_ref(&call), true))?;
    let (program, with) = run(&path, options(operation.function, true))?;
    let known = answers.entry(operation.name).or_insert_with(|| with.output.clone());
    if *known != with.output {
        return Err(format!("{} computes different things in different builds", operation.name));
    }
    let of_call = |run: &Run| {
        let call = run.calls.iter().find(|call| call.name == operation.function).cloned();
        call.ok_or_else(|| format!("{} is not called", operation.function))
    };
    let cached = of_call(&with)?;
    let is_shown = way == USUAL || operation.name == OPERATIONS[0].name;
    let without = is_shown.then(|| of_call(&run(&path, options(operation.function, false))?.1)).transpose()?;
    let variables: usize = call.parameters.iter().map(Vec::len).sum();
    let (code, data) = program.sizes();
    Ok(Figure {
        operation: operation.name,
        way,
        constants,
        cycles: cached.counts.cycles,
        cache_misses: cached.counts.cache_misses,
        cycles_without_cache: without.map(|call| call.counts.cycles),
        instructions: cached.counts.instructions,
        code,
        constant_bytes: data - variables,
        stack: cached.stack,
        functions: with.functions,
    })
}

/// The way in which steps are compared.
pub const USUAL: Way = Way { compiler: CLANG, march: "rv32imc", level: "-O2" };

/// A signature with constants in flash and in RAM.
pub fn of_step(builder: &Builder) -> Result<Vec<Figure>, String> {
    let mut answers = HashMap::new();
    let both = [Constants::Flash, Constants::Ram];
    both.into_iter().map(|constants| figure(builder, USUAL, constants, &OPERATIONS[0], &mut answers)).collect()
}

/// All operations, compilers, instruction sets and levels, with constants in RAM.
pub fn of_matrix(builder: &Builder, progress: &mut dyn FnMut(&str)) -> Result<Vec<Figure>, String> {
    let mut answers = HashMap::new();
    let mut figures = Vec::new();
    for compiler in [CLANG, GCC].into_iter().filter(super::build::Compiler::is_installed) {
        for march in ["rv32im", "rv32imc"] {
            for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
                let way = Way { compiler, march, level };
                progress(&format!("{} {march} {level}", compiler.name));
                for operation in &OPERATIONS {
                    figures.push(figure(builder, way, Constants::Ram, operation, &mut answers)?);
                }
            }
        }
    }
    Ok(figures)
}
