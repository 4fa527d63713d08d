//! Permutations of lanes that the instruction itself determines.

use super::machine::{Machine, Memory, Outcome};
use crate::Values;

/// A lane of one of the sources, or zero.
type Choice = Option<(usize, u32)>;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// The vector of `bits` bits in which lane k, of `element` bits, is the one that `choice(k)` names.
    fn arrange(&mut self, element: u32, bits: u32, sources: &[V::Word], choice: impl Fn(u32) -> Choice) -> V::Word {
        let lanes: Vec<_> = (0..bits / element)
            .map(|lane| match choice(lane) {
                None => self.values.zero(element),
                Some((source, from)) => self.values.extract(bits, &sources[source], from * element, element),
            })
            .collect();
        self.values.join(element, &lanes)
    }

    /// `punpckl` and `punpckh`: within each 128 bits, lanes of the lower or of the upper halves of the two sources
    /// alternate.
    pub fn interleave(&mut self, element: u32, upper: bool) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let lanes = 128 / element;
        let start = if upper { lanes / 2 } else { 0 };
        let word = self.arrange(element, bits, &sources, |lane| {
            let (block, place) = (lane / lanes, lane % lanes);
            Some((place as usize % 2, block * lanes + start + place / 2))
        });
        self.finish(element, bits, &word)
    }

    /// `pshufd`, `vpermilps`, `vpermq`: within each four lanes, bits 2k and 2k + 1 of the immediate select lane k.
    pub fn shuffle_words(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let source = self.read_bits(1, bits)?;
        let control = self.immediate(2)?;
        let word =
            self.arrange(element, bits, &[source], |lane| Some((0, lane & !3 | control >> (2 * (lane & 3)) & 3)));
        self.finish(element, bits, &word)
    }

    /// `pshuflw` and `pshufhw`: like `pshufd` for four of the eight words in each 128 bits; the others stay.
    pub fn shuffle_half(&mut self, upper: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let source = self.read_bits(1, bits)?;
        let control = self.immediate(2)?;
        let word = self.arrange(16, bits, &[source], |lane| {
            let chosen = lane & !3 | control >> (2 * (lane & 3)) & 3;
            Some((0, if (lane & 4 != 0) == upper { chosen } else { lane }))
        });
        self.finish(16, bits, &word)
    }

    /// `vpermilpd`: bit k of the immediate selects lane k, within its 128 bits.
    pub fn shuffle_pairs(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let source = self.read_bits(1, bits)?;
        let control = self.immediate(2)?;
        let word = self.arrange(64, bits, &[source], |lane| Some((0, lane & !1 | control >> lane & 1)));
        self.finish(64, bits, &word)
    }

    /// `shufps`: in each 128 bits, two lanes of the first source and two of the second.
    pub fn shuffle_two_ps(&mut self) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let control = self.immediate(self.first_source() + 2)?;
        let word = self.arrange(32, bits, &sources, |lane| {
            Some(((lane as usize & 3) / 2, lane & !3 | control >> (2 * (lane & 3)) & 3))
        });
        self.finish(32, bits, &word)
    }

    /// `shufpd`: in each 128 bits, a lane of the first source and one of the second.
    pub fn shuffle_two_pd(&mut self) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let control = self.immediate(self.first_source() + 2)?;
        let word = self.arrange(64, bits, &sources, |lane| Some((lane as usize & 1, lane & !1 | control >> lane & 1)));
        self.finish(64, bits, &word)
    }

    /// `movshdup`, `movsldup`, `movddup`: each pair of lanes becomes two copies of one of them.
    pub fn duplicate(&mut self, element: u32, odd: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        // The 128-bit form of `movddup` reads 64 bits.
        let narrow = element == 64 && bits == 128;
        let source = self.read_bits(1, if narrow { 64 } else { bits })?;
        let source = self.values.zero_extend(bits, if narrow { 64 } else { bits }, &source);
        let word = self.arrange(element, bits, &[source], |lane| Some((0, lane & !1 | u32::from(odd))));
        self.finish(element, bits, &word)
    }

    /// `palignr`: in each 128 bits, concatenates the bytes of the first source above those of the second and shifts
    /// right by bytes.
    pub fn align_bytes(&mut self) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let amount = self.immediate(self.first_source() + 2)?;
        let word = self.arrange(8, bits, &sources, |lane| {
            let (block, place) = (lane & !15, (lane & 15) + amount);
            match place {
                0..16 => Some((1, block + place)),
                16..32 => Some((0, block + place - 16)),
                _ => None,
            }
        });
        self.finish(8, bits, &word)
    }

    /// `valignd` and `valignq`: concatenates all lanes of the first source above those of the second and shifts right
    /// by lanes.
    pub fn align_lanes(&mut self, element: u32) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let lanes = bits / element;
        let amount = self.immediate(3)? % lanes;
        let word = self.arrange(element, bits, &sources, |lane| match lane + amount {
            place if place < lanes => Some((1, place)),
            place => Some((0, place - lanes)),
        });
        self.finish(element, bits, &word)
    }

    /// `vperm2i128`: each half is one of the four halves of the sources, or zero.
    pub fn permute_halves(&mut self) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let control = self.immediate(3)?;
        let word = self.arrange(128, bits, &sources, |lane| {
            let choice = control >> (4 * lane);
            (choice & 8 == 0).then_some((choice as usize >> 1 & 1, choice & 1))
        });
        self.finish(128, bits, &word)
    }

    /// `vshufi32x4` and the like: selects blocks of 128 bits, the lower half of the result from the first source, the
    /// upper half from the second.
    pub fn shuffle_blocks(&mut self, element: u32) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let control = self.immediate(3)?;
        let blocks = bits / 128;
        let width = blocks.trailing_zeros();
        let word = self.arrange(128, bits, &sources, |lane| {
            Some((usize::from(lane >= blocks / 2), control >> (width * lane) & (blocks - 1)))
        });
        self.finish(element, bits, &word)
    }

    /// `pblendw`, `vpblendd`, `blendps` and the like: bit k of the immediate selects lane k of the second source. For
    /// words, the eight bits apply to each 128 bits.
    pub fn blend(&mut self, element: u32) -> Outcome<(), V, M> {
        let (bits, sources) = self.vector_sources()?;
        let control = self.immediate(self.first_source() + 2)?;
        let word = self.arrange(element, bits, &sources, |lane| Some(((control >> (lane & 7) & 1) as usize, lane)));
        self.finish(element, bits, &word)
    }

    /// `insertps`: inserts a lane of the second source, and then zeroes lanes.
    pub fn insert_ps(&mut self) -> Outcome<(), V, M> {
        let first = self.first_source();
        let control = self.immediate(first + 2)?;
        let rest = self.read_bits(first, 128)?;
        let source = if self.is_memory(first + 1) {
            let part = self.read_bits(first + 1, 32)?;
            self.repeat(32, &part, 128)
        } else {
            self.read_bits(first + 1, 128)?
        };
        let (from, to) = (control >> 6, control >> 4 & 3);
        let word = self.arrange(32, 128, &[rest, source], |lane| match control >> lane & 1 {
            1 => None,
            _ if lane == to => Some((1, from)),
            _ => Some((0, lane)),
        });
        self.finish(32, 128, &word)
    }
}
