//! Words of symbolic execution: addresses and constants are terms, whatever represents the contents of memory.

use std::hash::Hash;

use culet_decide::bits::{self, Budget, Comparison};
use culet_isa::Values;
use culet_term::{Assignment, Input, InputKind, Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::unknown::Named;

/// A domain in which a function is executed and its source is evaluated.
pub trait Symbolic: Values<Word: Eq + Hash> {
    fn terms(&self) -> &Terms;

    fn terms_mut(&mut self) -> &mut Terms;

    fn word(&self, term: Term) -> Self::Word;

    /// Returns the term that a word is; `None` for a word that is made from data and is no constant.
    fn term(&self, word: &Self::Word) -> Option<Term>;

    /// Returns the width of a word in bits.
    fn width(&self, word: &Self::Word) -> u32;

    /// Data that memory holds at the entry: a new input, under a name for people.
    fn unknown(&mut self, name: &str, bits: u32) -> Self::Word;

    /// A word of `bits` bits that others may have written at any time, each time that it is read; `None` where no word is known as little about.
    fn anything(&mut self, _bits: u32) -> Option<Self::Word> {
        None
    }

    /// The inputs from which a word is made, in the order of their making.
    fn inputs_of(&self, word: &Self::Word) -> Vec<Input>;

    /// Which of the words are made from inputs whose kinds satisfy `wanted`.
    fn depend(&self, words: &[Self::Word], wanted: fn(InputKind) -> bool) -> Vec<bool>;

    /// Returns the values of words, as limbs, least significant first. Inputs that are not mentioned are zero.
    fn evaluate(&self, words: &[Self::Word], inputs: &Assignment) -> Vec<Box<[u64]>>;

    /// Compares the words of each pair on all inputs.
    fn compare(&mut self, pairs: &[(Self::Word, Self::Word)], budget: &Budget) -> Comparison;

    /// Returns the number of gates that execution has made so far.
    fn gates(&self) -> usize;
}

/// The inputs from which a word is made, in the order of their names.
pub(crate) fn named_inputs<V: Symbolic>(values: &V, word: &V::Word) -> Vec<Named> {
    let terms = values.terms();
    let mut named: Vec<Named> = values.inputs_of(word).into_iter().map(|input| Named::of(terms, input)).collect();
    named.sort();
    named
}

/// Every word is a term: for functions that compute bitwise on whole registers, and for arithmetic modulo large
/// numbers.
impl Symbolic for Terms {
    fn terms(&self) -> &Terms {
        self
    }

    fn terms_mut(&mut self) -> &mut Terms {
        self
    }

    fn word(&self, term: Term) -> Term {
        term
    }

    fn term(&self, word: &Term) -> Option<Term> {
        Some(*word)
    }

    fn width(&self, word: &Term) -> u32 {
        self.bits(*word)
    }

    fn unknown(&mut self, name: &str, bits: u32) -> Term {
        self.fresh(InputKind::Data, name, bits)
    }

    fn inputs_of(&self, word: &Term) -> Vec<Input> {
        let cone = self.cone(&[*word]);
        let mut inputs: Vec<Input> = cone
            .iter()
            .filter_map(|&term| match self.node(term) {
                Node::Input(input) => Some(*input),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs
    }

    /// The first such input that is found decides for all terms on the path to it, so that a word is seldom searched
    /// completely.
    fn depend(&self, words: &[Term], wanted: fn(InputKind) -> bool) -> Vec<bool> {
        let mut known: FxHashMap<Term, bool> = FxHashMap::default();
        let below = |term: Term| (term, self.node(term).operands().into_iter());
        for &word in words {
            // A path from the word down through its operands: each term with its operands that have not been visited.
            let mut path = vec![below(word)];
            while let Some((term, unseen)) = path.last_mut() {
                let (term, next) = (*term, unseen.next());
                let is_dependent = match (known.get(&term), self.node(term), next) {
                    (Some(&known), ..) => known,
                    (None, Node::Input(input), _) => wanted(self.kind(*input)),
                    (None, _, None) => false,
                    (None, _, Some(operand)) => {
                        path.push(below(operand));
                        continue;
                    }
                };
                if is_dependent {
                    known.extend(path.drain(..).map(|(term, _)| (term, true)));
                } else {
                    known.insert(term, false);
                    path.pop();
                }
            }
        }
        words.iter().map(|word| known[word]).collect()
    }

    fn evaluate(&self, words: &[Term], inputs: &Assignment) -> Vec<Box<[u64]>> {
        Terms::evaluate(self, words, inputs)
    }

    fn compare(&mut self, pairs: &[(Term, Term)], budget: &Budget) -> Comparison {
        bits::compare(self, pairs, budget)
    }

    /// Returns the number of terms, which are never forgotten.
    fn gates(&self) -> usize {
        self.len()
    }
}
