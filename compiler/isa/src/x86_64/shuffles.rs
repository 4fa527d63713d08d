//! Permutations of lanes, selected by the lanes of another vector.

use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;

/// The option with number `index`, a word of `index_bits` bits. There are `2^index_bits` options of `element` bits.
fn choose<V: Values>(values: &mut V, element: u32, options: &[V::Word], index_bits: u32, index: &V::Word) -> V::Word {
    if let Some(known) = values.known(index_bits, index) {
        return options[known as usize].clone();
    }
    let mut left = options.to_vec();
    for place in 0..index_bits {
        let bit = values.extract(index_bits, index, place, 1);
        left = left.chunks(2).map(|pair| values.select(element, &bit, &pair[1], &pair[0])).collect();
    }
    left.swap_remove(0)
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `pshufb`: in each 128 bits, byte k of the second source is the number of the byte that becomes byte k, or makes
    /// it zero if its top bit is set.
    pub fn shuffle_bytes(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, control]) = self.vector_sources()?;
        // Numbers of bytes that are constants tell nothing; others are an operand as the bytes are.
        let is_constant =
            self.values.split(bits, &control, 64).iter().all(|part| self.values.known(64, part).is_some());
        let from = if is_constant { &[&a][..] } else { &[&a, &control] };
        if let Some(word) = self.values.blurred(bits, from) {
            return self.finish(8, bits, &word);
        }
        let (bytes, controls) = (self.values.split(bits, &a, 8), self.values.split(bits, &control, 8));
        let zero = self.values.constant(8, 0);
        let mut result = Vec::with_capacity(bytes.len());
        for (lane, control) in controls.iter().enumerate() {
            let block = &bytes[lane & !15..][..16];
            let index = self.values.extract(8, control, 0, 4);
            let chosen = choose(self.values, 8, block, 4, &index);
            let vanishes = self.values.extract(8, control, 7, 1);
            result.push(match self.values.known(1, &vanishes) {
                Some(0) => chosen,
                Some(_) => zero.clone(),
                None => self.values.select(8, &vanishes, &zero, &chosen),
            });
        }
        let word = self.values.join(8, &result);
        self.finish(8, bits, &word)
    }

    /// `vpermd`, `vpermb` and the like: operand 1 has the numbers of lanes of operand 2.
    pub fn permute(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (indices, a) = (self.read(1)?, self.read_bits(2, bits)?);
        self.permute_by(element, bits, &indices, &[a])
    }

    /// `vpermi2d` and the like: operand 0 has the numbers of lanes of operands 1 and 2.
    pub fn permute_two_by_destination(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (indices, a, b) = (self.read(0)?, self.read(1)?, self.read_bits(2, bits)?);
        self.permute_by(element, bits, &indices, &[a, b])
    }

    /// `vpermt2d` and the like: operand 1 has the numbers of lanes of operands 0 and 2.
    pub fn permute_two_by_source(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (indices, a, b) = (self.read(1)?, self.read(0)?, self.read_bits(2, bits)?);
        self.permute_by(element, bits, &indices, &[a, b])
    }

    fn permute_by(&mut self, element: u32, bits: u32, indices: &V::Word, tables: &[V::Word]) -> Outcome<(), V, M> {
        let options: Vec<_> = tables.iter().flat_map(|table| self.values.split(bits, table, element)).collect();
        let index_bits = options.len().trailing_zeros();
        let indices = self.values.split(bits, indices, element);
        let lanes: Vec<_> = indices
            .iter()
            .map(|index| {
                let index = self.values.extract(element, index, 0, index_bits);
                choose(self.values, element, &options, index_bits, &index)
            })
            .collect();
        let word = self.values.join(element, &lanes);
        self.finish(element, bits, &word)
    }

    /// `vpermilps` and `vpermilpd` by a vector, within each 128 bits. The index of 64-bit lanes starts at bit 1.
    pub fn permute_in_blocks(&mut self, element: u32) -> Outcome<(), V, M> {
        let (bits, [a, control]) = self.vector_sources()?;
        let (lanes, controls) = (self.values.split(bits, &a, element), self.values.split(bits, &control, element));
        let (count, low) = if element == 64 { (2, 1) } else { (4, 0) };
        let index_bits = (count as u32).trailing_zeros();
        let mut result = Vec::with_capacity(lanes.len());
        for (lane, control) in controls.iter().enumerate() {
            let block = &lanes[lane / count * count..][..count];
            let index = self.values.extract(element, control, low, index_bits);
            result.push(choose(self.values, element, block, index_bits, &index));
        }
        let word = self.values.join(element, &result);
        self.finish(element, bits, &word)
    }

    /// `vpmultishiftqb`: byte k of a lane is eight bits of operand 2's lane, taken cyclically. Byte k of operand 1's
    /// lane is the number of the first of them.
    pub fn multishift(&mut self) -> Outcome<(), V, M> {
        let (bits, [controls, a]) = self.vector_sources()?;
        let word = zip(self.values, 64, bits, [&controls, &a], |values, _, control, lane| {
            let control = values.split(64, control, 8);
            let bytes: Vec<_> = control
                .iter()
                .map(|start| {
                    let rotated = super::shifts::by_word(values, 64, lane, 8, start, super::shifts::rotate_right);
                    values.extract(64, &rotated, 0, 8)
                })
                .collect();
            values.join(8, &bytes)
        });
        self.finish(8, bits, &word)
    }

    /// `blendv`: the top bit of each lane of a third operand, xmm0 in the legacy forms, selects the second source.
    pub fn blend_by_sign(&mut self, element: u32) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let control = match self.is_legacy() {
            true => self.read_register(iced_x86::Register::XMM0, bits)?,
            false => self.read(3)?,
        };
        let signs = self.sign_bits(element, bits, &control);
        let word = self.choose_lanes(element, bits, &signs, &b, &a);
        self.finish(element, bits, &word)
    }

    /// `vpblendm`: the mask selects operand 2; the other lanes are those of operand 1, or zero.
    pub fn blend_by_mask(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b) = (self.read(1)?, self.read_bits(2, bits)?);
        let Some(mask) = self.lane_mask(bits / element) else { return self.finish(element, bits, &b) };
        let zeroing = self.instruction.decoded().zeroing_masking();
        let other = if zeroing { self.values.zero(bits) } else { a };
        let word = self.choose_lanes(element, bits, &mask, &b, &other);
        self.write_vector(bits, &word);
        Ok(())
    }

    /// `vpcompress`: puts the lanes that a constant mask selects side by side.
    pub fn compress(&mut self, element: u32) -> Outcome<(), V, M> {
        if self.is_memory(0) {
            return Err(self.unsupported("a compression into memory has no meaning here"));
        }
        let bits = self.bits(0);
        let (a, old) = (self.read(1)?, self.read(0)?);
        let mask = self.constant_mask(bits / element)?;
        let (lanes, old) = (self.values.split(bits, &a, element), self.values.split(bits, &old, element));
        let chosen = (0..lanes.len()).filter(|lane| mask >> lane & 1 == 1).map(|lane| lanes[lane].clone());
        let chosen: Vec<_> = chosen.collect();
        let word = self.filled(element, chosen, &old);
        self.write_vector(bits, &word);
        Ok(())
    }

    /// `vpexpand`: moves the lower lanes to the lanes that a constant mask selects.
    pub fn expand(&mut self, element: u32) -> Outcome<(), V, M> {
        if self.is_memory(1) {
            return Err(self.unsupported("an expansion from memory has no meaning here"));
        }
        let bits = self.bits(0);
        let a = self.read(1)?;
        let mask = self.constant_mask(bits / element)?;
        let lanes = self.values.split(bits, &a, element);
        let lane = |place: usize| (mask & !(u64::MAX << place)).count_ones() as usize;
        let lanes: Vec<_> = (0..lanes.len()).map(|place| lanes[lane(place)].clone()).collect();
        let word = self.values.join(element, &lanes);
        self.finish(element, bits, &word)
    }

    fn constant_mask(&mut self, lanes: u32) -> Outcome<u64, V, M> {
        match self.lane_mask(lanes) {
            None => Ok(u64::MAX >> (64 - lanes)),
            Some(mask) => self.need_known(lanes, &mask, "a mask that is not a constant moves lanes"),
        }
    }

    /// The lanes, filled up with those of `old`, or with zeros.
    fn filled(&mut self, element: u32, mut lanes: Vec<V::Word>, old: &[V::Word]) -> V::Word {
        let zeroing = self.instruction.decoded().zeroing_masking();
        for kept in &old[lanes.len()..] {
            lanes.push(if zeroing { self.values.constant(element, 0) } else { kept.clone() });
        }
        self.values.join(element, &lanes)
    }

    /// Writes a whole vector register after its mask has been applied, with zeros above.
    fn write_vector(&mut self, bits: u32, word: &V::Word) {
        let number = self.register(0).number();
        self.state.vectors[number] = self.values.zero_extend(512, bits, word);
    }
}
