//! The unknown words of executions: each is told from others by what it is and since when, and never by its name.

use std::fmt;

use culet_term::{Identity, Input, InputKind, Term, Terms};

/// What an unknown word is. In all executions of one proof, what is the same is one word, if it has the same width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// What registers hold, by their numbers.
    General(usize, Since),
    Vector(usize, Since),
    Mask(usize, Since),
    /// What memory holds at a distance from its base.
    Contents(Area, Since, i64),
    /// The address of memory, but for the zeros of its alignment.
    Base(Area),
    /// The same of what moves as one in the image, by its number.
    Anchor(usize),
    /// Where the function returns to.
    Return,
    /// Where the call at this address returns to, where the final link changes that.
    ReturnOfCall(u64),
    /// A word of a parameter, by the numbers of both.
    Given(usize, Stretch, i64),
    /// A number that is public.
    Count(Count),
    /// A bit of an element of a field, by the numbers of both.
    ElementBit(u32, u32),
    /// What stands for a term that both sides of a comparison share, by its number.
    Shared(usize),
}

/// Memory at an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// What an argument points to, by its number.
    Argument(usize),
    /// The same from the present turn of a loop on.
    FromTurn(usize),
    Stack,
}

/// Since when something is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    Entry,
    /// The head of a loop.
    Loop,
    /// A call, by its number in this part of a proof.
    Call(Stage, u64),
}

/// A part of a proof, which is executed by itself. What calls leave unknown in one is not what they leave in another, so that a
/// state may be carried from one to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// From the entry, be it to the return or to the head of a loop.
    Entry,
    Turn,
    LastTurn,
    Tail,
}

/// Words of a parameter that has any number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// From its start.
    Start,
    /// Before the present turn of a loop, and not known from the start.
    BeforeTurn,
    FromTurn,
}

/// What is counted in proofs about any number of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Periods beyond the least number.
    Periods,
    TurnsDone,
    /// Turns to come beyond the last.
    TurnsToCome,
}

/// A call as what it leaves unknown has it: since when, and the function's name, for people.
#[derive(Debug, Clone, Copy)]
pub struct After<'n> {
    pub stage: Stage,
    pub count: u64,
    pub function: &'n str,
}

/// What an input is, and its name, where there are no terms to ask.
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
            // What calls and earlier turns leave may be made of data.
            Unknown::General(_, since) | Unknown::Vector(_, since) | Unknown::Mask(_, since) => match since {
                Since::Entry => InputKind::Caller,
                Since::Loop | Since::Call(..) => InputKind::Data,
            },
            // What is carried from turn to turn on the stack is no such input.
            Unknown::Contents(Area::Stack, Since::Entry | Since::Loop, _) => InputKind::Caller,
            Unknown::Contents(..) | Unknown::Given(..) => InputKind::Data,
            Unknown::Base(_) | Unknown::Anchor(_) | Unknown::Return | Unknown::ReturnOfCall(_) => InputKind::Address,
            Unknown::Count(_) => InputKind::Count,
            Unknown::ElementBit(..) | Unknown::Shared(_) => InputKind::Word,
        }
    }

    /// Different numbers for what is different.
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
            Area::FromTurn(number) => 2 | (number as u64) << 2,
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
            Stage::Turn => "a turn",
            Stage::LastTurn => "the last turn",
            Stage::Tail => "the tail",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Neighbouring and extreme numbers in all places of all that is unknown.
    fn all() -> Vec<Unknown> {
        let stages = [Stage::Entry, Stage::Turn, Stage::LastTurn, Stage::Tail];
        let calls = stages.iter().flat_map(|&stage| [0, 1, u64::MAX].map(|count| Since::Call(stage, count)));
        let since: Vec<Since> = [Since::Entry, Since::Loop].into_iter().chain(calls).collect();
        let areas = [0, 1, 2, 3].into_iter().flat_map(|number| [Area::Argument(number), Area::FromTurn(number)]);
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
            for stretch in [Stretch::Start, Stretch::BeforeTurn, Stretch::FromTurn] {
                all.extend((0..3).map(|parameter| Unknown::Given(parameter, stretch, word)));
            }
        }
        all.extend([Count::Periods, Count::TurnsDone, Count::TurnsToCome].map(Unknown::Count));
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
