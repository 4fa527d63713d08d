//! The arguments of a function in memory, and the states in which it is executed with them.

use culet_image::Image;
use culet_term::{Term, Terms};

use crate::attempt::Attempt;
use crate::execute::Execution;
use crate::memory::{Memory, Permission, RegionId};
use crate::rejection::Rejection;
use crate::symbolic::Symbolic;
use crate::unknown::Area;

/// Memory of the arguments, and the region of each argument; an argument that is no pointer has none.
#[derive(Clone)]
pub(crate) struct Arguments<'i, W = Term> {
    pub memory: Memory<'i, W>,
    pub regions: Vec<Option<RegionId>>,
}

impl<'i, W: Clone + PartialEq> Arguments<'i, W> {
    pub fn new(image: &'i Image, terms: &mut Terms) -> Arguments<'i, W> {
        Arguments { memory: Memory::new(image, terms), regions: Vec::new() }
    }

    /// Adds memory for an argument.
    pub fn add_memory(
        &mut self,
        terms: &mut Terms,
        area: (Area, &str),
        bytes: i64,
        alignment: u64,
        is_written: bool,
    ) -> RegionId {
        let permission = if is_written { Permission::Write } else { Permission::Read };
        self.memory.add(terms, area, 0..bytes, alignment, permission)
    }

    /// Adds an argument that points to memory of its own.
    pub fn add_pointer(
        &mut self,
        terms: &mut Terms,
        area: (Area, &str),
        bytes: i64,
        alignment: u64,
        is_written: bool,
    ) -> RegionId {
        let region = self.add_memory(terms, area, bytes, alignment, is_written);
        self.regions.push(Some(region));
        region
    }

    /// Adds an argument that is a word.
    pub fn add_word(&mut self) {
        self.regions.push(None);
    }

    /// Returns the state at the function's entry. `words` are the arguments that are no pointers, in order.
    pub fn enter<V: Symbolic<Word = W>>(
        &self,
        values: &mut V,
        attempt: &Attempt,
        words: impl IntoIterator<Item = Term>,
    ) -> Execution<'i, W> {
        let (terms, mut words) = (values.terms_mut(), words.into_iter());
        let argument = |region: &Option<RegionId>| match region {
            Some(region) => Some(self.memory.address(terms, *region, 0)),
            None => words.next(),
        };
        let registers: Vec<Term> = self.regions.iter().filter_map(argument).collect();
        Execution::new(values, self.memory.clone(), attempt.entry, &registers, &attempt.frame)
    }

    /// Returns the state of an execution with this memory in place of that of its arguments, and with a stack at the
    /// same address of which nothing is known. Its instructions are counted anew.
    ///
    /// # Errors
    ///
    /// If the execution had other arguments.
    pub fn resume<V: Symbolic<Word = W>>(
        &self,
        values: &mut V,
        earlier: &Execution<'i, W>,
    ) -> Result<Execution<'i, W>, Rejection> {
        let mut memory = self.memory.clone();
        let stack = memory.add_stack_of(values.terms_mut(), &earlier.memory, earlier.stack);
        if stack != earlier.stack {
            return Err(Rejection::Loop("the stack is not the region that it was".into()));
        }
        let mut execution = earlier.clone();
        (execution.memory, execution.steps, execution.steps_of_callees) = (memory, 0, 0);
        Ok(execution)
    }
}
