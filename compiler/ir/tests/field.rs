//! Operations on elements of fields: their meaning on small fields, where everything can be tried, and the verifier's
//! law.

use culet_ir::{FieldKind, Held, compute, eval_held, parse, verify};
use culet_meaning::{Concrete, ConcreteFields};
use num_bigint::BigUint;

/// The result `v3` of operations on elements `v0`, `v1` of a field, and the bit `v2`.
fn run(field: &str, operations: &str, a: u64, b: u64, bit: u64) -> u64 {
    let text = format!(
        "field f0 k = {field}
         entry fn f {{ input a: f0[1] input b: f0[1] input c: w1[1] output r: f0[1]
         v0 = load.f0 a[0] v1 = load.f0 b[0] v2 = load.w1 c[0] {operations} store r[0], v3 }}"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let element = |value| vec![Held::Element(BigUint::from(value))];
    let inputs = [element(a), element(b), vec![Held::Word([bit].into_iter().collect())]];
    let outputs = eval_held(&mut Concrete, &mut ConcreteFields, &module, &inputs).unwrap();
    match &outputs[0][0] {
        Held::Element(value) => u64::try_from(value).unwrap(),
        Held::Word(_) | Held::Elements(_) => panic!("an element comes out"),
    }
}

#[test]
fn every_pair_of_a_small_prime_field() {
    for a in 0..13 {
        for b in 0..13 {
            let at = |operations: &str| run("GF(0xd)", operations, a, b, b & 1);
            assert_eq!(at("v3 = fadd.f0 v0, v1"), (a + b) % 13);
            assert_eq!(at("v3 = fsub.f0 v0, v1"), (a + 13 - b) % 13);
            assert_eq!(at("v3 = fneg.f0 v0"), (13 - a) % 13);
            assert_eq!(at("v3 = fmul.f0 v0, v1"), a * b % 13);
            assert_eq!(at("v3 = fsqr.f0 v0"), a * a % 13);
            assert_eq!(at("v3 = fmulc.f0 v0, 7"), 7 * a % 13);
            assert_eq!(at("v3 = fsop.f0 v0, v1, v0, v0, [+, -]"), (a * b + 13 * 13 - a * a) % 13);
            assert_eq!(at("v3 = fselect.f0 v2, v0, v1"), if b & 1 == 1 { a } else { b });
            assert_eq!(at("v4 = fconst.f0 0x5 v3 = fadd.f0 v0, v4"), (a + 5) % 13);
            let side_by_side = "v4 = join.v<2,f0> v0, v1 v5 = perm.v<2,f0> v4, [1, 0] v6 = fsub.v<2,f0> v5, v4
                v7 = blend.v<2,f0> v4, v6, 0x2 v8 = fmul.v<2,f0> v7, v7";
            assert_eq!(at(&format!("{side_by_side} v3 = lane.f0 v8, 0")), a * a % 13);
            let difference = (a + 13 - b) % 13;
            assert_eq!(at(&format!("{side_by_side} v3 = lane.f0 v8, 1")), difference * difference % 13);
        }
        let inverse = run("GF(0xd)", "v3 = finv.f0 v0", a, 0, 0);
        assert_eq!(inverse * a % 13, u64::from(a != 0), "1 / {a}");
        assert!(a != 0 || inverse == 0);
    }
}

#[test]
fn every_pair_of_a_small_binary_field() {
    // The field of AES: x^8 + x^4 + x^3 + x + 1; FIPS 197, section 4.2, multiplies 57 by 83 and by 13.
    let field = "GF2(0x11b)";
    assert_eq!(run(field, "v3 = fmul.f0 v0, v1", 0x57, 0x83, 0), 0xc1);
    assert_eq!(run(field, "v3 = fmul.f0 v0, v1", 0x57, 0x13, 0), 0xfe);
    assert_eq!(run(field, "v3 = fadd.f0 v0, v1", 0x57, 0x83, 0), 0xd4);
    assert_eq!(run(field, "v3 = fneg.f0 v0", 0x57, 0, 0), 0x57);
    for a in 0..256 {
        let inverse = run(field, "v3 = finv.f0 v0", a, 0, 0);
        assert_eq!(run(field, "v3 = fmul.f0 v0, v1", a, inverse, 0), u64::from(a != 0), "1 / {a}");
    }
}

#[test]
fn lookups_choose_by_the_index() {
    for index in 0..8 {
        let text = format!("v4 = const.w3 {index} v5 = fconst.f0 0x4 v3 = flookup.f0 v4, v0, v1, v5, v1, v0");
        assert_eq!(run("GF(0xd)", &text, 9, 11, 0), [9, 11, 4, 11, 9, 0, 0, 0][index]);
    }
}

#[test]
fn words_are_packed_reduced_and_come_back_canonical() {
    let module = parse(
        "field f0 k = GF(0xfffb)
         entry fn f { input a: w8[3] output r: w4[5]
         v0 = load.w8 a[0] v1 = load.w8 a[1] v2 = load.w8 a[2] v3 = fpack.f0 v0, v1, v2
         v4, v5, v6, v7, v8 = funpack.w4 v3
         store r[0], v4 store r[1], v5 store r[2], v6 store r[3], v7 store r[4], v8 }",
    )
    .unwrap();
    verify(&module).unwrap();
    for value in [0u64, 1, 0xfffa, 0xfffb, 0xfffc, 0x123456, 0xffffff] {
        let bytes = (0..3).map(|i| vec![value >> (8 * i) & 0xff]).collect();
        let words = compute(&module, &[bytes]).unwrap();
        let back = words[0].iter().rev().fold(0, |high, word| high << 4 | word[0]);
        assert_eq!(back, value % 0xfffb, "{value:#x}");
    }
}

#[test]
fn what_breaks_the_law_is_named() {
    for (field, operations, message) in [
        ("GF(0xd)", "v3 = fconst.f0 0xd", "the value is not in canonical form"),
        ("GF(0xd)", "v3 = fmulc.f0 v0, 13", "the factor is too large"),
        ("GF(0xc)", "v3 = fneg.f0 v0", "the modulus is even or too small"),
        ("GF2(0x1)", "v3 = fneg.f0 v0", "the polynomial has no degree"),
        ("GF(0xd)", "v4 = const.w1 1 v3 = flookup.f0 v4, v0, v0, v0", "an index of 1 bits does not reach 3 entries"),
        ("GF(0xd)", "v3 = fsop.f0 v0, v0, v0, [+]", "has (f0, f0, f0) → (f0), not (f0, f0) → (f0)"),
        ("GF(0xd)", "v3 = fadd.f0 v0, v2", "has (f0, w1) → (f0), not (f0, f0) → (f0)"),
        ("GF(0xd)", "v3 = add.f0 v0, v0", "has words as operands and results"),
        ("GF(0xd)", "v3 = fadd.f1 v0, v0", "there is no type f1"),
        ("GF(0xd)", "v4, v5 = funpack.w1 v0 v3 = fneg.f0 v0", "2 words of 1 bits do not hold every element"),
    ] {
        let text = format!(
            "field f0 k = {field} entry fn f {{ input a: f0[1] output r: f0[1]
             v0 = load.f0 a[0] v2 = const.w1 0x1 {operations} store r[0], v3 }}"
        );
        let module = parse(&text).unwrap();
        let errors = verify(&module).unwrap_err();
        assert!(errors.iter().any(|error| error.message.contains(message)), "{operations}: {}", errors[0]);
    }
}

#[test]
fn moduli_of_any_size_are_read() {
    let module = parse("field f0 k = GF2(0x100000000000000000000000000000087) as \"mont 64\" entry fn f { }").unwrap();
    let FieldKind::Binary(polynomial) = &module.fields[0].kind else { panic!("it is a binary field") };
    assert_eq!(polynomial.bits(), 129);
    for (text, message) in [
        ("field f1 k = GF(0xd)", "1:7: this field is `f0`"),
        ("field f0 k = GF3(0xd)", "1:14: `GF3` is no kind of field; there are GF and GF2"),
        ("field f0 k = GF(0xd) as 51", "1:25: expected a representation such as \"51\""),
        (
            "field f0 k = GF(0xd) as \"0\"",
            "1:25: `0` is no radix; write bits a limb, from 1 to 1024, such as 51, 25.5 or 130/3, or `mont 64`",
        ),
        ("field f0 k = GF(0xd) as \"51", "1:25: there is no `\"` at the end of this line"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message);
    }
}
