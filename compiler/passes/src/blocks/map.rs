//! The form of a map: what depends on the block, and where results go.

use std::collections::BTreeMap;

use culet_ir::{
    Func, Index, Inst, Iterations, LoopData, Op, Origin, Over, RegionId, Slot, SlotKind, Type, Value, Which,
};

/// A loop over whole blocks whose iterations do not wait for one another.
pub(super) struct Map<'f> {
    pub func: &'f Func,
    pub data: &'f LoopData,
    pub stream: Slot,
    /// Bytes of a block.
    pub block: u32,
    /// The number that an iteration adds to each carried value.
    pub steps: Vec<u64>,
    /// By the numbers of values: whether they depend on the block.
    varying: Vec<bool>,
    /// Bits of the widest words on which operations are done in lanes.
    bits: u32,
    /// Bits of the target's registers, the widest first.
    registers: &'static [u32],
    /// The words that are results, in the order of their places.
    pub words: Vec<Word>,
}

/// A word that is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub slot: Slot,
    /// Bytes that an iteration adds to the output stream.
    pub added: u32,
    /// Place among them.
    pub at: u32,
    pub value: Value,
    /// Whether its most significant byte comes first.
    pub is_reversed: bool,
}

/// The work of one iteration.
#[derive(Default)]
struct Work {
    in_lanes: u64,
    /// Operations that each block needs for itself, on words that no register holds.
    apart: u64,
    bits: u32,
}

impl<'f> Map<'f> {
    /// The map of a loop; none if the loop has another form, or is better left as it is, with registers of
    /// these bits.
    pub fn of(func: &'f Func, data: &'f LoopData, registers: &'static [u32]) -> Option<Map<'f>> {
        let Some(Over::Whole { stream, block, which: Which { beyond: 0, iterations: Iterations::All } }) = data.over
        else {
            return None;
        };
        let region = func.region(data.region);
        let pairs = region.params.iter().zip(&region.results);
        let steps: Vec<u64> = pairs.map(|(&param, &next)| func.step(param, next)).collect::<Option<_>>()?;
        let varying = vec![false; func.values.len()];
        let mut map = Map { func, data, stream, block, steps, varying, bits: 0, registers, words: Vec::new() };
        for (&param, &step) in region.params.iter().zip(&map.steps) {
            map.varying[param.index()] = step != 0;
        }
        if !map.is_made_of_words(data.region) {
            return None;
        }
        while map.spread(data.region) {}
        map.words = map.results()?;
        let mut work = Work::default();
        map.count(data.region, 1, &mut work);
        map.bits = work.bits;
        let lanes = map.lanes(*registers.first()?)?;
        let is_worth_it = !map.words.is_empty() && work.in_lanes >= 2 * work.apart;
        let fits = block.checked_mul(lanes).is_some_and(|group| group <= 1 << 16);
        (is_worth_it && fits).then_some(map)
    }

    /// Whether words side by side that have so many bits together are a register of the target.
    pub fn is_register(&self, bits: u32) -> bool {
        self.registers.contains(&bits)
    }

    /// Number of blocks in a group that fills registers of this many bits.
    pub fn lanes(&self, register_bits: u32) -> Option<u32> {
        register_bits.checked_div(self.bits).filter(|&lanes| lanes > 1)
    }

    /// The loop's stream in groups of blocks.
    pub fn over(&self, lanes: u32, which: Which) -> Over {
        Over::Whole { stream: self.stream, block: self.block * lanes, which }
    }

    pub fn is_varying(&self, value: Value) -> bool {
        self.varying[value.index()]
    }

    /// The instruction of the loop that defines a value.
    pub fn definition(&self, value: Value) -> Option<Inst> {
        match self.func.value(value).origin {
            Origin::Result(inst, _) => Some(inst),
            Origin::Param(..) => None,
        }
    }

    /// Whether a region has nothing but operations on words, reads of what nobody writes, and stores to output streams.
    fn is_made_of_words(&self, region: RegionId) -> bool {
        self.func.region(region).insts.iter().all(|&inst| {
            let data = self.func.inst(inst);
            let are_words = data.results.iter().all(|&result| matches!(self.func.ty(result), Type::Word(_)));
            are_words
                && match &data.op {
                    Op::Load { slot, .. } => {
                        let kind = &self.func.slot(*slot).kind;
                        *slot == self.stream
                            || matches!(kind, SlotKind::Input { .. } | SlotKind::Constants(_) | SlotKind::Local)
                    }
                    Op::Store { slot, .. } => {
                        region == self.data.region && self.func.slot(*slot).kind == SlotKind::OutStream
                    }
                    Op::Loop(l) => l.over.is_none() && self.is_made_of_words(l.region),
                    Op::Call(_) | Op::Field(_) => false,
                    op => op.is_pure(),
                }
        })
    }

    /// Marks values of a region that depend on the block, and says whether it marked any.
    fn spread(&mut self, region: RegionId) -> bool {
        let func = self.func;
        let mut is_new = false;
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            if let Op::Loop(l) = &data.op {
                let inner = func.region(l.region);
                for (((&arg, &param), &next), &result) in
                    data.args.iter().zip(&inner.params).zip(&inner.results).zip(&data.results)
                {
                    if self.is_varying(arg) || self.is_varying(next) {
                        is_new |= self.mark(param) | self.mark(result);
                    }
                }
                is_new |= self.spread(l.region);
                continue;
            }
            let is_read = matches!(&data.op, Op::Load { slot, .. } if *slot == self.stream);
            if is_read || data.args.iter().any(|&arg| self.is_varying(arg)) {
                for &result in &data.results {
                    is_new |= self.mark(result);
                }
            }
        }
        is_new
    }

    fn mark(&mut self, value: Value) -> bool {
        !std::mem::replace(&mut self.varying[value.index()], true)
    }

    /// Adds up the work of a region that is done `times` times.
    fn count(&self, region: RegionId, times: u64, work: &mut Work) {
        let own = self.func.region(self.data.region);
        for &inst in &self.func.region(region).insts {
            let data = self.func.inst(inst);
            if let Op::Loop(l) = &data.op {
                self.count(l.region, times.saturating_mul(l.trip_count()), work);
                continue;
            }
            let Some(&result) = data.results.first().filter(|&&result| self.is_varying(result)) else { continue };
            let bits = self.func.ty(result).bits();
            match &data.op {
                // Counters go on by one addition for a group.
                _ if own.results.contains(&result) => {}
                // The bytes of words are read and written as words.
                Op::Load { .. } => {}
                Op::Concat | Op::Extract(_) if region == self.data.region => {}
                op if is_in_lanes(op, bits) && !self.has_varying_condition(inst) => {
                    work.in_lanes = work.in_lanes.saturating_add(times);
                    work.bits = work.bits.max(bits);
                }
                _ => work.apart = work.apart.saturating_add(times),
            }
        }
    }

    /// Whether an instruction chooses by a bit that depends on the block.
    pub fn has_varying_condition(&self, inst: Inst) -> bool {
        let data = self.func.inst(inst);
        matches!(data.op, Op::Select) && self.is_varying(data.args[0])
    }

    /// The words that the loop writes; none if it writes bytes in another way.
    fn results(&self) -> Option<Vec<Word>> {
        let mut bytes: BTreeMap<(Slot, u32), (u32, Value)> = BTreeMap::new();
        for &inst in &self.func.region(self.data.region).insts {
            let data = self.func.inst(inst);
            let Op::Store { slot, index } = &data.op else { continue };
            let &[(_, added)] = &index.terms[..] else { return None };
            let at = u32::try_from(index.constant).ok()?;
            let before = bytes.insert((*slot, at), (added as u32, data.args[0]));
            if before.is_some() {
                return None;
            }
        }
        let mut words: Vec<Word> = Vec::new();
        let mut left = bytes.into_iter().peekable();
        while let Some(((slot, at), (added, first))) = left.next() {
            let Some((value, low)) = self.part(first) else {
                words.push(Word { slot, added, at, value: first, is_reversed: false });
                continue;
            };
            let bits = self.func.ty(value).bits();
            let is_reversed = low != 0;
            let low_of = |byte: u32| if is_reversed { bits - 8 - 8 * byte } else { 8 * byte };
            if low != low_of(0) {
                return None;
            }
            for byte in 1..bits / 8 {
                let next = left.next_if(|(place, _)| *place == (slot, at + byte));
                let (_, (_, next)) = next?;
                if self.part(next) != Some((value, low_of(byte))) {
                    return None;
                }
            }
            words.push(Word { slot, added, at, value, is_reversed });
        }
        Some(words)
    }

    /// The bytes of a word that is read from the stream most significant byte first, the least significant one first.
    pub fn reversed_bytes(&self, word: Value) -> Option<Vec<Value>> {
        let mut bytes = Vec::new();
        self.add_bytes(word, &mut bytes)?;
        let place = |byte: &Value| match &self.func.inst(self.definition(*byte)?).op {
            Op::Load { slot, index } if *slot == self.stream => Some(index),
            _ => None,
        };
        let places: Vec<&Index> = bytes.iter().map(place).collect::<Option<_>>()?;
        let is_before = |pair: &[&Index]| pair[0].terms == pair[1].terms && pair[0].constant == pair[1].constant + 1;
        (matches!(bytes.len(), 2 | 4 | 8) && places.windows(2).all(is_before)).then_some(bytes)
    }

    /// The word of whose bytes another one is joined in the other order, and the lowest bit of these.
    pub fn reversed_part(&self, word: Value) -> Option<(Value, u32)> {
        let mut bytes = Vec::new();
        self.add_bytes(word, &mut bytes)?;
        let part = |byte: &Value| {
            let data = self.func.inst(self.definition(*byte)?);
            let Op::Extract(low) = data.op else { return None };
            Some((data.args[0], u32::from(low)))
        };
        let parts: Vec<(Value, u32)> = bytes.iter().map(part).collect::<Option<_>>()?;
        let is_below = |pair: &[(Value, u32)]| pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1 + 8;
        (matches!(bytes.len(), 2 | 4 | 8) && parts.windows(2).all(is_below)).then(|| parts[parts.len() - 1])
    }

    /// Adds the bytes that a word is joined from, the least significant one first.
    fn add_bytes(&self, word: Value, bytes: &mut Vec<Value>) -> Option<()> {
        if self.func.ty(word).bits() == 8 {
            bytes.push(word);
            return Some(());
        }
        let data = self.func.inst(self.definition(word)?);
        let (Op::Concat, &[high, low]) = (&data.op, &data.args[..]) else { return None };
        self.add_bytes(low, bytes)?;
        self.add_bytes(high, bytes)
    }

    /// The word that a byte is taken out of, and the lowest bit there.
    fn part(&self, byte: Value) -> Option<(Value, u32)> {
        let data = self.func.inst(self.definition(byte)?);
        let Op::Extract(low) = data.op else { return None };
        let word = data.args[0];
        matches!(self.func.ty(word).bits(), 16 | 32 | 64).then_some((word, u32::from(low)))
    }
}

/// Whether an operation with a result of this many bits is one on lanes.
pub(super) fn is_in_lanes(op: &Op, bits: u32) -> bool {
    matches!(bits, 8 | 16 | 32 | 64) && op.is_on_lanes(bits)
}
