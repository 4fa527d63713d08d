//! Results of any length in the places of the streams whose length they have: a block is read before what becomes of it is written there.
//!
//! Statements read and write memory in their order, so that they are followed in it. Loops over a stream share its blocks among them, as the
//! verifier of the IR checks; so one iteration stands for all, and of the blocks of the loops before, none is read any more. Nothing is read
//! after the end of a result was written.

use std::collections::{HashMap, HashSet};

use culet_ir::{CounterId, Func, Iterations, LoopData, Op, Over, RegionId, Slot, SlotKind, Which};

use super::Unwritable;
use super::build::Built;
use super::graph::{Graph, Kind, NodeId, Place, Statement, Ty};
use super::live::Live;
use super::made;

/// The streams in whose places results stand, with these results.
pub(super) fn places(func: &Func) -> HashMap<Slot, Slot> {
    let mut places = HashMap::new();
    places_in(func, func.body, None, &mut places);
    places
}

fn places_in(func: &Func, region: RegionId, stream: Option<Slot>, places: &mut HashMap<Slot, Slot>) {
    for &inst in &func.region(region).insts {
        match &func.inst(inst).op {
            Op::Loop(l) => places_in(func, l.region, l.over.map(Over::stream).or(stream), places),
            Op::Store { slot, .. } if func.slot(*slot).kind == SlotKind::OutStream => {
                // A result that is made of another one has a place of its own.
                let text = stream.filter(|stream| func.slot(*stream).kind != SlotKind::OutStream);
                places.extend(text.map(|text| (text, *slot)));
            }
            _ => {}
        }
    }
}

/// Checks that the results of a function may stand in the places of its streams.
///
/// # Errors
///
/// The reason why they may not.
pub(super) fn check(func: &Func, built: &Built) -> Result<(), Unwritable> {
    let (places, made) = (places(func), made::of(func));
    let name = |slot: Slot| func.slot(slot).name.as_str();
    for (index, slot) in (0..).zip(&func.slots) {
        let result = Slot(index);
        let has_text = made.get(&result).is_some_and(|made| func.slot(made.stream).kind != SlotKind::OutStream);
        if has_text && !places.values().any(|other| *other == result) {
            let other = format!("`{}` and another result would stand in one place", slot.name);
            return Err(Unwritable(other));
        }
        if let (SlotKind::Joined(_), Some(whole)) = (&slot.kind, places.get(&result)) {
            return Err(Unwritable(format!("`{}` is as long as several streams one after another", name(*whole))));
        }
    }
    let live = Live::of(&built.graph, &built.body);
    let written = HashMap::new();
    let mut walk = Walk { func, graph: &built.graph, live, places, counters: HashMap::new(), around: None, written };
    walk.statements(&built.body)
}

/// A loop over the whole blocks of a stream.
#[derive(Clone, Copy)]
struct Blocks {
    stream: Slot,
    counter: CounterId,
    block: u32,
    which: Which,
}

/// The writes in the place of a stream so far.
#[derive(Default)]
struct Written {
    /// The last loop that wrote.
    before: Option<Blocks>,
    /// Bytes of the block at hand.
    bytes: HashSet<i64>,
    /// Whether the end was written.
    has_end: bool,
}

struct Walk<'b> {
    func: &'b Func,
    graph: &'b Graph,
    live: Live,
    places: HashMap<Slot, Slot>,
    counters: HashMap<CounterId, i64>,
    around: Option<Blocks>,
    /// By the stream.
    written: HashMap<Slot, Written>,
}

impl Walk<'_> {
    fn statements(&mut self, statements: &[Statement]) -> Result<(), Unwritable> {
        for statement in statements {
            match statement {
                Statement::Node(id) => self.node(*id)?,
                Statement::Store(place, id) => self.store(place, self.graph.ty(*id))?,
                Statement::Loop(l) => self.loop_(&l.data, &l.body)?,
                // A part of a block is behind all whole blocks, also of those that are multiples of it.
                Statement::Tail(tail) => {
                    self.joined(tail.stream)?;
                    let Some(written) = self.written.get(&tail.stream) else { continue };
                    if written.has_end || written.before.is_some_and(|before| !before.block.is_multiple_of(tail.block))
                    {
                        return Err(self.late(tail.stream));
                    }
                }
                Statement::StoreTail(end) => {
                    let text = self.places.iter().find(|(_, result)| **result == end.to).map(|(text, _)| *text);
                    if let Some(text) = text {
                        self.written.entry(text).or_default().has_end = true;
                    }
                }
                // Only arrays of known lengths are copied by loops of their own.
                Statement::Copies(_) => {}
                Statement::Call(_, arrays) => {
                    let of_call = |slot: Slot| {
                        arrays
                            .parameters
                            .iter()
                            .chain(&arrays.results)
                            .any(|place| place.slot == slot || self.parts(place.slot).contains(&slot))
                    };
                    if let Some((text, _)) =
                        self.places.iter().find(|(text, result)| of_call(**text) || of_call(**result))
                    {
                        return Err(self.late(*text));
                    }
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Result<(), Unwritable> {
        let node = self.graph.node(id);
        let Some(place) = node.kind.read().filter(|_| self.live.uses[id.0 as usize] > 0) else { return Ok(()) };
        if !self.places.contains_key(&place.slot) {
            return self.joined(place.slot);
        }
        let bytes = match (&node.kind, node.ty) {
            (Kind::Halves(..), Ty::Lanes(shape)) => 16 * i64::from(shape.lanes),
            (_, Ty::Lanes(_) | Ty::Pair | Ty::Quad) => bytes(node.ty),
            _ => i64::from(node.width().div_ceil(8).max(1)),
        };
        let first = self.offset(place, place.slot)?;
        let written = self.written.entry(place.slot).or_default();
        if written.has_end || (first..first + bytes).any(|byte| written.bytes.contains(&byte)) {
            return Err(self.late(place.slot));
        }
        Ok(())
    }

    /// Checks that of streams that are read one after another as one, none was written, and none is written while they are read.
    fn joined(&self, slot: Slot) -> Result<(), Unwritable> {
        let Some(part) = self.parts(slot).iter().find(|part| self.places.contains_key(part)) else { return Ok(()) };
        let is_another = self.around.is_some_and(|around| around.stream != slot);
        let is_written = |part: &Slot| {
            let written = self.written.get(part);
            written.is_some_and(|written| written.has_end || written.before.is_some() || !written.bytes.is_empty())
        };
        match self.parts(slot).iter().find(|part| is_written(part)) {
            Some(written) => Err(self.late(*written)),
            None if is_another => Err(self.late(*part)),
            None => Ok(()),
        }
    }

    /// The streams that are read one after another as one. The ends of streams as arrays are no slots of the function.
    fn parts(&self, slot: Slot) -> &[Slot] {
        match self.func.slots.get(slot.index()).map(|slot| &slot.kind) {
            Some(SlotKind::Joined(parts)) => parts,
            _ => &[],
        }
    }

    fn store(&mut self, place: &Place, ty: Ty) -> Result<(), Unwritable> {
        let text = self.places.iter().find(|(_, result)| **result == place.slot).map(|(text, _)| *text);
        let Some(text) = text else { return Ok(()) };
        let first = self.offset(place, text)?;
        self.written.entry(text).or_default().bytes.extend(first..first + bytes(ty));
        Ok(())
    }

    /// The first byte of a place in the block at hand of a stream.
    fn offset(&self, place: &Place, text: Slot) -> Result<i64, Unwritable> {
        let Some(Blocks { stream, counter, block, .. }) = self.around.filter(|around| around.stream == text) else {
            return Err(self.late(text));
        };
        let mut offset = place.index.constant;
        for &(own, factor) in &place.index.terms {
            if own == counter {
                if factor != i64::from(block) {
                    return Err(self.of_other_size(place.slot, stream));
                }
            } else {
                offset += factor * self.counters.get(&own).copied().unwrap_or_default();
            }
        }
        Ok(offset)
    }

    fn loop_(&mut self, data: &LoopData, body: &[Statement]) -> Result<(), Unwritable> {
        match data.over {
            Some(Over::Whole { stream, block, which }) => {
                self.blocks(Blocks { stream, counter: data.counter, block, which }, body)
            }
            Some(Over::Rest { .. } | Over::Short { .. }) => self.statements(body),
            None if self.touches(body) => {
                for number in data.first.min(data.last)..=data.last.max(data.first) {
                    let number = if data.first <= data.last { number } else { data.first + data.last - number };
                    self.counters.insert(data.counter, number);
                    self.statements(body)?;
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Follows one iteration of a loop over a stream, which stands for all. A loop over a stream that has another such loop in it must not write, and
    /// nothing that it reads was written.
    fn blocks(&mut self, blocks: Blocks, body: &[Statement]) -> Result<(), Unwritable> {
        let Blocks { stream, .. } = blocks;
        if self.around.is_none() && !self.writes(body) && !self.reads(body, &|text| self.written.contains_key(&text)) {
            return Ok(());
        }
        if self.around.is_some() && self.touches(body) {
            return Err(self.late(stream));
        }
        if let Some(before) = self.written.get(&stream).and_then(|written| written.before)
            && self.touches(body)
            && !follows(before, blocks)
        {
            return Err(self.late(stream));
        }
        let around = self.around.replace(blocks);
        self.statements(body)?;
        self.around = around;
        if let Some(written) = self.written.get_mut(&stream).filter(|written| !written.bytes.is_empty()) {
            written.bytes.clear();
            written.before = Some(blocks);
        }
        Ok(())
    }

    /// Whether statements read a stream in whose place a result stands, or write such a result.
    fn touches(&self, statements: &[Statement]) -> bool {
        self.reads(statements, &|_| true) || self.writes(statements)
    }

    /// Whether statements read a stream, one of these, in whose place a result stands.
    fn reads(&self, statements: &[Statement], is_meant: &dyn Fn(Slot) -> bool) -> bool {
        let is_text = |slot: Slot| {
            let parts = self.parts(slot);
            parts.iter().chain([&slot]).any(|&text| self.places.contains_key(&text) && is_meant(text))
        };
        statements.iter().any(|statement| match statement {
            Statement::Node(id) => self.graph.node(*id).kind.read().is_some_and(|place| is_text(place.slot)),
            Statement::Loop(l) => self.reads(&l.body, is_meant),
            Statement::Tail(tail) => is_text(tail.stream),
            Statement::Call(_, arrays) => {
                arrays.results.iter().chain(&arrays.parameters).any(|place| is_text(place.slot))
            }
            Statement::Store(..) | Statement::StoreTail(_) | Statement::Copies(_) => false,
        })
    }

    /// Whether statements write a result that stands in the place of a stream.
    fn writes(&self, statements: &[Statement]) -> bool {
        let is_result = |slot: Slot| self.places.values().any(|result| *result == slot);
        statements.iter().any(|statement| match statement {
            Statement::Store(place, _) => is_result(place.slot),
            Statement::Loop(l) => self.writes(&l.body),
            Statement::StoreTail(end) => is_result(end.to),
            Statement::Call(_, arrays) => {
                arrays.results.iter().chain(&arrays.parameters).any(|place| is_result(place.slot))
            }
            Statement::Node(_) | Statement::Tail(_) | Statement::Copies(_) => false,
        })
    }

    fn late(&self, slot: Slot) -> Unwritable {
        let name = |slot: Slot| self.func.slot(slot).name.as_str();
        let first = || self.places.keys().copied().min_by_key(|text| text.index());
        // A loop around others may go through a stream in whose place nothing stands.
        let text = if self.places.contains_key(&slot) { Some(slot) } else { first() };
        let result = text.and_then(|text| self.places.get(&text));
        let [text, result] = [text.as_ref(), result].map(|slot| slot.map_or("", |slot| name(*slot)));
        Unwritable(format!("`{text}` is read after `{result}` was written there"))
    }

    fn of_other_size(&self, result: Slot, text: Slot) -> Unwritable {
        let [result, text] = [result, text].map(|slot| self.func.slot(slot).name.as_str());
        Unwritable(format!("`{result}` has elements of another size than `{text}`"))
    }
}

/// Whether a loop begins where the blocks end that one before it went through.
fn follows(before: Blocks, after: Blocks) -> bool {
    let is_rest = after.block * after.which.beyond == before.block && after.which.beyond > 0;
    let is_later = before.which.iterations == Iterations::First && after.which.iterations == Iterations::Later;
    is_rest || (is_later && before.block == after.block && before.which.beyond == after.which.beyond)
}

/// The bytes of a value in memory.
fn bytes(ty: Ty) -> i64 {
    let bits = match ty {
        Ty::Lanes(shape) => shape.register_bits(),
        _ => ty.memory_bits(),
    };
    i64::from(bits / 8)
}

#[cfg(test)]
mod tests {
    use culet_ir::Target;

    use super::super::check_in_place;

    /// The reason why the result of a function on blocks of two bytes cannot stand in the text's place, if there is one.
    fn reason(body: &str) -> Option<String> {
        let text = format!("entry fn f {{\n  outstream r: w8[2]\n  output o: w8[1]\n  stream m: w8[1]\n{body}}}\n");
        let module = culet_ir::parse(&text).expect("a module");
        check_in_place(&module, Target::C64, false).err().map(|why| why.0)
    }

    const END: &str = "  v9 = const.w8 0x0\n  store o[0], v9\n";

    #[test]
    fn bytes_are_read_before_their_places_are_written() {
        let good = "  loop i0 over m by 2 {
    v0 = load.w8 m[2*i0]
    store r[2*i0], v0
    v1 = load.w8 m[2*i0 + 1]
    store r[2*i0 + 1], v1
  }\n";
        assert_eq!(reason(&(good.to_owned() + END)), None);
        let late = "  loop i0 over m by 2 {
    v0 = load.w8 m[2*i0]
    store r[2*i0 + 1], v0
    v1 = load.w8 m[2*i0 + 1]
    store r[2*i0], v1
  }\n";
        assert_eq!(reason(&(late.to_owned() + END)).as_deref(), Some("`m` is read after `r` was written there"));
    }

    /// Bytes that were stored once are not read again in an inner loop.
    #[test]
    fn inner_loops_are_followed() {
        let inner = |first: u32| {
            format!(
                "  loop i0 over m by 2 {{
    v0 = load.w8 m[2*i0]
    v1 = load.w8 m[2*i0 + 1]
    store r[2*i0], v1
    v2 = loop i1 = {first} to 1 (v3 = v0) {{
      v4 = load.w8 m[2*i0 + i1]
      v5 = xor.w8 v3, v4
      next v5
    }}
    store r[2*i0 + 1], v2
  }}\n{END}"
            )
        };
        assert_eq!(reason(&inner(1)), None);
        assert!(reason(&inner(0)).is_some());
    }

    /// After the end of the result was written, nothing of the text is there any more.
    #[test]
    fn ends_are_read_before_they_are_written() {
        let text = |after: &str| {
            format!(
                "  part e: w8[2]
  loop i0 over m by 2 {{
    v0 = load.w8 m[2*i0]
    store r[2*i0], v0
    store r[2*i0 + 1], v0
  }}
  loop i1 rest m by 2 {{
    v1, v2 = tail.w8 m by 2, 0x0
    store e[0], v1
    store e[1], v2
    storetail r, e, m by 2
  }}
{after}{END}"
            )
        };
        assert_eq!(reason(&text("")), None);
        let late = "  loop i2 rest m by 2 {\n    v3, v4 = tail.w8 m by 2, 0x0\n    store o[0], v3\n  }\n";
        assert_eq!(reason(&text(late)).as_deref(), Some("`m` is read after `r` was written there"));
        let of_result = late.replace("rest m", "rest r").replace("tail.w8 m", "tail.w8 r");
        assert_eq!(reason(&text(&of_result)), None);
    }

    /// A stream that is read with others as one is read before its place is written.
    #[test]
    fn joined_streams_are_followed() {
        let write = "  loop i0 over m by 1 {
    v0 = load.w8 m[i0]
    store r[2*i0], v0
    store r[2*i0 + 1], v0
  }
";
        let read = "  loop i1 over j by 1 {
    v1 = load.w8 j[i1]
    store o[0], v1
  }
";
        let text = |body: &str| {
            let text = format!(
                "entry fn f {{\n  outstream r: w8[1]\n  output o: w8[1]\n  stream m: w8[1]\n  input k: w8[4]\n  joined j: w8[1] = k, m\n{body}}}\n"
            );
            let text = text.replace("2*i0 + 1", "i0").replace("2*i0", "i0");
            let module = culet_ir::parse(&text).expect("a module");
            check_in_place(&module, Target::C64, false).err().map(|why| why.0)
        };
        let late = Some("`m` is read after `r` was written there".to_owned());
        assert_eq!(text(&format!("{read}{write}")), None);
        assert_eq!(text(&format!("{write}{read}")), late);
        let end = "  loop i2 rest j by 2 {\n    v2, v3 = tail.w8 j by 2, 0x0\n    store o[0], v2\n  }\n";
        assert_eq!(text(&format!("{end}{write}")), None);
        assert_eq!(text(&format!("{write}{end}")), late);
    }

    /// A loop in another one may read a text that is not written yet, and a result that is.
    #[test]
    fn loops_over_streams_in_one_another_may_read() {
        let nested = |stream: &str| {
            format!(
                "  v10 = const.w8 0x0
  v11 = loop i3 over {stream} by 4 first (v12 = v10) {{
    v13 = loop i4 over {stream} by 2 later (v14 = v12) {{
      v15 = load.w8 {stream}[2*i4]
      v16 = xor.w8 v14, v15
      next v16
    }}
    next v13
  }}
  store o[0], v11\n"
            )
        };
        let write = "  loop i0 over m by 2 {
    v0 = load.w8 m[2*i0]
    store r[2*i0], v0
    v1 = load.w8 m[2*i0 + 1]
    store r[2*i0 + 1], v1
  }\n";
        let late = Some("`m` is read after `r` was written there");
        assert_eq!(reason(&(nested("m") + write)), None);
        assert_eq!(reason(&(write.to_owned() + &nested("r"))), None);
        assert_eq!(reason(&(write.to_owned() + &nested("m"))).as_deref(), late);
        let writing = nested("m").replace("    next v13", "    store r[4*i3], v13\n    next v13");
        assert_eq!(reason(&writing).as_deref(), late);
    }

    #[test]
    fn loops_after_the_one_that_writes_go_through_other_blocks() {
        let blocks = |beyond: &str| {
            format!(
                "  loop i0 over m by 2 {{
    v0 = load.w8 m[2*i0]
    store r[2*i0], v0
    store r[2*i0 + 1], v0
  }}
  v1 = const.w8 0x0
  v2 = loop i1 over m by 1{beyond} (v3 = v1) {{
    v4 = load.w8 m[i1]
    next v4
  }}
  store o[0], v2\n"
            )
        };
        assert_eq!(reason(&blocks(" beyond 2")), None);
        assert!(reason(&blocks("")).is_some());
        assert!(reason(&blocks(" beyond 4")).is_some());
    }
}
