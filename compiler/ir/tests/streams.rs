//! Loops over streams: their text, their meaning, and what the verifier asks of them.

use culet_ir::{Module, eval, parse, verify};
use culet_meaning::Concrete;

/// The sum of all bytes in positions 0 and 1 modulo 4, those of a last part twice, and how it ends.
const SUMS: &str = "entry fn sums {
  output sum: w8[1]
  output end: w8[5]
  stream m: w8[1]
  v0 = const.w8 0x0
  v1 = loop i0 over m by 4 (v2 = v0) {
    v3 = load.w8 m[4*i0]
    v4 = load.w8 m[4*i0 + 1]
    v5 = add.w8 v3, v4
    v6 = add.w8 v2, v5
    next v6
  }
  v7 = loop i1 rest m by 4 (v8 = v1) {
    v9, v10, v11, v12 = tail.w8 m by 4, 0x0
    v13 = add.w8 v9, v10
    v14 = add.w8 v13, v13
    v15 = add.w8 v8, v14
    next v15
  }
  v16, v17, v18, v19, v20 = tail.w8 m by 4, 0x7
  store sum[0], v7
  store end[0], v16
  store end[1], v17
  store end[2], v18
  store end[3], v19
  store end[4], v20
}
";

fn sums(module: &Module, bytes: &[u64]) -> (u64, Vec<u64>) {
    let inputs = [bytes.iter().map(|&byte| vec![byte]).collect()];
    let outputs = eval(&mut Concrete, module, &inputs).unwrap();
    let flat = |slot: usize| outputs[slot].concat();
    (flat(0)[0], flat(1))
}

#[test]
fn text_comes_back() {
    let module = parse(SUMS).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), SUMS);
}

#[test]
fn loops_run_for_whole_blocks_and_for_the_rest() {
    let module = parse(SUMS).unwrap();
    assert_eq!(sums(&module, &[]), (0, vec![7, 0, 0, 0, 0]));
    assert_eq!(sums(&module, &[1]), (2, vec![1, 7, 0, 0, 0]));
    assert_eq!(sums(&module, &[1, 2, 3]), (6, vec![1, 2, 3, 7, 0]));
    assert_eq!(sums(&module, &[1, 2, 3, 4]), (3, vec![7, 0, 0, 0, 0]));
    assert_eq!(sums(&module, &[1, 2, 3, 4, 10, 20, 30, 40, 5]), (43, vec![5, 7, 0, 0, 0]));
}

/// What the verifier says of the module with a change.
fn breach(from: &str, to: &str) -> String {
    assert!(SUMS.contains(from), "{from}");
    let module = parse(&SUMS.replacen(from, to, 1)).unwrap();
    verify(&module).expect_err("a breach").iter().map(|error| format!("{error}\n")).collect()
}

#[test]
fn wrong_streams_are_found() {
    assert!(breach("stream m: w8[1]", "stream m: w16[1]").contains("slot m: a stream is w8[1]"));
    assert!(breach("load.w8 m[4*i0]", "load.w8 m[4*i0 + 4]").contains("4*i0 + 4 is no byte of a block at hand"));
    assert!(breach("load.w8 m[4*i0]", "load.w8 m[i0]").contains("i0 is no byte of a block at hand"));
    assert!(breach("load.w8 m[4*i0]", "load.w8 m[0]").contains("0 is no byte of a block at hand"));
    assert!(breach("over m by 4", "over m by 0").contains("a block has 0 bytes"));
    assert!(breach("rest m by 4", "rest sum by 4").contains("slot 0 is no stream"));
    assert!(breach("tail.w8 m by 4, 0x7", "tail.w8 m by 4, 0x0").contains("a tail has 4 bytes as results"));
    let huge = breach("tail.w8 m by 4, 0x7", "tail.w8 m by 4294967295, 0x7");
    assert!(huge.contains("a tail has 4294967296 bytes as results"), "{huge}");
    assert!(breach("v14 = add.w8 v13, v13", "v14 = load.w8 m[4*i1]").contains("4*i1 is no byte of a block at hand"));
    let moved = breach("next v6", "store end[i0], v6\n next v6");
    assert!(moved.contains("the index i0 uses a counter of no loop around"), "{moved}");
    let unbounded = SUMS.replacen("i0 over m by 4", "i0 = 0 to 3", 1);
    let errors = verify(&parse(&unbounded).unwrap()).expect_err("a breach");
    assert!(errors[0].message.contains("4*i0 is no byte of a block at hand"), "{errors:?}");
}
