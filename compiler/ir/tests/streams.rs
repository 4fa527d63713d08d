//! Loops over streams: their text, their meaning, and the verifier's law for them.

use culet_ir::{Module, compute, parse, verify};

/// The sum of all bytes in positions 0 and 1 modulo 4, twice for a last part, and the stream's last part.
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
    let outputs = compute(module, &inputs).unwrap();
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

/// The numbers of blocks of four bytes, by the first bytes of these blocks: the first block, all others, the blocks
/// that pairs leave over, and the later ones of these.
const SOME: &str = "entry fn some {
  output seen: w64[1]
  stream m: w8[1]
  v0 = const.w64 0x1
  v1 = loop i0 over m by 4 first (v2 = v0) {
    v3 = load.w8 m[4*i0]
    v4 = const.w56 0x0
    v5 = concat.w64 v4, v3
    v6 = shl.w64 v2, 4
    v7 = or.w64 v6, v5
    v8 = loop i1 over m by 4 later (v9 = v7) {
      v10 = load.w8 m[4*i1]
      v11 = const.w56 0x0
      v12 = concat.w64 v11, v10
      v13 = shl.w64 v9, 4
      v14 = or.w64 v13, v12
      next v14
    }
    next v8
  }
  v15 = const.w64 0xf
  v16 = shl.w64 v1, 4
  v17 = or.w64 v16, v15
  v18 = loop i2 over m by 4 beyond 3 lanes 8 (v19 = v17) {
    v20 = load.w8 m[4*i2]
    v21 = const.w56 0x0
    v22 = concat.w64 v21, v20
    v23 = shl.w64 v19, 4
    v24 = or.w64 v23, v22
    next v24
  }
  v25 = loop i3 over m by 4 beyond 3 first (v26 = v18) {
    v27 = load.w8 m[4*i3 + 3]
    v28 = const.w56 0x0
    v29 = concat.w64 v28, v27
    v30 = shl.w64 v26, 4
    v31 = or.w64 v30, v29
    next v31
  }
  v32 = loop i4 over m by 4 beyond 3 later (v33 = v25) {
    v34 = load.w8 m[4*i4 + 3]
    v35 = const.w56 0x0
    v36 = concat.w64 v35, v34
    v37 = shl.w64 v33, 4
    v38 = or.w64 v37, v36
    next v38
  }
  store seen[0], v32
}
";

#[test]
fn loops_run_for_some_of_the_blocks() {
    let module = parse(SOME).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), SOME);
    let seen = |length: u64| {
        let bytes = (0..length).map(|at| vec![at / 4]).collect();
        compute(&module, &[bytes]).unwrap().concat().concat()[0]
    };
    assert_eq!(seen(0), 0x1f);
    assert_eq!(seen(3), 0x1f);
    assert_eq!(seen(4), 0x10f00);
    assert_eq!(seen(11), 0x101f0101);
    assert_eq!(seen(12), 0x1012f);
    assert_eq!(seen(15), 0x1012f);
    assert_eq!(seen(16), 0x10123f33);
    assert_eq!(seen(20), 0x101234f3434);
    assert_eq!(seen(27), 0x1012345f);
}

#[test]
fn wrong_groups_are_found() {
    let breach = |from: &str, to: &str| {
        assert!(SOME.contains(from), "{from}");
        let errors = verify(&parse(&SOME.replacen(from, to, 1)).unwrap()).expect_err("a breach");
        errors.iter().map(|error| format!("{error}\n")).collect::<String>()
    };
    assert!(breach("beyond 3", "beyond 1").contains("there are no groups of 1 blocks"));
    assert!(breach("beyond 3", "beyond 4194305").contains("there are no groups of 4194305 blocks"));
    assert!(breach("lanes 8", "lanes 0").contains("a loop has no accumulators"));
}

/// Each byte of a pair doubled, and their sum: three bytes for two.
const MADE: &str = "entry fn made {
  outstream r: w8[3]
  stream m: w8[1]
  loop i0 over m by 2 {
    v0 = load.w8 m[2*i0]
    v1 = load.w8 m[2*i0 + 1]
    v2 = add.w8 v0, v0
    v3 = add.w8 v1, v1
    v4 = add.w8 v0, v1
    store r[3*i0], v2
    store r[3*i0 + 2], v3
    store r[3*i0 + 1], v4
  }
}
";

#[test]
fn streams_are_made() {
    let module = parse(MADE).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), MADE);
    let made = |bytes: &[u64]| {
        let input = bytes.iter().map(|&byte| vec![byte]).collect();
        compute(&module, &[input]).unwrap()[0].concat()
    };
    assert_eq!(made(&[]), Vec::<u64>::new());
    assert_eq!(made(&[9]), Vec::<u64>::new());
    assert_eq!(made(&[1, 2, 3, 4, 5]), vec![2, 3, 4, 6, 7, 8]);
}

#[test]
fn streams_that_are_made_wrongly_are_found() {
    let breach = |from: &str, to: &str| {
        assert!(MADE.contains(from), "{from}");
        let errors = verify(&parse(&MADE.replacen(from, to, 1)).unwrap()).expect_err("a breach");
        errors.iter().map(|error| format!("{error}\n")).collect::<String>()
    };
    let nowhere = "is no byte that an iteration adds to an output stream";
    assert!(breach("r: w8[3]", "r: w16[3]").contains("slot r: an output stream has elements w8"));
    assert!(breach("store r[3*i0 + 2]", "store r[3*i0 + 3]").contains(nowhere));
    assert!(breach("store r[3*i0 + 2]", "store r[2*i0 + 2]").contains(nowhere));
    assert!(breach("store r[3*i0 + 2]", "store r[2]").contains(nowhere));
    assert!(breach("    store r[3*i0 + 2], v3\n", "").contains("no iteration stores to byte 2 of what it adds to r"));
    assert!(breach("by 2 {", "by 2 later {").contains(nowhere));
    assert!(breach("v2 = add.w8 v0, v0", "v2 = load.w8 r[3*i0]").contains("3*i0 is no byte of a block at hand"));
    let twice = MADE.replacen(
        "  }\n}",
        "  }\n  loop i1 over m by 2 {\n    v5 = load.w8 m[2*i1]\n    store r[3*i1], v5\n  }\n}",
        1,
    );
    let errors = verify(&parse(&twice).unwrap()).expect_err("a breach");
    assert!(errors.iter().any(|error| error.message.contains("do not share all blocks")), "{errors:?}");
}

/// Each byte plus one: of groups of four blocks of two bytes, of groups of two that these leave over, and of blocks.
fn in_groups() -> String {
    let (mut text, mut value) = ("entry fn made {\n  outstream r: w8[2]\n  stream m: w8[1]\n".to_owned(), 0);
    text.push_str("  v0 = const.w8 0x1\n");
    for (counter, (bytes, beyond)) in [(8, ""), (4, " beyond 2"), (2, " beyond 2")].into_iter().enumerate() {
        text.push_str(&format!("  loop i{counter} over m by {bytes}{beyond} {{\n"));
        for byte in 0..bytes {
            let at = if byte == 0 { String::new() } else { format!(" + {byte}") };
            text.push_str(&format!("    v{} = load.w8 m[{bytes}*i{counter}{at}]\n", value + 1));
            text.push_str(&format!("    v{} = add.w8 v{}, v0\n", value + 2, value + 1));
            text.push_str(&format!("    store r[{bytes}*i{counter}{at}], v{}\n", value + 2));
            value += 2;
        }
        text.push_str("  }\n");
    }
    text + "}\n"
}

#[test]
fn streams_are_made_in_groups_of_blocks() {
    let text = in_groups();
    let module = parse(&text).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), text);
    for length in 0..30 {
        let input = (0..length).map(|byte| vec![byte]).collect();
        let made = compute(&module, &[input]).unwrap()[0].concat();
        assert_eq!(made, (1..=length / 2 * 2).collect::<Vec<u64>>(), "{length}");
    }
    for (from, to) in [
        ("over m by 8", "over m by 8 beyond 2"),
        ("over m by 4 beyond 2", "over m by 4 beyond 3"),
        ("over m by 2 beyond 2", "over m by 2"),
        ("outstream r: w8[2]", "outstream r: w8[3]"),
    ] {
        assert!(text.contains(from), "{from}");
        let errors = verify(&parse(&text.replacen(from, to, 1)).unwrap()).expect_err("a breach");
        assert!(errors[0].message.contains("the loops that store to r do not share all blocks"), "{errors:?}");
    }
}

/// A result with each byte of a stream doubled, its length, and the sum of the bytes of the key and the result at even places.
const ENDED: &str = "entry fn ended {
  outstream r: w8[2]
  output sum: w8[1]
  output long: w64[1]
  stream m: w8[1]
  part end: w8[2]
  part key: w8[1]
  joined all: w8[1] = key, r
  loop i0 over m by 2 {
    v0 = load.w8 m[2*i0]
    v1 = load.w8 m[2*i0 + 1]
    v2 = add.w8 v0, v0
    v3 = add.w8 v1, v1
    store r[2*i0], v2
    store r[2*i0 + 1], v3
  }
  loop i1 rest m by 2 {
    v4, v5 = tail.w8 m by 2, 0x0
    v6 = add.w8 v4, v4
    store end[0], v6
    store end[1], v5
    storetail r, end, m by 2
  }
  v7 = length.w64 r
  v8 = const.w8 0x7
  v9 = const.w8 0x0
  store key[0], v8
  v10 = loop i2 over all by 2 (v11 = v9) {
    v12 = load.w8 all[2*i2]
    v13 = add.w8 v11, v12
    next v13
  }
  store sum[0], v10
  store long[0], v7
}
";

#[test]
fn results_have_ends_and_are_streams_then() {
    let module = parse(ENDED).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), ENDED);
    let made = |bytes: &[u64]| {
        let input = bytes.iter().map(|&byte| vec![byte]).collect();
        let outputs = compute(&module, &[input]).unwrap();
        let flat = |slot: usize| outputs[slot].concat();
        (flat(0), flat(1)[0], flat(2)[0])
    };
    assert_eq!(made(&[]), (vec![], 0, 0));
    assert_eq!(made(&[9]), (vec![18], 7, 1));
    assert_eq!(made(&[1, 2, 3, 4]), (vec![2, 4, 6, 8], 11, 4));
    assert_eq!(made(&[1, 2, 3, 4, 5]), (vec![2, 4, 6, 8, 10], 19, 5));
}

#[test]
fn wrong_ends_and_early_reads_are_found() {
    let breach = |from: &str, to: &str| {
        assert!(ENDED.contains(from), "{from}");
        let errors = verify(&parse(&ENDED.replacen(from, to, 1)).unwrap()).expect_err("a breach");
        errors.iter().map(|error| format!("{error}\n")).collect::<String>()
    };
    let no_end = "slot 0 is no output stream whose end is stored here";
    let end = "    storetail r, end, m by 2\n";
    assert!(breach("rest m by 2 {", "rest m by 2 least 2 {").contains(no_end));
    assert!(breach("rest m by 2 {", "short m by 2 {").contains(no_end));
    assert!(breach(end, &format!("{end}{end}")).contains(no_end));
    assert!(breach("storetail r,", "storetail sum,").contains("slot 1 is no output stream"));
    assert!(breach("storetail r, end,", "storetail r, key,").contains("slot 5 is no part of 2 bytes"));
    assert!(breach("    store end[1], v5\n", "").contains("nothing above stores to all bytes of the part"));
    assert!(breach("rest m by 2 {", "rest m by 2 {\n    v20 = length.w64 r").contains(no_end));
    let early = "r is read before it is made";
    assert!(breach("  loop i0", "  v20 = length.w64 r\n  loop i0").contains(early));
    assert!(
        breach("    store r[2*i0 + 1], v3\n", "    store r[2*i0 + 1], v3\n    v20 = length.w64 r\n").contains(early)
    );
    assert!(breach(end, &format!("{end}    v20, v21 = tail.w8 all by 2, 0x0\n")).contains(early));
}

/// The length of a stream, and whether three bytes of four are left.
const LONG: &str = "entry fn long {
  output length: w64[2]
  stream m: w8[1]
  v0 = length.w64 m
  v1 = const.w64 0x0
  v2 = loop i0 rest m by 4 least 3 (v3 = v1) {
    next v0
  }
  store length[0], v0
  store length[1], v2
}
";

#[test]
fn lengths_are_known() {
    let module = parse(LONG).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), LONG);
    for (length, left) in [(0, 0), (3, 3), (4, 0), (6, 0), (7, 7)] {
        let input = (0..length).map(|byte| vec![byte]).collect();
        assert_eq!(compute(&module, &[input]).unwrap()[0].concat(), [length, left]);
    }
    for (from, to, why) in [
        ("least 3", "least 4", "a part of a block has no 4 bytes"),
        ("length.w64 m", "length.w64 length", "slot 0 is no stream"),
    ] {
        let errors = verify(&parse(&LONG.replacen(from, to, 1)).unwrap()).expect_err("a breach");
        assert!(errors[0].message.contains(why), "{errors:?}");
    }
}

/// The verifier's messages for the module with a change.
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
