//! Bytes in a row that are read or written as one word.

use culet_ir::{InstData, Op, Origin, Slot, SlotKind, Type, Value};

use super::build::Builder;
use super::graph::{Kind, NodeId, Place, Statement, Ty};

/// Bytes of a block whose halves are lanes.
const BLOCK: i64 = 16;

/// Bytes in a row that are read, as the bytes of a word.
#[derive(Clone)]
pub(super) struct Run {
    /// Place of the first byte in memory.
    pub start: Place,
    pub bytes: u32,
    /// Whether the first byte is the most significant; has no meaning for a single byte.
    pub is_turned: bool,
}

impl Run {
    /// Whether it is a word of `bits` bits, least significant byte first.
    pub fn is_word(&self, bits: u32) -> bool {
        8 * self.bytes == bits && (self.bytes == 1 || !self.is_turned)
    }

    pub fn of_byte(start: Place) -> Run {
        Run { start, bytes: 1, is_turned: false }
    }

    /// The run in which these are the upper and `low` the lower bytes of a word, if the bytes are consecutive.
    fn above(&self, low: &Run) -> Option<Run> {
        let has_order = |run: &Run, is_turned| run.bytes == 1 || run.is_turned == is_turned;
        let joined = |first: &Run, second: &Run, is_turned| {
            let is_next = second.start.behind(&first.start) == Some(first.bytes.into());
            let fits = is_next && has_order(first, is_turned) && has_order(second, is_turned);
            fits.then(|| Run { start: first.start.clone(), bytes: first.bytes + second.bytes, is_turned })
        };
        joined(low, self, false).or_else(|| joined(self, low, true))
    }
}

/// Bytes of a word that are written, from the lowest on.
pub(super) struct Written {
    whole: Value,
    start: Place,
    bytes: u32,
}

impl Builder<'_> {
    /// Whether runs of bytes that are read from a slot are recorded.
    pub(super) fn is_in_runs(&self, slot: Slot) -> bool {
        let kind = &self.func.slot(slot).kind;
        (matches!(kind, SlotKind::Input { .. }) || kind.is_stream()) && self.is_bytes(slot)
    }

    fn is_bytes(&self, slot: Slot) -> bool {
        self.func.slot(slot).element == Type::Word(8)
    }

    /// Reads words of neighbouring blocks of 16 bytes, joined side by side, together.
    pub(super) fn joined_halves(&mut self, data: &InstData) -> bool {
        let Some(Run { start: first, bytes: 8, is_turned: false }) = self.runs.get(&data.args[0]).cloned() else {
            return false;
        };
        let is_next = |(lane, arg): (i64, &Value)| {
            self.runs.get(arg).is_some_and(|Run { start: place, bytes, is_turned }| {
                *bytes == 8 && !is_turned && place.behind(&first) == Some(BLOCK * lane)
            })
        };
        let &[(_, block)] = &first.index.terms[..] else { return false };
        let is_aligned = block % BLOCK == 0 && first.index.constant % 8 == 0;
        if !is_aligned || data.args.len() != self.integers.lanes as usize || !(0..).zip(&data.args).all(is_next) {
            return false;
        }
        let is_high = first.index.constant % BLOCK != 0;
        let mut start = first;
        start.index.constant -= start.index.constant % BLOCK;
        let node = self.graph.halves(start, is_high, self.integers.register());
        self.set(data.results[0], node);
        true
    }

    /// Reads consecutive bytes that are put together as one word if lanes are instances, or if there are as many as a
    /// word has. Otherwise it only records the run.
    pub(super) fn joined_run(&mut self, data: &InstData) -> bool {
        let [Some(high), Some(low)] = [0, 1].map(|index| self.runs.get(&data.args[index])) else {
            return false;
        };
        let Some(run) = high.above(low).filter(|run| !(run.is_turned && self.integers.has_lanes)) else {
            return false;
        };
        self.runs.insert(data.results[0], run.clone());
        let Run { start, bytes, is_turned } = run;
        let ty = match bytes {
            _ if self.integers.has_lanes => self.integers.register(),
            4 | 8 => self.integers.holding(8 * bytes),
            _ => return false,
        };
        let read = self.graph.load(start, ty, 8 * bytes);
        let node = if is_turned { self.graph.operation(Kind::Swap, &[read], ty) } else { read };
        self.set(data.results[0], node);
        true
    }

    /// Later reads may be from the memory of a result that was written.
    fn forget_reads(&mut self) {
        self.runs.clear();
        self.rows.clear();
        self.store_register();
    }

    /// Records that the end of a result is written.
    pub(super) fn wrote_end(&mut self) {
        (self.written, self.row) = (None, None);
        self.forget_reads();
    }

    /// Records that a byte was written. If it completes a word with the bytes before it, the word is written instead.
    pub(super) fn wrote(&mut self, place: &Place, value: Value) {
        let before = self.written.take();
        let is_result = matches!(self.func.slot(place.slot).kind, SlotKind::Output | SlotKind::OutStream);
        if is_result {
            self.forget_reads();
        }
        if self.integers.has_lanes || !is_result || !self.is_bytes(place.slot) {
            return;
        }
        let Some((whole, low)) = self.parts[value.index()] else { return };
        let written = match before {
            _ if low == 0 => Written { whole, start: place.clone(), bytes: 1 },
            Some(before) if before.is_before(place, whole, low) => Written { bytes: before.bytes + 1, ..before },
            _ => return,
        };
        let bits = self.bits(whole);
        match bits {
            32 | 64 if 8 * written.bytes == bits => self.write_whole(written),
            16 if written.bytes == 2 && self.is_lane(written.whole) => self.write_whole(written),
            _ => self.written = Some(written),
        }
    }

    fn write_whole(&mut self, written: Written) {
        let Ok(node) = self.clean(written.whole) else { return };
        let node = self.graph.convert(node, Ty::of(self.bits(written.whole)));
        self.replace_stores(written.bytes, written.start, node);
        self.store_register();
    }

    /// Writes one word in the place of the last `count` bytes that were written.
    pub(super) fn replace_stores(&mut self, count: u32, start: Place, node: NodeId) {
        let mut left = count;
        while left > 0
            && let Some(at) = self.graph.statements.iter().rposition(|one| matches!(one, Statement::Store(..)))
        {
            self.graph.statements.remove(at);
            left -= 1;
        }
        self.row = None;
        self.graph.statements.push(Statement::Store(start, node));
    }

    /// Whether a word is taken out of a register.
    fn is_lane(&self, word: Value) -> bool {
        let Origin::Result(inst, _) = self.func.value(word).origin else { return false };
        matches!(self.func.inst(inst).op, Op::Lane(_))
    }
}

impl Written {
    /// Whether these bits of a word, written at this place, continue the written bytes.
    fn is_before(&self, place: &Place, whole: Value, low: u8) -> bool {
        whole == self.whole && u32::from(low) == 8 * self.bytes && place.behind(&self.start) == Some(self.bytes.into())
    }
}
