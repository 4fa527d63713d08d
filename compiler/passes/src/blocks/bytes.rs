//! Bytes as parts of words: in a loop over whole blocks, bytes of a result that are operations on bytes of words become
//! bytes of operations on words, and a word that is joined from neighbouring parts of another is a part of that.

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Index, Inst, Module, Op, Over, Slot, SlotKind, Type, Value};

/// The module with words in its loops over whole blocks.
pub(super) fn as_words(module: &Module) -> Module {
    let mut module = module.clone();
    for func in module.funcs.iter_mut().filter(|func| !func.no_opt) {
        let mut pass = AsWords { depth: 0, stores: Vec::new(), is_changed: false };
        let new = transform(func, &mut pass);
        if pass.is_changed {
            *func = new;
        }
    }
    module
}

/// A byte that is written.
struct Store {
    slot: Slot,
    index: Index,
    byte: Value,
}

struct AsWords {
    /// The number of loops around, from the one over blocks on.
    depth: u32,
    /// Bytes of results, which are written at the end of the iteration.
    stores: Vec<Store>,
    is_changed: bool,
}

impl Transform for AsWords {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        match &data.op {
            Op::Loop(l) if self.depth == 0 && !matches!(l.over, Some(Over::Whole { .. })) => {
                copier.copy(self, to, inst);
            }
            Op::Loop(l) => {
                self.depth += 1;
                let (new, around) = copier.begin_loop(to, l, &copier.args(inst));
                let params = to.func.region(to.region).params.clone();
                copier.enter_loop(to, l, &params);
                let next = copier.region(self, to, l.region);
                self.depth -= 1;
                if self.depth == 0 {
                    self.write(to);
                }
                to.end_loop(around, next);
                copier.set_all(&data.results, &to.func.inst(new).results);
            }
            Op::Store { slot, index } if self.depth == 1 && from.slot(*slot).kind == SlotKind::OutStream => {
                let (slot, index) = (copier.slot(*slot), copier.index(index));
                self.stores.push(Store { slot, index, byte: copier.value(data.args[0]) });
            }
            Op::Concat if self.depth > 0 => {
                let args = copier.args(inst);
                let ty = from.ty(data.results[0]);
                let word = neighbours(to, args[0], args[1], ty);
                self.is_changed |= word.is_some();
                let word = word.unwrap_or_else(|| to.emit1(Op::Concat, args, ty));
                copier.set(data.results[0], word);
            }
            _ => drop(copier.copy(self, to, inst)),
        }
    }
}

impl AsWords {
    /// Writes the bytes of an iteration, in the order of their places.
    fn write(&mut self, to: &mut Builder) {
        let mut stores = std::mem::take(&mut self.stores);
        stores.sort_by_key(|store| (store.slot.0, store.index.constant));
        let mut at = 0;
        while at < stores.len() {
            let count = bytes_of_word(to, stores[at].byte, DEPTH);
            let first = &stores[at];
            let is_next = |(store, place): (&Store, i64)| {
                let is_behind = store.index.constant == first.index.constant + place;
                is_behind && store.slot == first.slot && store.index.terms == first.index.terms
            };
            let word = stores.get(at..at + count).filter(|word| count > 1 && word.iter().zip(0..).all(is_next));
            let bytes: Option<Vec<Value>> = word.map(|word| word.iter().map(|store| store.byte).collect());
            let Some(word) = bytes.and_then(|bytes| word_of(to, &bytes, DEPTH)) else {
                at += 1;
                continue;
            };
            for (store, place) in stores[at..at + count].iter_mut().zip(0..) {
                let is_part = part(to, store.byte).is_some();
                if !is_part {
                    self.is_changed = true;
                    store.byte = word.byte(to, place);
                }
            }
            at += count;
        }
        for Store { slot, index, byte } in stores {
            to.emit(Op::Store { slot, index }, [byte], &[]);
        }
    }
}

/// A word whose bytes are written one after another.
struct Word {
    value: Value,
    /// Whether its most significant byte comes first.
    is_reversed: bool,
}

impl Word {
    fn byte(&self, to: &mut Builder, at: u32) -> Value {
        let bits = to.func.ty(self.value).bits();
        let low = if self.is_reversed { bits - 8 - 8 * at } else { 8 * at };
        to.emit1(Op::Extract(low as u8), [self.value], Type::Word(8))
    }
}

/// The word of which a value is a part, and the lowest bit there.
fn part(to: &Builder, value: Value) -> Option<(Value, u32)> {
    let data = to.definition(value)?;
    let Op::Extract(low) = data.op else { return None };
    Some((data.args[0], low.into()))
}

/// A word made of two, if they are neighbouring parts of one word.
fn neighbours(to: &mut Builder, high: Value, low: Value, ty: Type) -> Option<Value> {
    let ((word, above), (other, lowest)) = (part(to, high)?, part(to, low)?);
    if word != other || above != lowest + to.func.ty(low).bits() {
        return None;
    }
    Some(match to.func.ty(word) == ty {
        true => word,
        false => to.emit1(Op::Extract(lowest as u8), [word], ty),
    })
}

/// The number of operations inside one another between a result and words.
const DEPTH: u32 = 3;

/// The number of bytes of the word that a byte is a part of, or an operation on a part; 1 if there is none.
fn bytes_of_word(to: &Builder, byte: Value, depth: u32) -> usize {
    let Some(data) = to.definition(byte) else { return 1 };
    match data.op {
        Op::Extract(_) => match to.func.ty(data.args[0]).bits() {
            bits @ (16 | 32 | 64) => bits as usize / 8,
            _ => 1,
        },
        ref op if depth > 0 && is_bitwise(op) => {
            data.args.iter().map(|&arg| bytes_of_word(to, arg, depth - 1)).max().unwrap_or(1)
        }
        _ => 1,
    }
}

/// Whether each bit of the result depends on the same bit of the operands only.
fn is_bitwise(op: &Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Andn | Op::Not)
}

/// The word that has these bytes, if some of what they are made of is a word.
fn word_of(to: &mut Builder, bytes: &[Value], depth: u32) -> Option<Word> {
    let count = bytes.len() as u32;
    if let Some(parts) = bytes.iter().map(|&byte| part(to, byte)).collect::<Option<Vec<_>>>() {
        let (value, first) = parts[0];
        let is_reversed = first != 0;
        let low_of = |at: u32| 8 * if is_reversed { count - 1 - at } else { at };
        let is_whole = to.func.ty(value).bits() == 8 * count;
        return (is_whole && parts.iter().zip(0..).all(|(&part, at)| part == (value, low_of(at))))
            .then_some(Word { value, is_reversed });
    }
    let ty = Type::Word(8 * bytes.len() as u8);
    let op = to.definition(bytes[0]).map(|data| data.op.clone()).filter(|op| depth > 0 && is_bitwise(op))?;
    let args: Vec<Vec<Value>> = bytes
        .iter()
        .map(|&byte| to.definition(byte).filter(|data| data.op == op).map(|data| data.args.to_vec()))
        .collect::<Option<_>>()?;
    let sides: Vec<Vec<Value>> = (0..args[0].len()).map(|side| args.iter().map(|own| own[side]).collect()).collect();
    let words: Vec<Option<Word>> = sides.iter().map(|side| word_of(to, side, depth - 1)).collect();
    let is_reversed = words.iter().flatten().next()?.is_reversed;
    let words: Vec<Value> = words
        .into_iter()
        .zip(&sides)
        .map(|(word, side)| match word {
            Some(word) if word.is_reversed == is_reversed => word.value,
            _ => joined(to, side, is_reversed),
        })
        .collect();
    Some(Word { value: to.emit1(op, words, ty), is_reversed })
}

/// A word that is joined from bytes.
pub(super) fn joined(to: &mut Builder, bytes: &[Value], is_reversed: bool) -> Value {
    let from_lowest: Vec<Value> = if is_reversed { bytes.iter().rev().copied().collect() } else { bytes.to_vec() };
    let mut word = from_lowest[0];
    for (&byte, bits) in from_lowest[1..].iter().zip((16..).step_by(8)) {
        word = to.emit1(Op::Concat, [byte, word], Type::Word(bits));
    }
    word
}
