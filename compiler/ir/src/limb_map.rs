//! Claims about how a function on words holds the values of a function on elements. They are made when one function is
//! made from the other, for a prover to check.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};

use crate::func::Value;

/// The words that stand for values. Nothing in it is to be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimbMap {
    /// The weight of each word of an element, as an exponent of two.
    pub positions: Vec<u32>,
    /// The weights of the words of elements side by side, which are vectors with a lane for each element.
    pub positions_beside: Vec<u32>,
    /// Whether words are mirrored: the lowest bit of the number in a word is at the word's top, and so on downwards.
    pub is_mirrored: bool,
    /// The factor by which the number that the words spell is the element multiplied, modulo the field's prime.
    pub factor: BigUint,
    /// Whether the number that the words spell is less than the prime.
    pub is_reduced: bool,
    /// By the number of each value of the function on elements: its words, as many as there are positions for an
    /// element.
    pub values: Vec<Vec<Word>>,
    /// By the number of an instruction on elements: numbers on the way to its result, in the order in which they are
    /// computed.
    pub stages: BTreeMap<u32, Vec<Stage>>,
    /// Bounds of the words of an element in each slot, by the slot's number.
    pub slots: BTreeMap<u32, Vec<(BigInt, BigInt)>>,
    /// Of each slot of elements, whether eight of them stand side by side in it: the first words of all eight, then the second ones, and so on.
    pub beside: Vec<bool>,
}

impl LimbMap {
    /// The weight of each word of this many elements side by side, as an exponent of two.
    pub fn positions_of(&self, lanes: u32) -> &[u32] {
        if lanes > 1 { &self.positions_beside } else { &self.positions }
    }
}

/// A value of the function on words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub value: Value,
    /// The least and the largest value of the word, or of each lane of it, for words of elements.
    pub range: Option<(BigInt, BigInt)>,
    /// Number of low bits that are 0 in the word, or in each lane of it.
    pub zeros: u32,
}

/// A number on the way to an operation's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    pub part: Part,
    /// Its words, and the weight of each as an exponent of two.
    pub words: Vec<(Word, u32)>,
    /// Exclusive upper bound of the number.
    pub below: Option<BigUint>,
}

/// The value of a number on the way, modulo the prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An operand, by its place among all.
    Operand(u32),
    /// The result.
    Result,
}
