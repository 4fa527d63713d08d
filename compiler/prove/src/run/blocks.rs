//! A function from bytes to bytes under one assumption about the stack pointer: the blocks of its arguments, and its
//! executions on a number of them.

use std::rc::Rc;

use culet_image::Image;
use culet_term::{Term, Terms};

use crate::arguments::Arguments;
use crate::attempt::Attempt;
use crate::call::values::{BlockId, Port, Values};
use crate::call::{Called, Calls};
use crate::erasure::stack_use;
use crate::execute::{Execution, Pause, passed};
use crate::loops::{Counting, Deciding, Executed};
use crate::memory::{Memory, RegionId};
use crate::rejection::Rejection;
use crate::source::Specification;
use crate::theorem::{Argument, OnBytes, Proved, Theorem};
use crate::unknown::{Area, Stage};

/// Width in bits of a number of blocks. A proof for all numbers holds for those below 2^46, as many as memory could
/// hold.
pub const LENGTH_BITS: u32 = 46;

/// Number of blocks that a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// The number in its last argument.
    Any,
    /// The blocks of one call.
    Fixed,
}

/// A range of blocks: from the start of the arguments on, or from the current iteration of the loop on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Start,
    Iteration,
}

impl Part {
    fn label(self) -> &'static str {
        match self {
            Part::Start => "",
            Part::Iteration => ", from this iteration on",
        }
    }
}

/// A function under one assumption about the stack pointer.
pub(super) struct OnBlocks<'i, 'p, 'a> {
    image: &'i Image,
    attempt: Attempt<'a, 'i>,
    pub terms: Terms,
    pub calls: Calls<'i, 'a, Values<'p>>,
    blocks: Blocks,
    pub proved: Proved,
    /// Blocks of parameters, at the start and from an iteration on, by parameter.
    known: [Vec<Vec<KnownBlock>>; 2],
    /// The unknown number on which branches may depend.
    number: Option<Term>,
}

/// The words of a block, and its number.
type KnownBlock = (Rc<[Term]>, BlockId);

impl<'i, 'p, 'a> OnBlocks<'i, 'p, 'a> {
    pub fn new(
        image: &'i Image,
        specification: &Specification<'p>,
        theorems: &'a [Theorem<'p>],
        blocks: Blocks,
        attempt: Attempt<'a, 'i>,
    ) -> Self {
        let values = Values::new(*specification);
        let none = vec![Vec::new(); values.parameters.len()];
        let callee = |theorem: &'a Theorem<'p>| {
            let Theorem { address, symbol, purpose, proved } = theorem;
            Called { address: *address, symbol, proved, kept: proved.unchanged.clone(), says: *purpose }
        };
        let calls = Calls::new(image, theorems.iter().map(callee).collect(), values);
        let (terms, proved) = (Terms::new(), Proved { phases: 1, ..Proved::default() });
        OnBlocks { image, attempt, terms, calls, blocks, proved, known: [none.clone(), none], number: None }
    }

    /// Returns results, then parameters: the order of arguments.
    pub fn ports(&self) -> impl Iterator<Item = &Port<'p>> {
        self.calls.effects.results.iter().chain(&self.calls.effects.parameters)
    }

    /// Returns the number of blocks that one call of the function on registers handles.
    pub fn batch(&self) -> i64 {
        i64::from(self.calls.effects.instances())
    }

    /// Returns memory of `count` blocks of each argument, with its contents at the entry or at the head of the loop,
    /// and the regions of the results, then of the parameters.
    pub fn memory(&mut self, part: Part, count: i64) -> (Arguments<'i>, Vec<RegionId>) {
        let mut arguments = Arguments::new(self.image, &mut self.terms);
        let mut regions = Vec::new();
        let results = self.calls.effects.results.len();
        for index in 0..results + self.calls.effects.parameters.len() {
            let (name, length, shared) = {
                let port = self.ports().nth(index).map(|port| (&port.var.name, port.block.length, port.shared));
                let Some((name, length, shared)) = port else { continue };
                (name.clone(), length, shared)
            };
            let (label, blocks) = if shared { ("", 1) } else { (part.label(), count) };
            let name = format!("bytes of {name}{label}");
            let area = if shared || part == Part::Start { Area::Argument(index) } else { Area::FromIteration(index) };
            let is_written = index < results;
            let region = arguments.add_pointer(&mut self.terms, (area, &name), blocks * length, 1, is_written);
            regions.push(region);
            if !is_written {
                for block in 0..blocks {
                    self.put_block(&mut arguments.memory, region, (part, index - results), block);
                }
            }
        }
        for (result, parameter) in self.pairs_in_place() {
            arguments.memory.may_coincide(regions[results + parameter], regions[result]);
        }
        if self.blocks == Blocks::Any {
            arguments.add_word();
        }
        (arguments, regions)
    }

    fn put_block(&mut self, memory: &mut Memory, region: RegionId, parameter: (Part, usize), block: i64) {
        let (words, _) = self.block(parameter, block);
        let shape = &self.calls.effects.parameters[parameter.1].block;
        for ((offset, _), word) in shape.words().zip(&words[..]) {
            memory.set(&mut self.terms, region, block * shape.length + offset, *word);
        }
    }

    /// Returns the contents of a block of a parameter.
    fn block(&mut self, (part, parameter): (Part, usize), block: i64) -> KnownBlock {
        let port = &self.calls.effects.parameters[parameter];
        let (part, block) = if port.shared { (Part::Start, 0) } else { (part, block) };
        while self.known[part as usize][parameter].len() as i64 <= block {
            let port = &self.calls.effects.parameters[parameter];
            let number = self.known[part as usize][parameter].len();
            let name = format!("block {number} of {}{}", port.var.name, part.label());
            let words = port.block.unknown(&mut self.terms, &name);
            let id = self.calls.effects.block(words.clone());
            self.known[part as usize][parameter].push((words.into(), id));
        }
        self.known[part as usize][parameter][block as usize].clone()
    }

    /// Returns the results and parameters whose blocks have the same size: they may be one memory.
    fn pairs_in_place(&self) -> Vec<(usize, usize)> {
        let values = &self.calls.effects;
        let mut pairs = Vec::new();
        for (result, written) in values.results.iter().enumerate() {
            for (parameter, read) in values.parameters.iter().enumerate() {
                if !read.shared && read.block.length == written.block.length {
                    pairs.push((result, parameter));
                }
            }
        }
        pairs
    }

    /// Returns the state at the entry, with memory of `count` blocks, and the regions of the results and parameters;
    /// `length` is the value of the last argument.
    pub fn enter(&mut self, count: i64, length: Term) -> (Execution<'i>, Vec<RegionId>) {
        let (arguments, regions) = self.memory(Part::Start, count);
        (arguments.enter(&mut self.terms, &self.attempt, [length]), regions)
    }

    /// Executes the function from its entry to its return on `count` blocks, and checks the results.
    pub fn whole(&mut self, count: i64) -> Result<(), Rejection> {
        let length = self.terms.constant_u64(64, count as u64);
        let (mut execution, regions) = self.enter(count, length);
        self.begin(Stage::Entry, None);
        self.go(&mut execution, None)?;
        self.check_results(&mut execution, &regions, Part::Start, count)?;
        self.finish(&execution);
        Ok(())
    }

    /// Begins an execution of a part of the proof. Branches may depend on `number`, which stands for every number of
    /// its width.
    pub fn begin(&mut self, stage: Stage, number: Option<Term>) {
        self.calls.begin(stage);
        self.number = number;
    }

    /// Continues an execution to the return, or to the address `until`.
    pub fn go(&mut self, execution: &mut Execution<'i>, until: Option<u64>) -> Result<Pause, Rejection> {
        let mut deciding = Deciding::new(&mut self.calls, self.number);
        self.attempt.run(&mut self.terms, execution, &mut deciding, until)
    }

    /// Executes the function to its return, and returns how often each instruction was executed.
    pub fn counted(&mut self, execution: &mut Execution<'i>) -> Result<Executed, Rejection> {
        let mut counting = Counting::new(&mut self.calls);
        self.attempt.run(&mut self.terms, execution, &mut counting, None)?;
        Ok(counting.executed)
    }

    /// Checks that each block of the results is what the program means for that block of the parameters.
    pub fn check_results(
        &mut self,
        execution: &mut Execution,
        regions: &[RegionId],
        part: Part,
        count: i64,
    ) -> Result<(), Rejection> {
        let parameters = self.calls.effects.parameters.len();
        for block in 0..count {
            let blocks = (0..parameters).map(|parameter| self.block((part, parameter), block).1).collect();
            let application = self.calls.effects.apply(blocks);
            for (result, &region) in regions.iter().enumerate().take(self.calls.effects.results.len()) {
                let expected = self.calls.effects.output(&mut self.terms, result, application);
                let port = &self.calls.effects.results[result];
                for ((offset, bytes), &expected) in port.block.words().zip(&expected[..]) {
                    let at = block * port.block.length + offset;
                    if execution.memory.get(&mut self.terms, region, at, bytes) != expected {
                        let argument = format!("bytes of {}{} ({count} blocks)", port.var.name, part.label());
                        return Err(Rejection::Block { argument, byte: at as u64 });
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what an execution used that has returned. Residue that callees leave on their own stacks is counted apart.
    pub fn finish(&mut self, execution: &Execution<'i>) {
        let (_, own) = stack_use(&self.terms, execution, &self.attempt.frame);
        self.proved.residue = self.proved.residue.max(own + self.calls.residue);
        self.finish_part(execution);
    }

    /// Adds what a part of an execution used.
    pub fn finish_part(&mut self, execution: &Execution<'i>) {
        self.proved.take_in(execution, &self.attempt.frame);
    }

    /// Returns what was proved, with the assumptions of the callees' proofs.
    pub fn finished(self) -> Proved {
        Proved { reliance: self.calls.reliance, ..self.proved }
    }

    /// Returns the arguments as the verdict lists them.
    pub fn arguments(&self) -> Vec<Argument> {
        let results = self.calls.effects.results.len();
        let argument = |(index, port): (usize, &Port)| {
            let name = &port.var.name;
            let name = if port.shared { format!("bytes of {name}") } else { format!("each block of {name}") };
            Argument {
                name,
                place: passed(index),
                is_word: false,
                bytes: port.block.length as u64,
                alignment: 1,
                is_written: index < results,
                layout: self.calls.effects.specification.block_layout(port.var),
            }
        };
        let mut arguments: Vec<Argument> = self.ports().enumerate().map(argument).collect();
        if self.blocks == Blocks::Any {
            arguments.push(Argument {
                name: "the number of blocks".to_owned(),
                place: passed(arguments.len()),
                is_word: true,
                bytes: 8,
                alignment: 1,
                is_written: false,
                layout: format!("below 2^{LENGTH_BITS}"),
            });
        }
        arguments
    }

    pub fn on_bytes(&self) -> OnBytes {
        let values = &self.calls.effects;
        let name = |port: &Port| port.var.name.clone();
        let pairs = self.pairs_in_place().into_iter();
        OnBytes {
            batch: (self.blocks == Blocks::Any).then_some(self.batch() as u64),
            in_place: pairs.map(|(r, p)| (name(&values.results[r]), name(&values.parameters[p]))).collect(),
        }
    }
}
