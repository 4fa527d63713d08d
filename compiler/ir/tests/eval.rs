//! The meaning of operations, against answers worked out by hand.

use culet_ir::{EvalError, compute, parse, verify};

fn run(text: &str, inputs: &[&[u64]]) -> Result<Vec<Vec<u64>>, EvalError> {
    let module = parse(text).unwrap();
    verify(&module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let inputs: Vec<Vec<Vec<u64>>> = inputs.iter().map(|slot| slot.iter().map(|&w| vec![w]).collect()).collect();
    let outputs = compute(&module, &inputs)?;
    Ok(outputs.into_iter().map(|slot| slot.into_iter().flatten().collect()).collect())
}

/// The result of `v3 = <operation>` on `v0`, `v1` and the one-bit `v2`.
fn binary(operation: &str, ty: &str, a: u64, b: u64, c: u64) -> u64 {
    let text = format!(
        "entry fn f {{ input a: {ty}[1] input b: {ty}[1] input c: w1[1] output r: {ty}[1]
         v0 = load.{ty} a[0] v1 = load.{ty} b[0] v2 = load.w1 c[0] {operation} store r[0], v3 }}"
    );
    run(&text, &[&[a], &[b], &[c]]).unwrap()[0][0]
}

#[test]
fn operations_on_words() {
    for (operation, a, b, c, expected) in [
        ("v3 = const.w8 0xa5", 0, 0, 0, 0xa5),
        ("v3 = and.w8 v0, v1", 0xcc, 0xaa, 0, 0x88),
        ("v3 = or.w8 v0, v1", 0xcc, 0xaa, 0, 0xee),
        ("v3 = xor.w8 v0, v1", 0xcc, 0xaa, 0, 0x66),
        ("v3 = andn.w8 v0, v1", 0xcc, 0xaa, 0, 0x44),
        ("v3 = not.w8 v0", 0xcc, 0, 0, 0x33),
        ("v3 = tern.w8 v0, v1, v1, 0x1b", 0xcc, 0xaa, 0, 0x77),
        ("v3 = add.w8 v0, v1", 0xff, 0x02, 0, 0x01),
        ("v3 = sub.w8 v0, v1", 0x01, 0x02, 0, 0xff),
        ("v3 = mul.w8 v0, v1", 0x10, 0x1f, 0, 0xf0),
        ("v3 = mulhi.w8 v0, v1", 0xff, 0xff, 0, 0xfe),
        ("v4, v3 = mulwide.w8 v0, v1", 0x10, 0x1f, 0, 0x01),
        ("v3, v4 = addc.w8 v0, v1, v2", 0xff, 0x00, 1, 0x00),
        ("v4, v5 = addc.w8 v0, v1, v2 v3 = spread.w8 v5", 0xff, 0x00, 1, 0xff),
        ("v4, v5 = addc.w8 v0, v1, v2 v3 = spread.w8 v5", 0xfe, 0x00, 1, 0x00),
        ("v3, v4 = subb.w8 v0, v1, v2", 0x00, 0x00, 1, 0xff),
        ("v4, v5 = subb.w8 v0, v1, v2 v3 = spread.w8 v5", 0x05, 0x05, 1, 0xff),
        ("v4, v5 = subb.w8 v0, v1, v2 v3 = spread.w8 v5", 0x05, 0x05, 0, 0x00),
        ("v3 = shl.w8 v0, 3", 0x91, 0, 0, 0x88),
        ("v3 = shr.w8 v0, 3", 0x91, 0, 0, 0x12),
        ("v3 = sar.w8 v0, 3", 0x91, 0, 0, 0xf2),
        ("v3 = rotl.w8 v0, 3", 0x91, 0, 0, 0x8c),
        ("v3 = rotl.w8 v0, 0", 0x91, 0, 0, 0x91),
        ("v3 = funnel.w8 v0, v1, 3", 0x91, 0xe0, 0, 0x8f),
        ("v4 = extract.w5 v0, 2 v5 = const.w3 0x0 v3 = concat.w8 v5, v4", 0x9d, 0, 0, 0x07),
        ("v3 = select.w8 v2, v0, v1", 0x12, 0x34, 1, 0x12),
        ("v3 = select.w8 v2, v0, v1", 0x12, 0x34, 0, 0x34),
        (
            "v4 = concat.w9 v2, v0 v5 = const.w9 0x100 v6 = and.w9 v4, v5 v7 = const.w9 0x0 v3 = shr.w8 v0, 1",
            6,
            0,
            0,
            3,
        ),
    ] {
        assert_eq!(binary(operation, "w8", a, b, c), expected, "{operation} of {a:#x}, {b:#x}, {c}");
    }
    assert_eq!(binary("v3 = mulhi.w64 v0, v1", "w64", u64::MAX, u64::MAX, 0), u64::MAX - 1);
    assert_eq!(binary("v3 = sar.w64 v0, 63", "w64", 1 << 63, 0, 0), u64::MAX);
    assert_eq!(binary("v3 = spread.w64 v2", "w64", 0, 0, 1), u64::MAX);
    assert_eq!(binary("v4 = concat.w2 v2, v2 v3 = xor.w1 v0, v1", "w1", 1, 0, 1), 1);
}

#[test]
fn lanes_move_by_perm() {
    let module = parse(
        "entry fn f { input a: v<4,8>[1] output r: v<4,8>[1]
         v0 = load.v<4,8> a[0] v1 = perm.v<4,8> v0, [3, _, 0, 0] store r[0], v1 }",
    )
    .unwrap();
    verify(&module).unwrap();
    assert_eq!(compute(&module, &[vec![vec![1, 2, 3, 4]]]).unwrap(), [[[4, 0, 1, 1]]]);
}

#[test]
fn loops_count_both_ways_and_carry() {
    let text = "entry fn f { input a: w8[4] output r: w8[4] output s: w8[2]
        v0 = const.w8 0x0 v1 = const.w8 0x1
        v2, v3 = loop i0 = 3 to 0 (v4 = v0, v5 = v1) {
          v6 = load.w8 a[i0]
          v7 = add.w8 v4, v6
          store r[-i0 + 3], v7
          next v5, v7
        }
        store s[0], v2 store s[1], v3 }";
    // (0,1) → (1,40) → (40,31) → (31,60) → (60,41)
    assert_eq!(run(text, &[&[10, 20, 30, 40]]).unwrap(), [vec![40, 31, 60, 41], vec![60, 41]]);
}

#[test]
fn nested_loops_index_with_both_counters() {
    let text = "entry fn f { output r: w8[6] constants c: w8[6] = [1, 2, 3, 4, 5, 6]
        loop i0 = 0 to 1 { loop i1 = 2 to 0 { v0 = load.w8 c[3*i0 + i1] store r[i0 + 2*i1], v0 } } }";
    assert_eq!(run(text, &[]).unwrap(), [[1, 4, 2, 5, 3, 6]]);
}

#[test]
fn calls_have_slots_of_their_own() {
    let text = "fn double(v0: w8) { local t: w8[1] store t[0], v0 v1 = load.w8 t[0] v2 = add.w8 v1, v1 return v2 }
        fn quad(v0: w8) { v1 = call double(v0) v2 = call double(v1) return v2 }
        entry fn f { input a: w8[1] output r: w8[1] v0 = load.w8 a[0] v1 = call quad(v0) store r[0], v1 }";
    assert_eq!(run(text, &[&[5]]).unwrap(), [[20]]);
}

#[test]
fn what_was_not_stored_is_not_invented() {
    let hole = "entry fn f { local t: w8[4] output r: w8[1]
        v0 = const.w8 0x1 loop i0 = 0 to 1 { store t[2*i0], v0 } v1 = load.w8 t[1] store r[0], v1 }";
    assert_eq!(run(hole, &[]), Err(EvalError::Unwritten { func: "f".to_owned(), slot: "t".to_owned(), element: 1 }));
    let missing = "entry fn f { output r: w8[3] v0 = const.w8 0x1 loop i0 = 0 to 1 { store r[2*i0], v0 } }";
    assert_eq!(run(missing, &[]), Err(EvalError::Missing { slot: "r".to_owned(), element: 1 }));
    let inputs = "entry fn f { input a: w8[2] output r: w8[1] v0 = load.w8 a[0] store r[0], v0 }";
    assert!(matches!(run(inputs, &[&[1]]), Err(EvalError::Inputs(_))));
    assert!(matches!(run(inputs, &[]), Err(EvalError::Inputs(_))));
}

/// A chain of calls is as deep as there are functions; the interpreter keeps its own stack.
#[test]
fn deep_calls_need_no_deep_stack() {
    let mut text = "fn f0(v0: w8) { v1 = const.w8 0x1 v2 = add.w8 v0, v1 return v2 }\n".to_owned();
    for i in 1..20_000 {
        text += &format!("fn f{i}(v0: w8) {{ v1 = call f{}(v0) return v1 }}\n", i - 1);
    }
    text += "entry fn f { output r: w8[1] v0 = const.w8 0x1 v1 = call f19999(v0) store r[0], v1 }";
    assert_eq!(run(&text, &[]).unwrap(), [[2]]);
}

/// The examples of S. Gueron and M. Kounavis, Intel Carry-Less Multiplication Instruction and its Usage for Computing
/// the GCM Mode.
#[test]
fn carry_less_products() {
    let (x, y) = ([0x6374_6f72_5d53_475d, 0x7b5b_5465_7374_5665], [0x5b47_7565_726f_6e5d, 0x4869_2853_6861_7929]);
    for (a, b, high, low) in [
        (x[0], y[0], 0x1d4d_84c8_5c34_40c0, 0x9296_33d5_d36f_0451),
        (x[1], y[0], 0x1a2b_f6db_3a30_862f, 0xbabf_262d_f4b7_d5c9),
        (x[0], y[1], 0x1bd1_7c8d_556a_b5a1, 0x7fa5_40ac_2a28_1315),
        (x[1], y[1], 0x1d1e_1f2c_592e_7c45, 0xd66e_e03e_410f_d4ed),
    ] {
        let text = "entry fn f { input a: w64[2] output r: w64[2]
            v0 = load.w64 a[0] v1 = load.w64 a[1] v2, v3 = clmul.w64 v0, v1 store r[0], v2 store r[1], v3 }";
        assert_eq!(run(text, &[&[a, b]]).unwrap(), [[low, high]]);
        assert_eq!(run(text, &[&[b, a]]).unwrap(), [[low, high]]);
    }
}

/// The product of the low 32 bits of both words.
#[test]
fn products_of_32_bits() {
    let values = [0, 1, 5, u64::from(u32::MAX), 1 << 32, 0x1234_5678_9abc_def0, u64::MAX];
    for a in values {
        for b in values {
            let text = "entry fn f { input a: w64[2] output r: w64[1]
                v0 = load.w64 a[0] v1 = load.w64 a[1] v2 = mul32.w64 v0, v1 store r[0], v2 }";
            let expected = u64::from(a as u32) * u64::from(b as u32);
            assert_eq!(run(text, &[&[a, b]]).unwrap(), [[expected]], "{a:#x}, {b:#x}");
        }
    }
}

/// The definition of VPMADD52LUQ and VPMADD52HUQ in Intel's manual.
#[test]
fn products_of_52_bits() {
    let values = [0, 1, 19, (1 << 51) - 1, (1 << 52) - 1, 1 << 52, 0x1234_5678_9abc_def0, u64::MAX];
    let low = |value: u64| u128::from(value & ((1 << 52) - 1));
    for sum in values {
        for a in values {
            for b in values {
                let text = "entry fn f { input a: w64[3] output r: w64[2]
                    v0 = load.w64 a[0] v1 = load.w64 a[1] v2 = load.w64 a[2]
                    v3 = mac52lo.w64 v0, v1, v2 store r[0], v3
                    v4 = mac52hi.w64 v0, v1, v2 store r[1], v4 }";
                let product = low(a) * low(b);
                let expected = [product & ((1 << 52) - 1), product >> 52].map(|half| sum.wrapping_add(half as u64));
                assert_eq!(run(text, &[&[sum, a, b]]).unwrap(), [expected], "{sum:#x}, {a:#x}, {b:#x}");
            }
        }
    }
}

#[test]
fn words_side_by_side() {
    let text = "entry fn f { input a: w64[3] output r: w64[3]
        v0 = load.w64 a[0] v1 = load.w64 a[1] v2 = load.w64 a[2]
        v3 = join.v<3,64> v0, v1, v2
        v4 = perm.v<3,64> v3, [2, _, 0]
        v5 = add.v<3,64> v3, v4
        v6 = blend.v<3,64> v3, v5, 0x5
        v7 = lane.w64 v6, 0 v8 = lane.w64 v6, 1 v9 = lane.w64 v6, 2
        store r[0], v7 store r[1], v8 store r[2], v9 }";
    assert_eq!(run(text, &[&[10, 20, 30]]).unwrap(), [[40, 20, 40]]);
}
