//! Moves of vectors and of their parts, and moves between them and general registers.

use super::machine::{Machine, Memory, Outcome};
use super::operands::replace;
use crate::Values;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// Moves of whole registers: `movdqa`, `movups`, `vmovdqu64` and the like. `element` is the width of the mask's
    /// lanes.
    pub fn move_vector(&mut self, element: u32) -> Outcome<(), V, M> {
        if self.is_memory(0) {
            let bits = self.bits(1);
            let word = self.read(1)?;
            return self.store_lanes(element, bits, &word);
        }
        let bits = self.bits(0);
        let word = if self.is_memory(1) { self.load_lanes(element, bits)? } else { self.read_bits(1, bits)? };
        self.finish(element, bits, &word)
    }

    /// A load that touches only the lanes that a constant mask selects; for other masks it touches all lanes.
    fn load_lanes(&mut self, element: u32, bits: u32) -> Outcome<V::Word, V, M> {
        let mask = self.lane_mask(bits / element);
        self.load_where(element, bits, mask)
    }

    pub fn load_where(&mut self, element: u32, bits: u32, mask: Option<V::Word>) -> Outcome<V::Word, V, M> {
        let lanes = bits / element;
        let known = mask.and_then(|mask| self.values.known(lanes, &mask));
        // An aligned move demands alignment of the whole operand, which only an access of the whole expresses.
        let Some(known) = known.filter(|_| self.alignment(bits / 8) == 1) else { return self.load(bits, 0) };
        if known == u64::MAX >> (64 - lanes) {
            return self.load(bits, 0);
        }
        let mut parts = Vec::with_capacity(lanes as usize);
        for lane in 0..lanes {
            parts.push(match known >> lane & 1 {
                1 => self.load(element, lane * element / 8)?,
                _ => self.values.constant(element, 0),
            });
        }
        Ok(self.values.join(element, &parts))
    }

    /// Stores the lanes that the mask selects. If the mask is not a constant, the old contents of the other lanes are
    /// stored again.
    pub fn store_lanes(&mut self, element: u32, bits: u32, word: &V::Word) -> Outcome<(), V, M> {
        let mask = self.lane_mask(bits / element);
        self.store_where(element, bits, mask, word)
    }

    pub fn store_where(&mut self, element: u32, bits: u32, mask: Option<V::Word>, word: &V::Word) -> Outcome<(), V, M> {
        let Some(mask) = mask else { return self.store(bits, 0, word) };
        let lanes = bits / element;
        match self.values.known(lanes, &mask) {
            Some(known) if self.alignment(bits / 8) == 1 => {
                if known == u64::MAX >> (64 - lanes) {
                    return self.store(bits, 0, word);
                }
                for lane in (0..lanes).filter(|lane| known >> lane & 1 == 1) {
                    let part = self.values.extract(bits, word, lane * element, element);
                    self.store(element, lane * element / 8, &part)?;
                }
                Ok(())
            }
            _ => {
                let old = self.load(bits, 0)?;
                let word = self.choose_lanes(element, bits, &mask, word, &old);
                self.store(bits, 0, &word)
            }
        }
    }

    /// `vpmaskmovd` and `vpmaskmovq`: the mask is the sign bits of a vector's lanes.
    pub fn move_masked(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(1);
        let signs = self.read(1)?;
        let signs = self.sign_bits(element, bits, &signs);
        if self.is_memory(0) {
            let word = self.read(2)?;
            return self.store_where(element, bits, Some(signs), &word);
        }
        let loaded = self.load_where(element, bits, Some(signs.clone()))?;
        let zero = self.values.zero(bits);
        let word = self.choose_lanes(element, bits, &signs, &loaded, &zero);
        self.finish(element, bits, &word)
    }

    /// The sign bits of the lanes, as one bit for each lane.
    pub fn sign_bits(&mut self, element: u32, bits: u32, word: &V::Word) -> V::Word {
        let lanes = (0..bits / element).map(|lane| (lane + 1) * element - 1);
        let signs: Vec<_> = lanes.map(|sign| self.values.extract(bits, word, sign, 1)).collect();
        self.values.join(1, &signs)
    }

    /// `movd`, `movq` and `vmovw`: moves a scalar from or to a vector's low end. The destination is zero above the
    /// scalar.
    pub fn move_scalar(&mut self, bits: u32) -> Outcome<(), V, M> {
        let word = self.read_bits(1, bits)?;
        if self.is_memory(0) {
            return self.store(bits, 0, &word);
        }
        if !self.is_vector(0) {
            let wide = self.values.zero_extend(self.bits(0), bits, &word);
            return self.write(0, &wide);
        }
        let wide = self.values.zero_extend(128, bits, &word);
        self.finish(128, 128, &wide)
    }

    /// `movss`, `movsd` and `vmovsh`: a load is zero above the scalar; a move between registers takes the rest from the
    /// first source.
    pub fn move_low(&mut self, bits: u32) -> Outcome<(), V, M> {
        if self.is_memory(0) {
            let word = self.read_bits(1, bits)?;
            return self.store_lanes(bits, bits, &word);
        }
        let loads = self.is_memory(1);
        let (rest, low) = match (loads, self.is_legacy()) {
            (true, _) => (self.values.zero(128), self.load_lanes(bits, bits)?),
            (false, true) => (self.read_bits(0, 128)?, self.read_bits(1, bits)?),
            (false, false) => (self.read_bits(1, 128)?, self.read_bits(2, bits)?),
        };
        let low = match self.lane_mask(1) {
            None => low,
            Some(mask) => {
                let zeroing = self.instruction.decoded().zeroing_masking();
                let other = if zeroing { self.values.zero(bits) } else { self.read_bits(0, bits)? };
                self.values.select(bits, &mask, &low, &other)
            }
        };
        let word = replace(self.values, 128, &rest, 0, bits, &low);
        self.finish_unmasked(128, &word)
    }

    /// `movlps`, `movhps` and the like, and `movlhps`, `movhlps`: moves 64 bits from bit `from` of the last operand to
    /// bit `to`.
    pub fn move_half(&mut self, from: u32, to: u32) -> Outcome<(), V, M> {
        if self.is_memory(0) {
            let word = self.read(1)?;
            let half = self.values.extract(128, &word, to, 64);
            return self.store(64, 0, &half);
        }
        let last = self.first_source() + 1;
        let half = if self.is_memory(last) {
            self.load(64, 0)?
        } else {
            let word = self.read(last)?;
            self.values.extract(128, &word, from, 64)
        };
        let rest = self.read_bits(self.first_source(), 128)?;
        let word = replace(self.values, 128, &rest, to, 64, &half);
        self.finish(64, 128, &word)
    }

    /// `vpbroadcast`, `vbroadcast`: copies the low `length` bits of operand 1 to all lanes. `element` is the width of
    /// the mask's lanes.
    pub fn broadcast(&mut self, element: u32, length: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let part = self.read_bits(1, length)?;
        let word = self.repeat(length, &part, bits);
        self.finish(element, bits, &word)
    }

    /// `pinsr`, `vinserti128` and the like: replaces the part of `length` bits that the immediate selects.
    pub fn insert(&mut self, element: u32, length: u32) -> Outcome<(), V, M> {
        let (bits, first) = (self.bits(0), self.first_source());
        let rest = self.read_bits(first, bits)?;
        let part = self.read_bits(first + 1, length)?;
        let place = self.immediate(first + 2)? % (bits / length);
        let word = replace(self.values, bits, &rest, place * length, length, &part);
        self.finish(element, bits, &word)
    }

    /// `insertq`: replaces a field of a vector by the low bits of another. The first immediate is the field's length,
    /// the second its lowest bit.
    pub fn insert_field(&mut self) -> Outcome<(), V, M> {
        let (length, low) = self.field(2)?;
        let (rest, part) = (self.read_bits(0, 64)?, self.read_bits(1, length)?);
        let word = replace(self.values, 64, &rest, low, length, &part);
        self.finish_field(&word)
    }

    /// `extrq`: extracts a field and puts zeros above it. The first immediate is its length, the second its lowest bit.
    pub fn extract_field(&mut self) -> Outcome<(), V, M> {
        let (length, low) = self.field(1)?;
        let whole = self.read_bits(0, 64)?;
        let part = self.values.extract(64, &whole, low, length);
        let word = self.values.zero_extend(64, length, &part);
        self.finish_field(&word)
    }

    /// The length and the lowest bit of a field of 64 bits, from two immediates.
    fn field(&mut self, first: u32) -> Outcome<(u32, u32), V, M> {
        let (length, low) = (self.immediate(first)? % 64, self.immediate(first + 1)? % 64);
        let length = if length == 0 { 64 } else { length };
        if length + low > 64 {
            return Err(self.unsupported("a field that goes beyond 64 bits leaves anything behind"));
        }
        Ok((length, low))
    }

    /// Writes the low half of a vector; the upper half is undefined.
    fn finish_field(&mut self, word: &V::Word) -> Outcome<(), V, M> {
        let upper = self.values.undefined(64);
        let word = self.values.concat(64, &upper, 64, word);
        self.finish(64, 128, &word)
    }

    /// `vextracti128` and the like: extracts the part of `length` bits that the immediate selects.
    pub fn extract_part(&mut self, element: u32, length: u32) -> Outcome<(), V, M> {
        let bits = self.bits(1);
        let whole = self.read(1)?;
        let place = self.immediate(2)? % (bits / length);
        let part = self.values.extract(bits, &whole, place * length, length);
        if self.is_memory(0) {
            return self.store_lanes(element, length, &part);
        }
        self.finish(element, length, &part)
    }

    /// `pextr`: extracts the part that the immediate selects to memory, or zero-extended to a general register.
    pub fn extract_scalar(&mut self, length: u32) -> Outcome<(), V, M> {
        let whole = self.read_bits(1, 128)?;
        let place = self.immediate(2)? % (128 / length);
        let part = self.values.extract(128, &whole, place * length, length);
        if self.is_memory(0) {
            return self.store(length, 0, &part);
        }
        let word = self.values.zero_extend(self.bits(0), length, &part);
        self.write(0, &word)
    }

    /// `movmskps`, `pmovmskb` and the like: moves the sign bits of the lanes to a general register.
    pub fn move_sign_bits(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(1);
        let word = self.read(1)?;
        let signs = self.sign_bits(element, bits, &word);
        let word = self.values.zero_extend(self.bits(0), bits / element, &signs);
        self.write(0, &word)
    }

    /// `pmovzx`, `pmovsx`: extends the lower lanes of `from` bits, as many as fit, to `to` bits each.
    pub fn widen(&mut self, from: u32, to: u32, signed: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let source = self.read_bits(1, bits / to * from)?;
        let lanes = self.values.split(bits / to * from, &source, from);
        let lanes: Vec<_> = lanes
            .iter()
            .map(|lane| match signed {
                true => self.values.sign_extend(to, from, lane),
                false => self.values.zero_extend(to, from, lane),
            })
            .collect();
        let word = self.values.join(to, &lanes);
        self.finish(to, bits, &word)
    }

    /// `vzeroupper` (`low` is 128) and `vzeroall` (0): zeroes the bits from `low` on of the first sixteen registers.
    pub fn zero_upper(&mut self, low: u32) -> Outcome<(), V, M> {
        for number in 0..16 {
            self.state.vectors[number] = match low {
                0 => self.values.zero(512),
                _ => {
                    let kept = self.values.extract(512, &self.state.vectors[number], 0, low);
                    self.values.zero_extend(512, low, &kept)
                }
            };
        }
        Ok(())
    }

    /// Like `finish`, after the mask has been applied.
    fn finish_unmasked(&mut self, bits: u32, word: &V::Word) -> Outcome<(), V, M> {
        let number = self.register(0).number();
        let old = self.state.vectors[number].clone();
        self.state.vectors[number] = match self.is_legacy() {
            true => replace(self.values, 512, &old, 0, bits, word),
            false => self.values.zero_extend(512, bits, word),
        };
        Ok(())
    }
}
