//! Counts by function, and by call of functions that somebody watches.

use crate::timing::Counts;

/// Counts of a function's own instructions, without those of functions that it calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionCounts {
    pub name: String,
    pub counts: Counts,
    /// The deepest stack while the function ran, in bytes below the highest stack pointer of the program.
    pub stack: u32,
}

/// One call of a function that is watched, with everything that it calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub counts: Counts,
    /// Bytes of stack below the caller's stack pointer.
    pub stack: u32,
}

/// A call that has not returned.
#[derive(Debug)]
struct Open {
    name: String,
    before: Counts,
    back: u32,
    stack_pointer: u32,
    lowest: u32,
}

/// What is counted while a program runs.
#[derive(Debug)]
pub(crate) struct Profile {
    /// One for each function of the program, and one for what is in none.
    functions: Vec<FunctionCounts>,
    current: usize,
    before: Counts,
    highest: u32,
    lowest: u32,
    open: Vec<Open>,
    calls: Vec<Call>,
}

impl Profile {
    /// Counts for functions of these names.
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let named = |name| FunctionCounts { name, ..FunctionCounts::default() };
        let functions: Vec<_> = names.chain(["(no function)".to_owned()]).map(named).collect();
        Self {
            current: functions.len() - 1,
            functions,
            before: Counts::default(),
            highest: 0,
            lowest: u32::MAX,
            open: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// Says that the program is in another function from now on: the place of its counts, none for what is in no function.
    pub(crate) fn switch(&mut self, now: &Counts, function: Option<usize>) {
        self.functions[self.current].counts.add(&now.since(&self.before));
        self.before = *now;
        self.current = function.unwrap_or(self.functions.len() - 1);
    }

    /// Says what the stack pointer is now.
    #[inline(always)]
    pub(crate) fn stack_pointer(&mut self, value: u32) {
        self.highest = self.highest.max(value);
        let function = &mut self.functions[self.current];
        function.stack = function.stack.max(self.highest - value);
        self.lowest = self.lowest.min(value);
        if let Some(open) = self.open.last_mut() {
            open.lowest = open.lowest.min(value);
        }
    }

    /// Says that a watched function begins, and where it will return to.
    pub(crate) fn enter(&mut self, name: &str, now: &Counts, back: u32, stack_pointer: u32) {
        let name = name.to_owned();
        self.open.push(Open { name, before: *now, back, stack_pointer, lowest: stack_pointer });
    }

    /// Says that the program jumps to a place, which may be the end of a call.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, place: u32, now: &Counts, stack_pointer: u32) {
        while self.open.last().is_some_and(|open| open.back == place && open.stack_pointer == stack_pointer) {
            let Some(open) = self.open.pop() else { return };
            if let Some(outer) = self.open.last_mut() {
                outer.lowest = outer.lowest.min(open.lowest);
            }
            let counts = now.since(&open.before);
            self.calls.push(Call { name: open.name, counts, stack: open.stack_pointer - open.lowest });
        }
    }

    /// Bytes of stack that the whole program has used.
    pub(crate) fn stack(&self) -> u32 {
        self.highest.saturating_sub(self.lowest)
    }

    pub(crate) fn finish(mut self, now: &Counts) -> (Vec<FunctionCounts>, Vec<Call>) {
        self.switch(now, None);
        self.functions.retain(|function| function.counts.instructions > 0);
        self.functions.sort_by_key(|function| std::cmp::Reverse(function.counts.cycles));
        (self.functions, self.calls)
    }
}
