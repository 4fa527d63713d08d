//! How a function on words holds the values of a function on elements: what is said when the one is made from the other, for a
//! prover to check.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};

use crate::func::Value;

/// What words stand for what values. Nothing in it is to be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// The power of two that each word of an element counts.
    pub positions: Vec<u32>,
    /// The same of elements side by side, whose words are vectors with a lane for each.
    pub positions_beside: Vec<u32>,
    /// Whether the lowest bit of what a word of an element counts is at the word's top, and so on downwards.
    pub is_mirrored: bool,
    /// The words spell the element times this, modulo the field's prime.
    pub factor: BigUint,
    /// Whether the number that the words spell is less than the prime.
    pub is_reduced: bool,
    /// By the number of each value of the function on elements: its words, of an element as many as there are positions.
    pub values: Vec<Vec<Word>>,
    /// By the number of an instruction on elements: numbers on the way to its result, in the order in which they are computed.
    pub stages: BTreeMap<u32, Vec<Stage>>,
    /// What the words of an element may be in each slot, by the slot's number.
    pub slots: BTreeMap<u32, Vec<(BigInt, BigInt)>>,
}

impl Holding {
    /// The power of two that each word counts of so many elements side by side.
    pub fn positions_of(&self, lanes: u32) -> &[u32] {
        if lanes > 1 { &self.positions_beside } else { &self.positions }
    }
}

/// A value of the function on words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub value: Value,
    /// The least and the largest that it, or each lane of it, may be, of words of elements.
    pub range: Option<(BigInt, BigInt)>,
    /// How many low bits are 0 in it, or in each lane of it.
    pub zeros: u32,
}

/// A number on the way to an operation's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    pub part: Part,
    /// Its words, and the power of two that each counts.
    pub words: Vec<(Word, u32)>,
    /// What the number is less than.
    pub below: Option<BigUint>,
}

/// What a number on the way is, modulo the prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An operand, by its place among all.
    Operand(u32),
    /// The result.
    Result,
}
