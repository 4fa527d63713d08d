//! Permutations of the bits of one vertical word, as few shifts and masks as we find.

use culet_ir::{Op, Type, Value};

use crate::builder::Builder;

/// Bits that move by the same distance move together.
#[derive(Debug, PartialEq, Eq)]
struct Term {
    step: Step,
    /// Bits of the result that come from here. All ones if the result of `step` is right as it is.
    mask: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Stay,
    ShiftLeft(u32),
    ShiftRight(u32),
    RotateLeft(u32),
}

impl Builder {
    /// Bit k of the result (0 is the most significant) is bit `pattern[k]` of the word, or zero.
    pub(crate) fn shuffle_word(&mut self, word: Value, pattern: &[Option<u32>]) -> Value {
        let ty = self.func.ty(word);
        let bits = ty.bits();
        if let Some(&Some(source)) = pattern.first()
            && pattern.iter().all(|&p| p == Some(source))
        {
            return self.copy_bit(word, bits - 1 - source);
        }
        let mut result = None;
        for Term { step, mask } in terms(pattern) {
            let moved = match step {
                Step::Stay => word,
                Step::ShiftLeft(n) => self.same(Op::Shl(n as u8), &[word]),
                Step::ShiftRight(n) => self.same(Op::Shr(n as u8), &[word]),
                Step::RotateLeft(n) => self.same(Op::Rotl(n as u8), &[word]),
            };
            let kept = if mask == u64::MAX { moved } else { self.masked(ty, moved, mask) };
            result = Some(match result {
                None => kept,
                Some(others) => self.same(Op::Or, &[others, kept]),
            });
        }
        result.unwrap_or_else(|| self.zero(ty))
    }

    /// Bit `bit`, counted from the least significant, in all places.
    pub(crate) fn copy_bit(&mut self, word: Value, bit: u32) -> Value {
        let top = self.func.ty(word).bits() - 1;
        let first = if bit == top { word } else { self.same(Op::Shl((top - bit) as u8), &[word]) };
        self.same(Op::Sar(top as u8), &[first])
    }

    fn masked(&mut self, ty: Type, value: Value, mask: u64) -> Value {
        let mask = self.word(ty, mask);
        self.same(Op::And, &[value, mask])
    }
}

/// The terms whose union is the pattern, in order of the distance to the left.
fn terms(pattern: &[Option<u32>]) -> Vec<Term> {
    let bits = pattern.len() as u32;
    let all = u64::MAX >> (64 - bits);
    let mut masks = vec![0u64; bits as usize];
    for (k, source) in (0..).zip(pattern) {
        if let Some(source) = source {
            masks[((source + bits - k) % bits) as usize] |= 1 << (bits - 1 - k);
        }
    }
    let moving = (0..).zip(masks).filter(|&(_, mask)| mask != 0);
    moving
        .map(|(distance, mask)| {
            let (step, filled) = step(distance, mask, bits, all);
            Term { step, mask: if mask == filled { u64::MAX } else { mask } }
        })
        .collect()
}

/// The cheapest move by `distance` to the left that is right under `mask`, and the bits it can leave nonzero.
fn step(distance: u32, mask: u64, bits: u32, all: u64) -> (Step, u64) {
    if distance == 0 {
        return (Step::Stay, all);
    }
    let (left, right) = ((all << distance) & all, all >> (bits - distance));
    if mask & !left == 0 {
        (Step::ShiftLeft(distance), left)
    } else if mask & !right == 0 {
        (Step::ShiftRight(bits - distance), right)
    } else {
        (Step::RotateLeft(distance), all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u64 = u64::MAX;

    #[test]
    fn rotations_and_shifts_are_one_term() {
        let rotation: Vec<_> = (0..16).map(|k| Some((k + 5) % 16)).collect();
        assert_eq!(terms(&rotation), [Term { step: Step::RotateLeft(5), mask: ALL }]);
        let left: Vec<_> = (0..16).map(|k| Some(k + 3).filter(|&p| p < 16)).collect();
        assert_eq!(terms(&left), [Term { step: Step::ShiftLeft(3), mask: ALL }]);
        let right: Vec<_> = (0..16u32).map(|k| k.checked_sub(3)).collect();
        assert_eq!(terms(&right), [Term { step: Step::ShiftRight(3), mask: ALL }]);
        let identity: Vec<_> = (0..16).map(Some).collect();
        assert_eq!(terms(&identity), [Term { step: Step::Stay, mask: ALL }]);
        assert_eq!(terms(&[None; 16]), []);
    }

    #[test]
    fn swapped_nibbles_are_a_rotation_and_swapped_neighbours_two_shifts() {
        let nibbles: Vec<_> = (0..8).map(|k| Some((k + 4) % 8)).collect();
        assert_eq!(terms(&nibbles), [Term { step: Step::RotateLeft(4), mask: ALL }]);
        let neighbours: Vec<_> = (0..8).map(|k| Some(k ^ 1)).collect();
        let expected = [Term { step: Step::ShiftLeft(1), mask: 0xaa }, Term { step: Step::ShiftRight(1), mask: 0x55 }];
        assert_eq!(terms(&neighbours), expected);
    }
}
