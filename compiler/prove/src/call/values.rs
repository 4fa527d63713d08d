//! What memory holds as callers see it: blocks, registers packed from blocks, and what a program means for blocks.
//!
//! A caller need not know what a program computes, only of what. So packed registers and results are unknown words with
//! names: equal names, equal contents. That names are equal wherever contents are is not needed.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use culet_term::{Term, Terms};
use culet_types::program::Var;

use crate::source::{Block, Form, Specification};

/// A parameter or result, and what is in a block of it.
pub struct Port<'p> {
    pub var: &'p Var,
    pub block: Block,
    pub shared: bool,
}

/// Numbers for values, the same for equal ones.
struct Numbers<T>(HashMap<T, u32>);

/// A block's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockId(u32);

/// What the program means for one block of each parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Application(u32);

/// What an array of registers holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Array {
    /// A parameter, by its index, packed from the blocks of the instances; from one block, if it is shared.
    Packed(usize, Vec<BlockId>),
    /// A result, by its index, of each instance.
    Result(usize, Vec<Application>),
}

pub struct Values<'p> {
    pub specification: Specification<'p>,
    pub results: Vec<Port<'p>>,
    pub parameters: Vec<Port<'p>>,
    blocks: Numbers<Vec<Term>>,
    applications: Numbers<Vec<BlockId>>,
    numbers: Numbers<Array>,
    arrays: Vec<(Rc<Array>, Rc<[Term]>)>,
    /// The array of which a word is a register.
    registers: HashMap<Term, usize>,
    outputs: HashMap<(usize, Application), Rc<[Term]>>,
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
            blocks: Numbers(HashMap::new()),
            applications: Numbers(HashMap::new()),
            numbers: Numbers(HashMap::new()),
            arrays: Vec::new(),
            registers: HashMap::new(),
            outputs: HashMap::new(),
        }
    }

    /// Blocks of a call.
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

    /// The words of a result's block.
    pub fn output(&mut self, terms: &mut Terms, result: usize, application: Application) -> Rc<[Term]> {
        let port = &self.results[result];
        let made = self.outputs.entry((result, application)).or_insert_with(|| {
            port.block.unknown(terms, &format!("{} of the program for {}", port.var.name, application.0)).into()
        });
        Rc::clone(made)
    }

    /// The words of an array of registers.
    pub fn array(&mut self, terms: &mut Terms, array: Array) -> Rc<[Term]> {
        let number = self.numbers.of(array.clone()) as usize;
        if let Some((_, words)) = self.arrays.get(number) {
            return Rc::clone(words);
        }
        let bits = self.specification.layout.register_bits;
        let (port, is_result) = match array {
            Array::Packed(index, _) => (&self.parameters[index], false),
            Array::Result(index, _) => (&self.results[index], true),
        };
        let bytes = self.specification.bytes(port.var, Form::Registers, is_result);
        let count = 8 * bytes / u64::from(bits);
        let words: Rc<[Term]> = (0..count)
            .map(|index| terms.input(&format!("array {number} of registers of {}[{index}]", port.var.name), bits))
            .collect();
        self.registers.extend(words.iter().map(|&word| (word, number)));
        self.arrays.push((Rc::new(array), Rc::clone(&words)));
        words
    }

    /// The array that these words are, whole and in order.
    pub fn recognise(&self, words: &[Term]) -> Option<Rc<Array>> {
        let &number = self.registers.get(words.first()?)?;
        let (array, all) = &self.arrays[number];
        (all[..] == *words).then(|| Rc::clone(array))
    }
}
