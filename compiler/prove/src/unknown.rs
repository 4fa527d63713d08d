//! The unknown words of executions. A word is identified by its role and by the time since when it is unknown, never by
//! its name.

use std::fmt;

use culet_term::{Identity, Input, InputKind, Term, Terms};

/// The role of an unknown word. Within one proof, two words with equal roles and widths are one word in all executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The contents of a register, by its number.
    General(usize, Since),
    Vector(usize, Since),
    Mask(usize, Since),
    /// The contents of memory at an offset in bytes from its base.
    Contents(Area, Since, i64),
    /// The base address of memory, without the zero bits of its alignment.
    Base(Area),
    /// The address of a part of the image that the loader moves as a whole, by the part's number.
    Anchor(usize),
    /// The return address of the function.
    Return,
    /// The return address of the call at this address, if the final link changes it.
    ReturnOfCall(u64),
    /// A word of a parameter, by the numbers of both.
    Given(usize, Stretch, i64),
    /// A number that is public.
    Count(Count),
    /// A bit of an element of a field, by the numbers of both.
    ElementBit(u32, u32),
    /// The stand-in for a term that both sides of a comparison share, by its number.
    Shared(usize),
}

/// Memory at an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// The memory that an argument points to, by the argument's number.
    Argument(usize),
    /// The memory that an argument points to, where everybody may know what it holds.
    PublicArgument(usize),
    /// The part of an argument's memory from the present iteration of a loop on.
    FromIteration(usize),
    Stack,
}

/// The time since when a word is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    Entry,
    /// The head of a loop.
    Loop,
    /// A call, by its number in this part of a proof.
    Call(Stage, u64),
}

/// A part of a proof that is executed by itself. Calls leave other unknown words in each part, so that a state may be
/// carried from one part to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// From the entry to the return, or to the head of a loop.
    Entry,
    Iteration,
    LastIteration,
    Tail,
}

/// Words of a parameter that has any number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// From its start.
    Start,
    /// Before the present iteration of a loop, at a distance from the start that is not known.
    BeforeIteration,
    FromIteration,
}

/// Public counters in proofs about any number of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Periods beyond the least number.
    Periods,
    IterationsDone,
    /// Iterations that follow the present one, without the last one.
    IterationsToCome,
}

/// A call, to identify the unknown words that it leaves. The function's name is for people.
#[derive(Debug, Clone, Copy)]
pub struct After<'n> {
    pub stage: Stage,
    pub count: u64,
    pub function: &'n str,
}

/// The kind and the name of an input, for use without the graph of terms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    pub name: String,
    pub kind: InputKind,
}

impl Named {
    pub fn of(terms: &Terms, input: Input) -> Named {
        Named { name: terms.name(input).to_owned(), kind: terms.kind(input) }
    }
}

impl Unknown {
    pub fn word(self, terms: &mut Terms, name: &str, bits: u32) -> Term {
        terms.input(Identity { kind: self.kind(), key: self.key() }, name, bits)
    }

    fn kind(self) -> InputKind {
        match self {
            // Values left by calls and earlier iterations may be computed from data.
            Unknown::General(_, since) | Unknown::Vector(_, since) | Unknown::Mask(_, since) => match since {
                Since::Entry => InputKind::Caller,
                Since::Loop | Since::Call(..) => InputKind::Data,
            },
            // Data that is carried on the stack between iterations is not such an input.
            Unknown::Contents(Area::Stack, Since::Entry | Since::Loop, _) => InputKind::Caller,
            Unknown::Contents(Area::PublicArgument(_), Since::Entry, _) => InputKind::Public,
            Unknown::Contents(..) | Unknown::Given(..) => InputKind::Data,
            Unknown::Base(_) | Unknown::Anchor(_) | Unknown::Return | Unknown::ReturnOfCall(_) => InputKind::Address,
            Unknown::Count(_) => InputKind::Count,
            Unknown::ElementBit(..) | Unknown::Shared(_) => InputKind::Word,
        }
    }

    /// Numbers that differ for different roles.
    fn key(self) -> [u64; 4] {
        match self {
            Unknown::General(number, since) => [0, number as u64, since.stage(), since.count()],
            Unknown::Vector(number, since) => [1, number as u64, since.stage(), since.count()],
            Unknown::Mask(number, since) => [2, number as u64, since.stage(), since.count()],
            // Three bits are enough for a time's stage, and for a kind of area two.
            Unknown::Contents(area, since, offset) => {
                [3 | since.stage() << 8, area.key(), since.count(), offset as u64]
            }
            Unknown::Base(area) => [4, area.key(), 0, 0],
            Unknown::Anchor(number) => [5, number as u64, 0, 0],
            Unknown::Return => [6, 0, 0, 0],
            Unknown::ReturnOfCall(address) => [7, address, 0, 0],
            Unknown::Given(parameter, stretch, word) => [8, parameter as u64, stretch as u64, word as u64],
            Unknown::Count(count) => [9, count as u64, 0, 0],
            Unknown::ElementBit(element, bit) => [10, element.into(), bit.into(), 0],
            Unknown::Shared(number) => [11, number as u64, 0, 0],
        }
    }
}

impl Area {
    fn key(self) -> u64 {
        match self {
            Area::Stack => 0,
            Area::Argument(number) => 1 | (number as u64) << 2,
            Area::FromIteration(number) => 2 | (number as u64) << 2,
            Area::PublicArgument(number) => 3 | (number as u64) << 2,
        }
    }
}

impl Since {
    fn stage(self) -> u64 {
        match self {
            Since::Entry => 0,
            Since::Loop => 1,
            Since::Call(stage, _) => 2 + stage as u64,
        }
    }

    fn count(self) -> u64 {
        match self {
            Since::Entry | Since::Loop => 0,
            Since::Call(_, count) => count,
        }
    }
}

impl After<'_> {
    pub fn since(self) -> Since {
        Since::Call(self.stage, self.count)
    }
}

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let After { stage, count, function } = self;
        write!(f, " after call {count} of {stage}, {function}")
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Entry => "the entry",
            Stage::Iteration => "an iteration",
            Stage::LastIteration => "the last iteration",
            Stage::Tail => "the tail",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Roles of every variant, with neighbouring and extreme numbers.
    fn all() -> Vec<Unknown> {
        let stages = [Stage::Entry, Stage::Iteration, Stage::LastIteration, Stage::Tail];
        let calls = stages.iter().flat_map(|&stage| [0, 1, u64::MAX].map(|count| Since::Call(stage, count)));
        let since: Vec<Since> = [Since::Entry, Since::Loop].into_iter().chain(calls).collect();
        let areas = [0, 1, 2, 3]
            .into_iter()
            .flat_map(|number| [Area::Argument(number), Area::FromIteration(number), Area::PublicArgument(number)]);
        let areas: Vec<Area> = areas.chain([Area::Stack]).collect();
        let mut all = vec![Unknown::Return];
        for &since in &since {
            all.extend((0..3).flat_map(|i| [Unknown::General(i, since), Unknown::Vector(i, since)]));
            all.extend((0..3).map(|i| Unknown::Mask(i, since)));
            let offsets = [i64::MIN, -1, 0, 1, 256];
            all.extend(areas.iter().flat_map(|&area| offsets.map(|offset| Unknown::Contents(area, since, offset))));
        }
        all.extend(areas.iter().map(|&area| Unknown::Base(area)));
        for i in 0..3 {
            let (number, word) = (i as usize, i64::from(i));
            all.extend([Unknown::Anchor(number), Unknown::Shared(number), Unknown::ReturnOfCall(i.into())]);
            all.extend((0..3).map(|bit| Unknown::ElementBit(i, bit)));
            for stretch in [Stretch::Start, Stretch::BeforeIteration, Stretch::FromIteration] {
                all.extend((0..3).map(|parameter| Unknown::Given(parameter, stretch, word)));
            }
        }
        all.extend([Count::Periods, Count::IterationsDone, Count::IterationsToCome].map(Unknown::Count));
        all
    }

    #[test]
    fn what_differs_is_another_word() {
        let mut keys: BTreeMap<[u64; 4], Unknown> = BTreeMap::new();
        for unknown in all() {
            if let Some(other) = keys.insert(unknown.key(), unknown) {
                panic!("{unknown:?} and {other:?} are one word");
            }
        }
    }
}
