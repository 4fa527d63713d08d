//! Bytes of one instance: a block.

use culet_meaning::layout::byte_length;
use culet_term::{InputKind, Term, Terms};
use culet_types::program::Var;

use super::{Form, GRANULE, Specification};

/// The bytes of one instance of a variable. Some of their bits may be padding.
pub struct Block {
    /// Length in bytes.
    pub length: i64,
    /// For each word of at most [`GRANULE`] bytes: a mask of the used bits, as limbs; `None` if all bits are used.
    used: Vec<Option<Vec<u64>>>,
}

impl Block {
    pub fn new(specification: &Specification, var: &Var) -> Block {
        let bytes = byte_length(&var.ty);
        let mut bits = vec![false; 8 * bytes as usize];
        for atom in 0..var.ty.atoms() {
            for bit in 0..var.ty.atom.bits {
                bits[specification.position(var, Form::Bytes, 0, atom, bit) as usize] = true;
            }
        }
        let used = bits.chunks(8 * GRANULE as usize).map(|word| {
            let limb = |bits: &[bool]| bits.iter().rev().fold(0, |limb, &bit| limb << 1 | u64::from(bit));
            (!word.iter().all(|&used| used)).then(|| word.chunks(64).map(limb).collect())
        });
        Block { length: bytes as i64, used: used.collect() }
    }

    /// Returns the offsets and lengths of the words of a block, in bytes.
    pub fn words(&self) -> impl Iterator<Item = (i64, u32)> {
        let length = self.length;
        (0..length).step_by(GRANULE as usize).map(move |start| (start, (length - start).min(GRANULE as i64) as u32))
    }

    /// A block of any value, other than any block before.
    pub fn unknown(&self, terms: &mut Terms, name: &str) -> Vec<Term> {
        let mut words = Vec::with_capacity(self.used.len());
        for (index, ((_, bytes), used)) in self.words().zip(&self.used).enumerate() {
            let word = terms.fresh(InputKind::Data, &format!("{name}[{index}]"), 8 * bytes);
            words.push(match used {
                None => word,
                Some(used) => {
                    let used = terms.constant_wide(8 * bytes, used);
                    terms.and(word, used)
                }
            });
        }
        words
    }

    /// Whether all bits of padding are known to be zero.
    pub fn is_padded(&self, terms: &mut Terms, words: &[Term]) -> bool {
        words.iter().zip(&self.used).all(|(&word, used)| {
            let Some(used) = used else { return true };
            let used = terms.constant_wide(terms.bits(word), used);
            terms.and(word, used) == word
        })
    }
}
