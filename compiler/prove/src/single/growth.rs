//! Dependence of a function on the length of its stream: how often each loop over the stream runs.
//!
//! Streams of n = P·q + r bytes are examined for each r below the *period* P, and all q from some number on. One loop
//! then takes q iterations plus a constant, and each other loop takes a constant number. Reads before that loop are at
//! a fixed distance from the stream's start, reads in it from the block of the iteration, and reads after it from the
//! stream's end. Bytes that are read at a fixed distance from the start exist for all these q.

use culet_ir::{
    CounterId, Func, Inst, Iterations, LoopData, Op, Origin, Over, RegionId, Slot, SlotKind, Type, Value, Which,
};
use rustc_hash::FxHashMap;

use super::kept::keeps_nothing;
use crate::effort::words::MAX_PERIOD;

const OTHER_STREAM: &str = "a loop is over a stream that is made of others, or over a result";

/// The loop that takes more iterations on longer streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Growing {
    pub inst: Inst,
    /// Values that the loop carries, one entry for each lane.
    pub params: Vec<Value>,
    /// For each of these, the number that each iteration adds to it, if that is all it does.
    pub steps: Vec<Option<u64>>,
    /// Index of the block that its first iteration reads.
    pub start: i64,
    /// Number of its iterations less q.
    pub surplus: i64,
}

/// Classes of lengths that differ only in the number of iterations of one loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Period {
    /// Distance of the lengths in a class, in bytes.
    pub bytes: u64,
    /// Number of periods from which on that holds.
    pub least: u64,
}

impl Period {
    /// Returns the period at which a function's loops divide its stream.
    ///
    /// # Errors
    ///
    /// When there are too many lengths to be examined.
    pub fn of(func: &Func) -> Result<Period, String> {
        let (mut bytes, mut most) = (1, 1);
        for data in &func.insts {
            let of_block = match &data.op {
                Op::Loop(l) => match l.over {
                    // From some length on, such a loop has one iteration, or none.
                    Some(
                        Over::Whole { block, which: Which { beyond: 0, iterations: Iterations::First }, .. }
                        | Over::Short { block, .. },
                    ) => {
                        most = most.max(u64::from(block));
                        continue;
                    }
                    Some(Over::Whole { block, which, .. }) => u64::from(block) * u64::from(which.beyond.max(1)),
                    Some(Over::Rest { block, .. }) => block.into(),
                    None => continue,
                },
                Op::Tail { block, .. } => (*block).into(),
                _ => continue,
            };
            bytes = num_integer::lcm(bytes, of_block);
            if bytes.max(most) > MAX_PERIOD {
                return Err(format!("streams are taken apart in pieces of more than {MAX_PERIOD} bytes"));
            }
        }
        Ok(Period { bytes, least: most.div_ceil(bytes) })
    }
}

/// Returns the one loop that takes one more iteration for each period, on streams of at least `period.least` periods
/// and `rest` bytes.
///
/// # Errors
///
/// When there is no such loop, or when the places that are read depend on the length in another way.
pub(super) fn growing(func: &Func, stream: Slot, period: Period, rest: u64) -> Result<Growing, String> {
    let mut walk = Walk { func, stream, period, rest, counters: FxHashMap::default(), growing: None };
    walk.region(func.body, Place::Once)?;
    walk.growing.ok_or_else(|| "no loop has an iteration for each block of the stream".to_owned())
}

/// Dependence of the indices of a loop's blocks on the length of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The indices are the same on all streams.
    AtStart,
    /// The indices are the same on all streams, counted from the end.
    AtEnd,
    Growing,
}

/// Place of an instruction relative to the loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Once,
    /// The instruction is in the body of a loop that runs several times.
    Repeated,
    /// The instruction is in the growing loop.
    Growing,
}

struct Walk<'f> {
    func: &'f Func,
    stream: Slot,
    period: Period,
    rest: u64,
    /// Counters of the loops over the stream, with the kind of each loop and the size of its blocks in bytes.
    counters: FxHashMap<CounterId, (Kind, i64)>,
    growing: Option<Growing>,
}

impl Walk<'_> {
    /// Visits the instructions of a region in the order of execution.
    fn region(&mut self, region: RegionId, place: Place) -> Result<(), String> {
        for &inst in &self.func.region(region).insts {
            match &self.func.inst(inst).op {
                Op::Loop(l) => match l.over {
                    Some(over) => self.over(inst, l, over, place)?,
                    None if place == Place::Once && l.trip_count() > 1 => self.region(l.region, Place::Repeated)?,
                    None => self.region(l.region, place)?,
                },
                Op::Load { slot, index } if *slot == self.stream => {
                    let &[(counter, scale)] = &index.terms[..] else {
                        return Err("a byte of the stream is read at a fixed place".to_owned());
                    };
                    self.access(counter, scale, index.constant, place)?;
                }
                Op::Store { slot, index } if self.func.slot(*slot).kind == SlotKind::OutStream => {
                    let &[(counter, scale)] = &index.terms[..] else {
                        return Err("a byte of a result of any length is written at a fixed place".to_owned());
                    };
                    self.access(counter, scale, index.constant, place)?;
                }
                Op::Tail { stream, .. } | Op::StoreTail { stream, .. } if *stream != self.stream => {
                    return Err(OTHER_STREAM.to_owned());
                }
                Op::Tail { .. } | Op::StoreTail { .. } if self.growing.is_none() || place == Place::Growing => {
                    return Err("the end of the stream is read before its blocks".to_owned());
                }
                Op::Call(_) => return Err("calls are to be inlined before".to_owned()),
                Op::Store { slot, .. } if place == Place::Growing && !self.func.slot(*slot).kind.is_own() => {
                    return Err("the loop over the stream writes a result of a length that is known".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn over(&mut self, inst: Inst, l: &LoopData, over: Over, place: Place) -> Result<(), String> {
        if place == Place::Growing {
            return Err("a loop over the stream is in another".to_owned());
        }
        if over.stream() != self.stream {
            return Err(OTHER_STREAM.to_owned());
        }
        let block = u64::from(over.block());
        let Period { bytes, least } = self.period;
        let numbers = |periods: u64| over.numbers((bytes * periods + self.rest) as usize);
        let (some, more) = (numbers(least + 1), numbers(least + 2));
        if some.is_empty() && more.is_empty() {
            return Ok(());
        }
        let shift = (bytes / block) as usize;
        let is_first = some == more && (some.end as u64).saturating_mul(block) <= bytes * least;
        let kind = if matches!(over, Over::Rest { .. }) || is_first {
            Kind::AtStart
        } else if (some.start + shift, some.end + shift) == (more.start, more.end) {
            Kind::AtEnd
        } else if (some.start, some.end + 1) == (more.start, more.end) && shift == 1 {
            Kind::Growing
        } else {
            return Err(
                "a loop has several iterations for each piece into which others take the stream apart".to_owned()
            );
        };
        self.counters.insert(l.counter, (kind, block as i64));
        let inner = if place == Place::Once && some.len() > 1 { Place::Repeated } else { place };
        if kind != Kind::Growing {
            return self.region(l.region, inner);
        }
        if self.growing.is_some() || place != Place::Once {
            return Err("more than one loop has an iteration for each block of the stream".to_owned());
        }
        if !keeps_nothing(self.func, inst) {
            return Err("the loop over the stream keeps something in memory".to_owned());
        }
        self.region(l.region, Place::Growing)?;
        let region = self.func.region(l.region);
        let (mut params, mut steps) = (Vec::new(), Vec::new());
        for (&param, &result) in region.params.iter().zip(&region.results) {
            let step = if let Type::Word(_) = self.func.ty(param) { step(self.func, result, param) } else { None };
            let lanes = self.func.ty(param).lanes() as usize;
            params.extend(std::iter::repeat_n(param, lanes));
            steps.extend(std::iter::repeat_n(step, lanes));
        }
        let surplus = some.len() as i64 - (least as i64 + 1);
        self.growing = Some(Growing { inst, params, steps, start: some.start as i64, surplus });
        Ok(())
    }

    /// Checks an access to a byte of the stream, or of a result of its length, at a multiple of a counter plus a constant.
    fn access(&mut self, counter: CounterId, scale: i64, constant: i64, place: Place) -> Result<(), String> {
        let Some(&(kind, block)) = self.counters.get(&counter) else {
            return Err("a byte of the stream is read at a place that a loop over something else counts".to_owned());
        };
        let is_in_block = scale == block && (0..block).contains(&constant);
        let is_right = match kind {
            Kind::AtStart => self.growing.is_none() && place != Place::Growing,
            Kind::Growing => place == Place::Growing,
            Kind::AtEnd => self.growing.is_some(),
        };
        if is_in_block && is_right {
            Ok(())
        } else {
            Err("bytes of the stream, or of a result, are not read or written in their order".to_owned())
        }
    }
}

/// Returns the number that a value is more than a parameter, if it is made of it by adding constants.
fn step(func: &Func, mut value: Value, param: Value) -> Option<u64> {
    let definition = |value: Value| match func.value(value).origin {
        Origin::Result(inst, _) => Some(func.inst(inst)),
        Origin::Param(..) => None,
    };
    let constant = |value: Value| match &definition(value)?.op {
        Op::Const(values) => values.first().copied(),
        _ => None,
    };
    let mut step: u64 = 0;
    while value != param {
        let data = definition(value).filter(|data| data.op == Op::Add)?;
        let (a, b) = (data.args[0], data.args[1]);
        let (rest, more) = constant(b).map(|more| (a, more)).or_else(|| constant(a).map(|more| (b, more)))?;
        step = step.wrapping_add(more);
        value = rest;
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop over blocks of two bytes of a stream, with something before it, in it and after it.
    fn shape(before: &str, inside: &str, after: &str) -> Result<(Period, Growing), String> {
        let text = format!(
            "entry fn f {{
  output o: w8[1]
  stream s: w8[1]
  local k: w8[1]
  v0 = const.w8 0x0
{before}  v1 = loop i0 over s by 2 (v2 = v0) {{
{inside}    v3 = load.w8 s[2*i0 + 1]
    v4 = xor.w8 v2, v3
    next v4
  }}
{after}  store o[0], v1
}}
"
        );
        let module = culet_ir::parse(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let period = Period::of(module.entry())?;
        growing(module.entry(), Slot(1), period, 1).map(|growing| (period, growing))
    }

    const REST: &str = "  v5 = loop i1 rest s by 2 (v6 = v0) {
    v7, v8 = tail.w8 s by 2, 0x1
    next v7
  }
";
    const LAST: &str = "  v5 = loop i1 over s by 1 beyond 2 (v6 = v0) {
    v7 = load.w8 s[1*i1]
    next v7
  }
";

    #[test]
    fn loops_that_grow_with_streams() {
        for after in ["", REST, LAST] {
            let (period, growing) = shape("", "", after).unwrap_or_else(|why| panic!("{after}: {why}"));
            assert_eq!((period.bytes, period.least, growing.start, growing.surplus), (2, 1, 0, 0), "{after}");
        }
        let in_turn = "    store k[0], v2\n    v9 = load.w8 k[0]\n";
        assert!(shape("", in_turn, "").is_ok());
        let first = "  v15 = loop i2 over s by 2 first (v16 = v0) {
    v17 = load.w8 s[2*i2]
    next v17
  }
";
        assert!(shape(first, "", REST).is_ok());
        let longer = first.replace("by 2", "by 6").replace("2*", "6*");
        let short = "  v18 = loop i3 short s by 6 (v19 = v0) {\n    next v19\n  }\n";
        let (period, growing) = shape(&longer, "", &format!("{short}{REST}")).expect("it grows from three blocks on");
        assert_eq!((period.bytes, period.least, growing.surplus), (2, 3, 0));
    }

    /// Memory of an iteration that a loop in it fills, each element from the one before, and reads whole.
    #[test]
    fn loops_in_an_iteration_may_fill_memory() {
        let filled = |first: u32, read: &str| {
            let text = format!(
                "entry fn f {{
  output o: w8[1]
  stream s: w8[1]
  local k: w8[4]
  v0 = const.w8 0x0
  v1 = loop i0 over s by 2 (v2 = v0) {{
    v3 = load.w8 s[2*i0 + 1]
    store k[{first}], v3
    v4 = loop i1 = 1 to 3 (v5 = v2) {{
      v6 = load.w8 k[{read}]
      v7 = xor.w8 v5, v6
      store k[1*i1], v7
      next v7
    }}
    v8 = load.w8 k[3]
    v9 = xor.w8 v4, v8
    next v9
  }}
  store o[0], v1
}}
"
            );
            let module = culet_ir::parse(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
            growing(module.entry(), Slot(1), Period { bytes: 2, least: 1 }, 0).map(drop)
        };
        assert_eq!(filled(0, "1*i1 - 1"), Ok(()));
        for (first, read) in [(1, "1*i1 - 1"), (0, "1*i1"), (0, "-1*i1 + 3")] {
            let why = filled(first, read).expect_err(read);
            assert!(why.contains("keeps something in memory"), "{why}");
        }
    }

    /// Refuses reads, in an iteration or around the loop, whose places depend on the length in another way.
    #[test]
    fn other_ways_to_read_are_refused() {
        let again = "  v5 = loop i1 over s by 2 (v6 = v0) {
    v7 = load.w8 s[2*i1]
    next v7
  }
";
        let kept = "    v9 = load.w8 k[0]\n    store k[0], v2\n";
        let (stored, read) = ("    store k[0], v2\n", "  v10 = load.w8 k[0]\n");
        for (before, inside, after, why) in [
            (REST, "", "", "the end of the stream"),
            (LAST, "", "", "in their order"),
            (again, "", "", "more than one loop"),
            ("", "", again, "more than one loop"),
            ("", kept, "", "keeps something in memory"),
            ("", stored, read, "keeps something in memory"),
            ("", "    v9 = load.w8 s[0]\n", "", "at a fixed place"),
            ("", "    v9 = load.w8 s[2*i0 + 2]\n", "", "in their order"),
            ("", "    v9 = load.w8 s[4*i0]\n", "", "in their order"),
        ] {
            let found = shape(before, inside, after).expect_err(why);
            assert!(found.contains(why), "{found}, not {why}");
        }
    }
}
