//! Counters that loops over streams carry: a key stream made of one repeats in a long text, which callers have to know.

use std::collections::BTreeMap;

use culet_ir::{Func, Op, Over, SlotKind};

/// A text of more blocks is longer than memory.
const MOST_BLOCKS: u128 = 1 << 48;

/// A sentence for each counter that has its first value again after so many blocks of a stream as a text may have.
pub(crate) fn sentences(func: &Func) -> Vec<String> {
    // By the stream, the counter's bits and the bytes of a round: bytes of the smallest block. Loops with several blocks an iteration are
    // the same counter's.
    let mut found: BTreeMap<(u32, u32, u128), u32> = BTreeMap::new();
    func.walk(&mut |_, data, _| {
        let Op::Loop(l) = &data.op else { return };
        let Some(Over::Whole { stream, block, .. }) = l.over else { return };
        if !matches!(func.slot(stream).kind, SlotKind::Stream) {
            return;
        }
        let region = func.region(l.region);
        for (&param, &next) in region.params.iter().zip(&region.results) {
            let (ty, step) = (func.ty(param), func.step(param, next));
            let Some(step) = step.filter(|&step| step != 0 && ty.lanes() == 1) else { continue };
            let blocks = 1u128 << ty.bits().saturating_sub(step.trailing_zeros());
            if blocks > MOST_BLOCKS {
                continue;
            }
            let least = found.entry((stream.0, ty.bits(), blocks * u128::from(block))).or_insert(block);
            *least = block.min(*least);
        }
    });
    let sentence = |((stream, bits, bytes), block): ((u32, u32, u128), u32)| {
        let name = &func.slots[stream as usize].name;
        let blocks = bytes / u128::from(block);
        let count = if blocks > 1 << 16 { format!("2^{}", blocks.ilog2()) } else { blocks.to_string() };
        let unit = if block == 1 { "bytes".to_owned() } else { format!("blocks of {block} bytes") };
        format!("After {count} {unit} of `{name}`, a counter of {bits} bits has its first value again.")
    };
    found.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::sentences;

    fn of_loops(loops: &str) -> Vec<String> {
        let text = format!(
            "entry fn f {{\n  stream m: w8[1]\n  output o: w8[4]\n  v0 = const.w32 0x2\n  v1 = const.w32 0x8\n  v2 = const.w64 0x1\n{loops}}}\n"
        );
        let module = culet_ir::parse(&text).expect("a module");
        sentences(module.entry())
    }

    #[test]
    fn each_counter_is_named_once_whatever_the_groups_are() {
        let loops = "  v3 = loop i0 over m by 64 (v4 = v0) {
    v5 = add.w32 v4, v1
    next v5
  }
  v6, v7 = loop i1 over m by 16 beyond 4 (v8 = v3, v9 = v2) {
    v10 = add.w32 v0, v8
    v11 = add.w64 v9, v2
    next v10, v11
  }
  v12 = loop i2 over m by 1 (v13 = v6) {
    v14 = xor.w32 v13, v1
    next v14
  }
";
        let expected = "After 2^31 blocks of 16 bytes of `m`, a counter of 32 bits has its first value again.";
        assert_eq!(of_loops(loops), [expected]);
    }

    #[test]
    fn counters_of_few_bits_are_told_in_full() {
        let loops = "  v3 = const.w8 0x1
  v4 = loop i0 over m by 1 (v5 = v3) {
    v6 = sub.w8 v5, v3
    next v6
  }
  v7 = const.w64 0x1000000000000000
  v8 = loop i1 over m by 8 (v9 = v2) {
    v10 = add.w64 v9, v7
    next v10
  }
";
        let of_long = "After 16 blocks of 8 bytes of `m`, a counter of 64 bits has its first value again.";
        let of_short = "After 256 bytes of `m`, a counter of 8 bits has its first value again.";
        assert_eq!(of_loops(loops), [of_short, of_long]);
    }
}
