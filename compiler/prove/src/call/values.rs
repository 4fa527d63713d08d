//! Contents of memory as callers see them: blocks, registers packed from blocks, and the results of a program for blocks.
//!
//! A caller need not know what a program computes, only of what. So packed registers and results are unknown
//! words: in one execution, equal words, equal contents. That words are equal wherever contents are is not needed.
//!
//! Contents that depend on the blocks of a call are identified by the time of their making, so that executions on other
//! numbers of blocks use the same words for other contents. They are forgotten when the next execution begins. Registers
//! packed from shared parameters are carried from one execution to the next, and are identified by their contents.

use std::hash::Hash;
use std::rc::Rc;

use culet_term::{InputKind, Term, Terms};
use culet_types::program::Var;
use rustc_hash::FxHashMap;

use crate::source::{Block, Form, Specification};
use crate::unknown::Stage;

/// A parameter or result, with the shape of its blocks.
pub struct Port<'p> {
    pub var: &'p Var,
    pub block: Block,
    pub shared: bool,
}

/// Numbers of values; equal values have the same number.
struct Numbers<T>(FxHashMap<T, u32>);

/// The number of a block's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockId(u32);

/// The number of the program's results for one block of each parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Application(u32);

/// Contents of an array of registers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Array {
    /// A parameter, by its index, packed from the blocks of the instances; from one block, if it is shared.
    Packed(usize, Vec<BlockId>),
    /// A result, by its index, of each instance.
    Result(usize, Vec<Application>),
}

/// Distinguishes an array's words from those of other arrays of the same variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Making {
    Shared(u32),
    /// When it was made in a part of the proof.
    Made(Stage, u32),
}

pub struct Values<'p> {
    pub specification: Specification<'p>,
    pub results: Vec<Port<'p>>,
    pub parameters: Vec<Port<'p>>,
    blocks: Numbers<Vec<Term>>,
    applications: Numbers<Vec<BlockId>>,
    shared: Numbers<Array>,
    /// Arrays that were made in this execution or are shared, by their first word: the contents, and all words.
    arrays: FxHashMap<Term, (Rc<Array>, Rc<[Term]>)>,
    words: FxHashMap<(Making, usize), Rc<[Term]>>,
    /// The part of the proof that is executed, and the number of arrays made in it so far.
    stage: Stage,
    made: u32,
    outputs: FxHashMap<(usize, Application), Rc<[Term]>>,
}

impl<T: Eq + Hash> Numbers<T> {
    fn of(&mut self, value: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(value).or_insert(next)
    }
}

impl<'p> Values<'p> {
    pub fn new(specification: Specification<'p>) -> Values<'p> {
        let port = |(var, is_result): (&'p Var, bool)| {
            let shared = var.shared && !is_result;
            (Port { var, block: Block::new(&specification, var), shared }, is_result)
        };
        let (results, parameters): (Vec<_>, Vec<_>) =
            specification.variables().map(port).partition(|&(_, is_result)| is_result);
        let ports = |ports: Vec<(Port<'p>, bool)>| ports.into_iter().map(|(port, _)| port).collect();
        Values {
            specification,
            results: ports(results),
            parameters: ports(parameters),
            blocks: Numbers(FxHashMap::default()),
            applications: Numbers(FxHashMap::default()),
            shared: Numbers(FxHashMap::default()),
            arrays: FxHashMap::default(),
            words: FxHashMap::default(),
            stage: Stage::Entry,
            made: 0,
            outputs: FxHashMap::default(),
        }
    }

    /// Returns the number of blocks of a call.
    pub fn instances(&self) -> u32 {
        self.specification.layout.instances()
    }

    pub fn parameter(&self, var: &Var) -> Option<usize> {
        self.parameters.iter().position(|port| std::ptr::eq(port.var, var))
    }

    pub fn result(&self, var: &Var) -> Option<usize> {
        self.results.iter().position(|port| std::ptr::eq(port.var, var))
    }

    pub fn block(&mut self, words: Vec<Term>) -> BlockId {
        BlockId(self.blocks.of(words))
    }

    pub fn apply(&mut self, blocks: Vec<BlockId>) -> Application {
        Application(self.applications.of(blocks))
    }

    /// Returns the words of a result's block.
    pub fn output(&mut self, terms: &mut Terms, result: usize, application: Application) -> Rc<[Term]> {
        let port = &self.results[result];
        let made = self.outputs.entry((result, application)).or_insert_with(|| {
            port.block.unknown(terms, &format!("{} of the program for {}", port.var.name, application.0)).into()
        });
        Rc::clone(made)
    }

    /// Begins an execution of a part.
    pub fn begin(&mut self, stage: Stage) {
        (self.stage, self.made) = (stage, 0);
        let parameters = &self.parameters;
        self.arrays.retain(|_, (array, _)| array.is_shared(parameters));
    }

    /// Returns the words of an array of registers.
    pub fn array(&mut self, terms: &mut Terms, array: Array) -> Rc<[Term]> {
        let making = if array.is_shared(&self.parameters) {
            Making::Shared(self.shared.of(array.clone()))
        } else {
            self.made += 1;
            Making::Made(self.stage, self.made)
        };
        let (index, port, is_result) = match array {
            Array::Packed(index, _) => (index, &self.parameters[index], false),
            Array::Result(index, _) => (index, &self.results[index], true),
        };
        let specification = &self.specification;
        let words = self.words.entry((making, index)).or_insert_with(|| {
            let bits = specification.layout.register_bits;
            let count = 8 * specification.bytes(port.var, Form::Registers, is_result) / u64::from(bits);
            let (label, variable) = (making.label(), &port.var.name);
            let name = |index| format!("array {label} of registers of {variable}[{index}]");
            (0..count).map(|index| terms.fresh(InputKind::Data, &name(index), bits)).collect()
        });
        let words = Rc::clone(words);
        if let Some(&first) = words.first() {
            self.arrays.insert(first, (Rc::new(array), Rc::clone(&words)));
        }
        words
    }

    /// Returns the array that these words are, whole and in order.
    pub fn recognise(&self, words: &[Term]) -> Option<Rc<Array>> {
        let (array, all) = self.arrays.get(words.first()?)?;
        (all[..] == *words).then(|| Rc::clone(array))
    }
}

impl Array {
    /// Whether all instances share the array.
    fn is_shared(&self, parameters: &[Port]) -> bool {
        matches!(self, Array::Packed(index, _) if parameters[*index].shared)
    }
}

impl Making {
    fn label(self) -> String {
        match self {
            Making::Shared(number) => number.to_string(),
            Making::Made(stage, number) => format!("{number} of {stage},"),
        }
    }
}
