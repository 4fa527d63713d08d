//! Conversions of words to words of other sizes: the bits of values are put together anew.

use culet_ir::{Op, Type, Value};
use culet_meaning::layout::byte_position;
use culet_types::program::{ByteOrder, Endian, Ty};

use crate::builder::Builder;

/// A bit of a word, counted from the least significant; none is a zero.
pub(crate) type Bit = Option<(Value, u32)>;

impl Builder {
    /// The word with these bits, the least significant first: at least one, at most 64.
    pub(crate) fn gather(&mut self, bits: &[Bit]) -> Value {
        let mut word = None;
        let mut from = 0;
        while from < bits.len() {
            let length = bits[from..].iter().zip(0..).take_while(|&(&bit, k)| continues(bits[from], bit, k)).count();
            let part = self.run(bits[from], length as u32);
            word = Some(match word {
                None => part,
                Some(low) => self.op(Op::Concat, &[part, low], Type::Word((from + length) as u8)),
            });
            from += length;
        }
        word.expect("a word has bits")
    }

    /// `length` bits of a word from this one up.
    fn run(&mut self, first: Bit, length: u32) -> Value {
        let ty = Type::Word(length as u8);
        match first {
            None => self.word(ty, 0),
            Some((word, 0)) if self.func.ty(word) == ty => word,
            Some((word, low)) => self.op(Op::Extract(low as u8), &[word], ty),
        }
    }

    /// The bits of words, from the least significant bit of the first word on, or from its most significant bit on.
    pub(crate) fn bits_of(&self, words: &[Value], order: Endian) -> Vec<Bit> {
        let mut bits = Vec::new();
        for &word in words {
            let width = self.func.ty(word).bits();
            match order {
                Endian::Little => bits.extend((0..width).map(|bit| Some((word, bit)))),
                Endian::Big => bits.extend((0..width).rev().map(|bit| Some((word, bit)))),
            }
        }
        bits
    }

    /// Words of `width` bits made of bits in this order.
    pub(crate) fn regroup(&mut self, mut bits: Vec<Bit>, order: Endian, width: u32) -> Vec<Value> {
        let mut words = Vec::new();
        for word in bits.chunks_mut(width as usize) {
            if order == Endian::Big {
                word.reverse();
            }
            words.push(self.gather(word));
        }
        words
    }

    /// The words of a parameter whose bytes these are.
    pub(crate) fn words_from_bytes(&mut self, ty: &Ty, order: ByteOrder, bytes: &[Value]) -> Vec<Value> {
        let mut words = Vec::new();
        for atom in 0..ty.atoms() {
            let bit = |bit: u32| {
                let (byte, position) = byte_position(ty, order, atom, bit);
                Some((bytes[byte as usize], position))
            };
            let bits: Vec<Bit> = (0..ty.atom.bits).rev().map(bit).collect();
            words.push(self.gather(&bits));
        }
        words
    }

    /// The bytes of a result whose words these are; bits that no word fills are zero.
    pub(crate) fn words_to_bytes(&mut self, ty: &Ty, order: ByteOrder, words: &[Value], length: u32) -> Vec<Value> {
        let mut bits: Vec<Bit> = vec![None; 8 * length as usize];
        for (atom, &word) in (0..).zip(words) {
            for bit in 0..ty.atom.bits {
                let (byte, position) = byte_position(ty, order, atom, bit);
                bits[(8 * byte + position) as usize] = Some((word, ty.atom.bits - 1 - bit));
            }
        }
        bits.chunks(8).map(|byte| self.gather(byte)).collect()
    }
}

/// Whether a bit is the k-th of a run that begins with `first`.
fn continues(first: Bit, bit: Bit, k: u32) -> bool {
    match (first, bit) {
        (None, None) => true,
        (Some((first_word, low)), Some((word, position))) => word == first_word && position == low + k,
        _ => false,
    }
}
