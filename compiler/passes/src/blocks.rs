//! Blocks of a stream side by side: a map over a stream whose iterations do not wait for one another goes through as many
//! blocks at once as a register has lanes.
//!
//! A loop over groups of blocks comes first, for each width of registers; each further loop takes what the groups before
//! leave over, and the last one goes through single blocks as before. In a group, a word of the loop becomes a register
//! with the word of each block in its lane. What does not depend on the block stays one word, and is copied to all lanes
//! where it meets others. A carried value is a counter: each iteration adds the same number to it (`blocks/map`).
//!
//! Results are written block by block, in registers whose lanes are consecutive words of one block. Where words of the
//! text meet them last, as in the mode of a stream cipher, they do so there, and only the key stream is turned from columns
//! into rows (`blocks/rows`). Bytes of results that are made one by one are made as words first (`blocks/bytes`). Words that
//! memory has most significant byte first are turned around in registers (`blocks/reversed`).
//!
//! A loop of another form stays as it is: one that carries anything else, that stores to slots, or that does most of its
//! work on words that no register holds.

mod bytes;
mod group;
mod map;
mod reversed;
mod rows;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Inst, Iterations, LoopData, Module, Op, Over, SlotKind, Value, Which};

use crate::{COPY, CSE, Context, DCE, FOLD, UNROLL};
use group::Group;
use map::Map;

pub fn run(module: &mut Module, context: &Context) {
    let registers = context.block_registers;
    if registers.is_empty() {
        return;
    }
    let divided = divided(module, registers);
    let divided =
        divided.or_else(|| without_arrays(module, context).and_then(|module| self::divided(&module, registers)));
    if let Some(divided) = divided {
        *module = divided;
        for pass in [CSE, DCE] {
            (pass.run)(module, context);
        }
    }
}

/// The module with its maps divided; none if it has no map.
fn divided(module: &Module, registers: &'static [u32]) -> Option<Module> {
    let (mut divided, mut blocks) = (bytes::as_words(module), Blocks { registers, is_found: false });
    for func in divided.funcs.iter_mut().filter(|func| !func.no_opt) {
        *func = transform(func, &mut blocks);
    }
    blocks.is_found.then_some(divided)
}

/// The module with values in place of its own arrays, as far as loops over their elements are short; none if it has no
/// arrays or makes no stream.
fn without_arrays(module: &Module, context: &Context) -> Option<Module> {
    let has = |kind: &SlotKind| module.entry().slots.iter().any(|slot| slot.kind == *kind);
    if !has(&SlotKind::Local) || !has(&SlotKind::OutStream) {
        return None;
    }
    let mut module = module.clone();
    for pass in [UNROLL, FOLD, COPY, CSE, DCE] {
        (pass.run)(&mut module, context);
    }
    Some(module)
}

struct Blocks {
    /// Bits of registers, the widest first.
    registers: &'static [u32],
    /// Whether there was a map.
    is_found: bool,
}

impl Transform for Blocks {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        let Op::Loop(l) = &data.op else {
            copier.keep(to, inst);
            return;
        };
        let Some(map) = Map::of(from, l, self.registers) else {
            copier.copy(self, to, inst);
            return;
        };
        self.is_found = true;
        let mut carried = copier.args(inst).to_vec();
        let mut before = 0;
        for &register in self.registers {
            let Some(lanes) = map.lanes(register) else { continue };
            let which = Which { beyond: before / lanes, iterations: Iterations::All };
            carried = in_groups(&map, lanes, which, copier, to, &carried);
            before = lanes;
        }
        let which = Which { beyond: before, iterations: Iterations::All };
        let rest = LoopData { over: Some(map.over(1, which)), ..**l };
        let (new, around) = copier.begin_loop(to, &rest, &carried);
        let params = to.func.region(to.region).params.clone();
        copier.enter_loop(to, l, &params);
        let next = copier.region(self, to, l.region);
        to.end_loop(around, next);
        copier.set_all(&data.results, &to.func.inst(new).results);
    }
}

/// Goes through groups of `lanes` blocks, and returns the carried values after them.
fn in_groups(
    map: &Map<'_>,
    lanes: u32,
    which: Which,
    copier: &Copier<'_>,
    to: &mut Builder,
    carried: &[Value],
) -> Vec<Value> {
    let over: Over = map.over(lanes, which);
    let (new, around) = copier.begin_loop(to, &LoopData { over: Some(over), ..*map.data }, carried);
    let params = to.func.region(to.region).params.clone();
    let mut group = Group::new(map, lanes, copier.clone(), to);
    group.body(to, &params);
    let next = group.after(to, &params);
    to.end_loop(around, next);
    to.func.inst(new).results.to_vec()
}
