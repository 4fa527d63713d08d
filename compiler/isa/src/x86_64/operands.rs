//! Operands: registers, immediates and memory, their widths, and the rules of partial writes and masks.

use super::machine::{Filled, Machine, Memory, Outcome, Stop};
use crate::Values;
use iced_x86::{EncodingKind, Mnemonic, OpKind, Register};

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    fn code(&self) -> &iced_x86::Instruction {
        self.instruction.decoded()
    }

    fn kind(&self, operand: u32) -> Option<OpKind> {
        (operand < self.code().op_count()).then(|| self.code().op_kind(operand))
    }

    pub fn is_memory(&self, operand: u32) -> bool {
        self.kind(operand) == Some(OpKind::Memory)
    }

    pub fn is_vector(&self, operand: u32) -> bool {
        self.register(operand).is_vector_register()
    }

    pub fn is_mask(&self, operand: u32) -> bool {
        self.register(operand).is_k()
    }

    pub fn is_immediate(&self, operand: u32) -> bool {
        matches!(
            self.kind(operand),
            Some(
                OpKind::Immediate8
                    | OpKind::Immediate8_2nd
                    | OpKind::Immediate16
                    | OpKind::Immediate32
                    | OpKind::Immediate64
                    | OpKind::Immediate8to16
                    | OpKind::Immediate8to32
                    | OpKind::Immediate8to64
                    | OpKind::Immediate32to64
            )
        )
    }

    /// The register that an operand names, or `Register::None`.
    pub fn register(&self, operand: u32) -> Register {
        match self.kind(operand) {
            Some(OpKind::Register) => self.code().op_register(operand),
            _ => Register::None,
        }
    }

    pub fn is_legacy(&self) -> bool {
        self.code().code().encoding() == EncodingKind::Legacy
    }

    /// The index of the first of two sources: legacy forms overwrite theirs, the others name their destination
    /// separately.
    pub fn first_source(&self) -> u32 {
        if self.is_legacy() { 0 } else { 1 }
    }

    /// The width of a register or memory operand in bits. For a broadcast, it is the width of the vector.
    pub fn bits(&self, operand: u32) -> u32 {
        match self.register(operand) {
            Register::None if self.code().is_broadcast() => 8 * self.vector_bytes(),
            Register::None => 8 * self.code().memory_size().size() as u32,
            register => 8 * register.size() as u32,
        }
    }

    fn vector_bytes(&self) -> u32 {
        let widths = (0..self.code().op_count()).filter(|k| self.is_vector(*k)).map(|k| self.register(k).size());
        widths.max().unwrap_or(0) as u32
    }

    /// Reads the whole operand.
    pub fn read(&mut self, operand: u32) -> Outcome<V::Word, V, M> {
        self.read_bits(operand, self.bits(operand))
    }

    /// Reads the low `bits` bits of an operand: of a register, of memory (which is then accessed at this width), or of
    /// an immediate.
    pub fn read_bits(&mut self, operand: u32, bits: u32) -> Outcome<V::Word, V, M> {
        if self.is_immediate(operand) {
            if let Some(address) = self.memory.linked(self.values, self.instruction, Filled::Immediate) {
                let low = self.values.extract(64, &address, 0, bits.min(64));
                return Ok(self.values.zero_extend(bits, bits.min(64), &low));
            }
            let mask = u64::MAX >> (64 - bits.min(64));
            let value = self.code().immediate(operand) & mask;
            let word = self.values.constant(bits.min(64), value);
            return Ok(self.values.zero_extend(bits, bits.min(64), &word));
        }
        if !self.is_memory(operand) {
            return self.read_register(self.register(operand), bits);
        }
        if self.code().is_broadcast() {
            let element = 8 * self.code().memory_size().element_size() as u32;
            let word = self.load(element, 0)?;
            return Ok(self.repeat(element, &word, bits));
        }
        self.load(bits, 0)
    }

    /// Copies of a word, as many as fill `bits` bits.
    pub fn repeat(&mut self, element: u32, word: &V::Word, bits: u32) -> V::Word {
        self.values.join(element, &vec![word.clone(); (bits / element) as usize])
    }

    pub fn read_register(&mut self, register: Register, bits: u32) -> Outcome<V::Word, V, M> {
        let (word, width, low) = match register {
            r if r.is_gpr() => (&self.state.general[r.full_register().number()], 64, low_bit(r)),
            r if r.is_vector_register() => (&self.state.vectors[r.number()], 512, 0),
            r if r.is_k() => (&self.state.masks[r.number()], 64, 0),
            _ => return Err(self.unsupported("an operand of this kind has no meaning here")),
        };
        if low + bits > width || bits == 0 {
            return Err(self.unsupported("an operand is wider than its register"));
        }
        Ok(if bits == width { word.clone() } else { self.values.extract(width, word, low, bits) })
    }

    /// An immediate of eight bits.
    pub fn immediate(&self, operand: u32) -> Outcome<u32, V, M> {
        if self.is_immediate(operand) {
            return Ok(self.code().immediate(operand) as u32 & 0xff);
        }
        Err(self.unsupported("this form lacks its immediate operand"))
    }

    /// Writes a general register, a mask register, or memory. The width of a general register determines whether the
    /// bits above are kept or zeroed.
    pub fn write(&mut self, operand: u32, word: &V::Word) -> Outcome<(), V, M> {
        match self.register(operand) {
            Register::None if self.is_memory(operand) => self.store(self.bits(operand), 0, word),
            register if register.is_gpr() => {
                self.write_general(register, word);
                Ok(())
            }
            _ => Err(self.unsupported("an operand of this kind has no meaning here")),
        }
    }

    /// Writes a general register. 32-bit writes zero the upper half; narrower ones keep the other bits.
    pub fn write_general(&mut self, register: Register, word: &V::Word) {
        let full = &mut self.state.general[register.full_register().number()];
        let bits = 8 * register.size() as u32;
        *full = match bits {
            64 => word.clone(),
            32 => self.values.zero_extend(64, 32, word),
            _ => replace(self.values, 64, full, low_bit(register), bits, word),
        };
    }

    /// Writes a word of `bits` bits to a mask register, and zeros above.
    pub fn write_mask(&mut self, operand: u32, bits: u32, word: &V::Word) -> Outcome<(), V, M> {
        if !self.is_mask(operand) {
            return Err(self.unsupported("a mask register is expected"));
        }
        self.state.masks[self.register(operand).number()] = self.values.zero_extend(64, bits, word);
        Ok(())
    }

    /// Writes a vector of `bits` bits to operand 0, masked by lanes of `element` bits. The bits above become zero, or
    /// are kept if the instruction has a legacy encoding.
    pub fn finish(&mut self, element: u32, bits: u32, word: &V::Word) -> Outcome<(), V, M> {
        if !self.is_vector(0) {
            return Err(self.unsupported("a vector register is expected"));
        }
        let number = self.register(0).number();
        let old = self.state.vectors[number].clone();
        let word = self.masked(element, bits, word, &old)?;
        self.state.vectors[number] = match self.is_legacy() {
            true => replace(self.values, 512, &old, 0, bits, &word),
            false => self.values.zero_extend(512, bits, &word),
        };
        Ok(())
    }

    /// The lanes of `word` that the instruction's mask selects; the other lanes are those of the register `old`, or
    /// zero.
    fn masked(&mut self, element: u32, bits: u32, word: &V::Word, old: &V::Word) -> Outcome<V::Word, V, M> {
        let Some(mask) = self.lane_mask(bits / element) else { return Ok(word.clone()) };
        let other = match self.code().zeroing_masking() {
            true => self.values.zero(bits),
            false => self.values.extract(512, old, 0, bits),
        };
        Ok(self.choose_lanes(element, bits, &mask, word, &other))
    }

    /// The instruction's mask, one bit a lane, if it has one.
    pub fn lane_mask(&mut self, lanes: u32) -> Option<V::Word> {
        let register = self.code().op_mask();
        if register == Register::None {
            return None;
        }
        let mask = self.state.masks[register.number()].clone();
        Some(self.values.extract(64, &mask, 0, lanes))
    }

    /// For each lane, `then` where its bit of `mask` is 1, else `otherwise`.
    pub fn choose_lanes(
        &mut self,
        element: u32,
        bits: u32,
        mask: &V::Word,
        then: &V::Word,
        otherwise: &V::Word,
    ) -> V::Word {
        let lanes = bits / element;
        match self.values.known(lanes, mask) {
            Some(known) if known == u64::MAX >> (64 - lanes) => return then.clone(),
            Some(0) => return otherwise.clone(),
            _ => {}
        }
        let (then, otherwise) = (self.values.split(bits, then, element), self.values.split(bits, otherwise, element));
        let mut chosen = Vec::with_capacity(lanes as usize);
        for (lane, (then, otherwise)) in (0..).zip(then.iter().zip(&otherwise)) {
            let bit = self.values.extract(lanes, mask, lane, 1);
            chosen.push(match self.values.known(1, &bit) {
                Some(0) => otherwise.clone(),
                Some(_) => then.clone(),
                None => self.values.select(element, &bit, then, otherwise),
            });
        }
        self.values.join(element, &chosen)
    }

    /// The address of the memory operand plus `offset` bytes.
    pub fn address(&mut self, offset: u32) -> Outcome<V::Word, V, M> {
        let address = self.low_address(64)?;
        let offset = self.values.constant(64, u64::from(offset));
        Ok(self.values.add(64, &address, &offset))
    }

    /// The low `length` bits of the address of the memory operand. The sums are computed with no more bits than that.
    pub fn low_address(&mut self, length: u32) -> Outcome<V::Word, V, M> {
        let code = *self.code();
        if code.is_ip_rel_memory_operand() {
            let address = self.memory.displaced(self.values, self.instruction, code.ip_rel_memory_address());
            let bits = if code.memory_base() == Register::EIP { length.min(32) } else { length };
            let low = if bits == 64 { address } else { self.values.extract(64, &address, 0, bits) };
            return Ok(self.values.zero_extend(length, bits, &low));
        }
        let narrow = [code.memory_base(), code.memory_index()].iter().any(|r| r.is_gpr32());
        let bits = length.min(if narrow { 32 } else { 64 });
        if code.memory_index().is_vector_register() {
            return Err(self.unsupported("a vector of addresses has no meaning here"));
        }
        let mut address = match self.memory.linked(self.values, self.instruction, Filled::Displacement) {
            Some(displacement) => self.values.extract(64, &displacement, 0, bits),
            None => self.values.constant(bits, code.memory_displacement64() & (u64::MAX >> (64 - bits))),
        };
        if code.memory_base() != Register::None {
            let base = self.read_register(code.memory_base(), bits)?;
            address = self.values.add(bits, &base, &address);
        }
        if code.memory_index() != Register::None {
            let index = self.read_register(code.memory_index(), bits)?;
            let scaled = self.values.shl(bits, &index, code.memory_index_scale().trailing_zeros());
            address = self.values.add(bits, &address, &scaled);
        }
        Ok(self.values.zero_extend(length, bits, &address))
    }

    /// Loads `bits` bits from the memory operand, at an offset of `offset` bytes.
    pub fn load(&mut self, bits: u32, offset: u32) -> Outcome<V::Word, V, M> {
        let address = self.address(offset)?;
        let alignment = self.alignment(bits / 8);
        self.memory.load(self.values, &address, bits / 8, alignment).map_err(Stop::Fault)
    }

    pub fn store(&mut self, bits: u32, offset: u32, word: &V::Word) -> Outcome<(), V, M> {
        let address = self.address(offset)?;
        let alignment = self.alignment(bits / 8);
        self.memory.store(self.values, &address, bits / 8, alignment, word).map_err(Stop::Fault)
    }

    /// The alignment in bytes that the processor demands. Legacy forms align accesses of 16 bytes unless their name
    /// says otherwise; later ones align nothing unless their name says so (volume 1, 15.7 and 14.9).
    pub fn alignment(&self, bytes: u32) -> u32 {
        use Mnemonic as N;
        let mnemonic = self.code().mnemonic();
        let whole = bytes == self.code().memory_size().size() as u32;
        let aligned = match mnemonic {
            N::Movups | N::Movupd | N::Movdqu | N::Lddqu => false,
            N::Vmovaps | N::Vmovapd | N::Vmovdqa | N::Vmovdqa32 | N::Vmovdqa64 => whole,
            N::Vmovntdq | N::Vmovntdqa | N::Vmovntps | N::Vmovntpd => whole,
            _ => self.is_legacy() && bytes == 16,
        };
        if aligned { bytes } else { 1 }
    }
}

/// The lowest bit of a general register in the full one: 8 for ah, bh, ch, dh.
fn low_bit(register: Register) -> u32 {
    let high = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    if high { 8 } else { 0 }
}

/// `whole`, of `bits` bits, in which `part`, of `length` bits, replaces the bits from `low` on.
pub(super) fn replace<V: Values>(
    values: &mut V,
    bits: u32,
    whole: &V::Word,
    low: u32,
    length: u32,
    part: &V::Word,
) -> V::Word {
    let mut word = part.clone();
    let mut width = length;
    if low > 0 {
        let below = values.extract(bits, whole, 0, low);
        word = values.concat(width, &word, low, &below);
        width += low;
    }
    if width < bits {
        let above = values.extract(bits, whole, width, bits - width);
        word = values.concat(bits - width, &above, width, &word);
    }
    word
}
