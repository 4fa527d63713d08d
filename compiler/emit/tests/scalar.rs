//! Functions on words of one instance: their code by GCC, Clang and rustc, against the evaluator.

mod support;

use culet_emit::scalar;
use culet_field::carries::Order;
use culet_field::expand::expand;
use culet_field::interval::{Interval, SlotBounds, power};
use culet_field::plan::{Whole, generous, search};
use culet_field::primes::Unsaturated;
use culet_filetest::Case;
use culet_ir::{FuncId, Module, Target, parse, verify};
use culet_passes::{Amount, Context};
use culet_testing::{Rng, Shape, scrambled_module};
use culet_types::field::Radix;
use num_bigint::BigInt;
use support::scalar::{compare, compare_rust, load};
use support::{draw, texts};

/// Number of rounds; a stream has as many bytes as the round's number.
const ROUNDS: u32 = 25;

fn parsed(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    module
}

fn check(modules: &[Module], seed: u64, flags: &[&str]) {
    let mut rng = Rng::new(seed);
    for target in [Target::C64, Target::C32] {
        let compilers = draw::compilers(target);
        for compiler in &compilers {
            let kernel = load(modules, target, compiler, flags);
            compare(modules, &kernel, ROUNDS, &mut rng, &format!("{} {}", target.name(), compiler.name()));
        }
        let may_be_unused: &[&str] = if flags.contains(&"-Wno-unused") { &["-A", "unused"] } else { &[] };
        if let Some(compiler) = compilers.first() {
            compare_rust(modules, target, compiler, ROUNDS, &mut rng, may_be_unused);
        }
    }
}

#[test]
fn every_operation_on_words_of_all_widths() {
    let widths = [2, 5, 8, 13, 16, 24, 31, 32, 33, 47, 63, 64];
    let modules: Vec<Module> = widths.iter().map(|&m| parsed(&texts::words(m, 64))).collect();
    check(&modules, 1, &["-O1"]);
}

#[test]
fn every_operation_on_lanes() {
    let mut rng = Rng::new(8);
    for target in [Target::Sse, Target::Avx2, Target::Avx512Ifma, Target::Neon, Target::Vsx] {
        let modules = [parsed(&texts::lanes(target.element_lanes(), target.has_mac52()))];
        let compilers = draw::compilers(target);
        for compiler in &compilers {
            let kernel = load(&modules, target, compiler, &["-O2", "-Wno-unused-function"]);
            compare(&modules, &kernel, ROUNDS, &mut rng, &format!("{} {}", target.name(), compiler.name()));
        }
        let Some(compiler) = compilers.first().filter(|_| target != Target::Vsx) else { continue };
        for flags in [&["-C", "opt-level=0"][..], &["-C", "opt-level=3", "-C", "overflow-checks=on"]] {
            compare_rust(&modules, target, compiler, ROUNDS, &mut rng, flags);
        }
    }
}

#[test]
fn words_of_every_width_in_lanes() {
    let mut rng = Rng::new(12);
    let targets = [Target::Sse, Target::Avx2, Target::Avx512Ifma, Target::Neon, Target::Vsx];
    let shapes = [128, 256, 512].into_iter().flat_map(|register| [8, 16, 32, 64].map(|bits| (register, bits)));
    let of_target = |target: Target| {
        let fits = move |&(register, _): &(u32, u32)| register <= target.register_bits();
        shapes.clone().filter(fits).map(move |(register, bits)| (target, register, bits))
    };
    let cases: Vec<(Target, u32, u32)> = targets.into_iter().flat_map(of_target).collect();
    let features = |(target, register, bits): &(Target, u32, u32)| {
        vec![target.name().to_owned(), format!("registers of {register}"), format!("lanes of {bits}")]
    };
    for (target, register, bits) in draw::singles("shapes of lanes", cases, features, |_| 1) {
        let modules = [parsed(&texts::words_in_lanes(register / bits, bits))];
        let compilers = draw::compilers(target);
        for compiler in &compilers {
            let kernel = load(&modules, target, compiler, &["-O1", "-Wno-unused-function"]);
            compare(&modules, &kernel, 4, &mut rng, &format!("{} {}", target.name(), compiler.name()));
        }
        if let Some(compiler) = compilers.first().filter(|_| target != Target::Vsx) {
            compare_rust(&modules, target, compiler, 4, &mut rng, &["-C", "opt-level=1"]);
        }
    }
}

#[test]
fn products_without_carries() {
    let (modules, mut rng) = ([parsed(texts::CLMUL)], Rng::new(11));
    for target in Target::ALL {
        let in_c = scalar::c_function_for(modules[0].entry(), "demo", target);
        assert_eq!(in_c.is_ok(), target.has_clmul(), "{}", target.name());
        let in_rust = scalar::rust_function_for(modules[0].entry(), "demo", target, false);
        assert_eq!(in_rust.is_ok(), target.has_clmul() && target != Target::Vsx, "{}", target.name());
        let compilers = if in_c.is_ok() { draw::compilers(target) } else { Vec::new() };
        for compiler in &compilers {
            for flags in [&["-O0"][..], &["-O2"]] {
                let kernel = load(&modules, target, compiler, flags);
                compare(&modules, &kernel, ROUNDS, &mut rng, &format!("{} {}", target.name(), compiler.name()));
            }
        }
        if let (Ok(_), Some(compiler)) = (in_rust, compilers.first()) {
            for flags in [&["-C", "opt-level=0"][..], &["-C", "opt-level=3", "-C", "overflow-checks=on"]] {
                compare_rust(&modules, target, compiler, ROUNDS, &mut rng, flags);
            }
        }
    }
}

#[test]
fn bits() {
    check(&[parsed(&texts::bits())], 2, &["-O1"]);
}

/// Bytes that are read, put together, taken apart and written: a word of some bytes from some place on, another one,
/// and both exchanged. The bytes of the second word are written in this order.
fn bytes_in_a_row(bytes: [u32; 2], from: [u32; 2], order: &[u32]) -> String {
    let (mut body, mut value) = (String::new(), 0);
    let mut fresh = || {
        value += 1;
        value - 1
    };
    let mut wholes = Vec::new();
    for (count, from) in bytes.into_iter().zip(from) {
        let mut whole = fresh();
        body.push_str(&format!("  v{whole} = load.w8 a[{from}]\n"));
        for index in 1..count {
            let (byte, longer) = (fresh(), fresh());
            body.push_str(&format!("  v{byte} = load.w8 a[{}]\n", from + index));
            body.push_str(&format!("  v{longer} = concat.w{} v{byte}, v{whole}\n", 8 * (index + 1)));
            whole = longer;
        }
        let turned = fresh();
        body.push_str(&format!("  v{turned} = rotl.w{} v{whole}, 3\n", 8 * count));
        wholes.push((turned, count));
    }
    for (place, (whole, count)) in [bytes[1], 0].into_iter().zip(wholes) {
        for index in 0..count {
            let index = if place == 0 && count == 8 { order[index as usize] } else { index };
            let byte = fresh();
            body.push_str(&format!("  v{byte} = extract.w8 v{whole}, {}\n", 8 * index));
            body.push_str(&format!("  store r[{}], v{byte}\n", place + index));
        }
    }
    format!("entry fn demo {{\n  input a: w8[24]\n  output r: w8[{}]\n{body}}}\n", bytes[0] + bytes[1])
}

/// Flags that select the code for machines on which words in memory have another byte order.
const OTHER_ORDER: [&str; 3] =
    ["-Wno-builtin-macro-redefined", "-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"];

/// A word of `count` bytes, the first of which is the most significant, and a word of the bytes after it in the other
/// order.
fn bytes_turned_around(count: u32) -> String {
    let mut body = String::new();
    for (word, order) in [(100, (0..count).rev().collect::<Vec<u32>>()), (200, (count..2 * count).collect())] {
        for (index, byte) in (0..).zip(&order) {
            let own = word + 2 * index;
            body.push_str(&format!("  v{own} = load.w8 a[{byte}]\n"));
            if index > 0 {
                let below = if index == 1 { word } else { own - 1 };
                body.push_str(&format!("  v{} = concat.w{} v{own}, v{below}\n", own + 1, 8 * (index + 1)));
            }
        }
    }
    let width = 8 * count;
    let [first, second] = [100, 200].map(|word| word + 2 * count - 1);
    body.push_str(&format!("  v1 = xor.w{width} v{first}, v{second}\n  store r[0], v1\n  store s[0], v{first}\n"));
    format!(
        "entry fn demo {{\n  input a: w8[{}]\n  output r: w{width}[1]\n  output s: w{width}[1]\n{body}}}\n",
        2 * count
    )
}

#[test]
fn bytes_in_the_other_order_are_words() {
    let modules = [2, 3, 4, 7, 8].map(|count| parsed(&bytes_turned_around(count)));
    for (module, is_read) in modules.iter().zip([false, false, true, true, true]) {
        let text = scalar::c_function(module.entry(), "demo", 64).expect("C");
        assert_eq!(text.contains("swap_"), is_read, "{text}");
    }
    check(&modules, 12, &["-O2"]);
    check(&modules, 13, &OTHER_ORDER);
}

/// Words in memory are read as words, or byte by byte where the byte order is not known.
#[test]
fn bytes_in_a_row_are_words() {
    const STRAIGHT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let modules = [
        (([8, 8], [0, 8]), STRAIGHT),
        (([4, 8], [3, 13]), STRAIGHT),
        (([8, 4], [1, 5]), STRAIGHT),
        (([8, 8], [16, 0]), [7, 6, 5, 4, 3, 2, 1, 0]),
        (([8, 8], [2, 4]), [4, 5, 6, 7, 0, 1, 2, 3]),
        (([7, 5], [0, 9]), STRAIGHT),
    ]
    .map(|((bytes, from), order)| parsed(&bytes_in_a_row(bytes, from, &order)));
    for module in &modules[..3] {
        let text = scalar::c_function(module.entry(), "demo", 64).expect("C");
        assert_eq!((text.matches("load_").count(), text.matches("store_").count()), (2, 2), "{text}");
    }
    check(&modules, 9, &["-O2"]);
    check(&modules, 10, &OTHER_ORDER);
}

/// Loops over the whole blocks of a stream, and over a part of a block with the padding after it; either may be absent.
fn streams(block: u32, pad: u8) -> String {
    let tail: Vec<String> = (0..block + u32::from(pad != 0)).map(|k| format!("v{}", 20 + k)).collect();
    let (mut sum, mut text) = (5, String::new());
    for (k, byte) in tail.iter().enumerate() {
        let n = 100 + 2 * k;
        text.push_str(&format!("    v{n} = rotl.w8 v{sum}, 3\n    v{} = add.w8 v{n}, {byte}\n", n + 1));
        sum = n + 1;
    }
    format!(
        "entry fn demo {{
  input k: w8[1]
  stream m: w8[1]
  output r: w8[2]
  v0 = load.w8 k[0]
  v1 = loop i0 over m by {block} (v2 = v0) {{
    v3 = loop i1 = 0 to 2 (v4 = v2) {{
      v6 = load.w8 m[{block}*i0 + {last}]
      v7 = rotl.w8 v4, 5
      v8 = sub.w8 v7, v6
      next v8
    }}
    v9 = load.w8 m[{block}*i0]
    v10 = xor.w8 v3, v9
    next v10
  }}
  store r[0], v1
  v11 = loop i2 rest m by {block} (v5 = v1) {{
    {tail} = tail.w8 m by {block}, {pad:#x}
{text}    next v{sum}
  }}
  store r[1], v11
}}
",
        last = block - 1,
        tail = tail.join(", ")
    )
}

#[test]
fn streams_of_every_length() {
    let modules: Vec<Module> =
        [(16, 1), (16, 0), (1, 0), (5, 0x80), (13, 0)].map(|(block, pad)| parsed(&streams(block, pad))).to_vec();
    check(&modules, 4, &["-O1"]);
}

/// Loops over a stream without a look at its bytes, and the low byte of a stream's length.
const COUNTED: &str = "entry fn demo {
  stream unread: w8[1]
  stream m: w8[1]
  input k: w8[1]
  stream measured: w8[1]
  output r: w8[4]
  v0 = load.w8 k[0]
  v1 = loop i0 over m by 16 (v2 = v0) {
    v3 = add.w8 v2, v2
    next v3
  }
  store r[0], v1
  v4 = loop i1 rest m by 16 (v5 = v1) {
    v6 = not.w8 v5
    next v6
  }
  store r[1], v4
  v7 = loop i2 short m by 16 (v8 = v4) {
    v9 = sub.w8 v8, v0
    next v9
  }
  store r[2], v7
  v10 = length.w64 measured
  v11 = extract.w8 v10, 0
  store r[3], v11
}
";

#[test]
fn streams_whose_bytes_nothing_reads() {
    let module = parsed(COUNTED);
    let c = scalar::c_function(module.entry(), "demo", 64).expect("C");
    assert!(c.contains("(void)unread, (void)unread_length;") && c.contains("i < m_length / 16"), "{c}");
    check(&[module], 14, &["-O1"]);
}

/// Adds each byte of some whole blocks to a sum that rotates, in nested loops.
fn some_blocks(block: u32, group: u32) -> String {
    let turn = |counter: u32, from: u32, first: u32| {
        format!(
            "v{a} = load.w8 m[{block}*i{counter} + {last}]
             v{b} = rotl.w8 v{from}, 3
             v{c} = add.w8 v{a}, v{b}",
            a = first,
            b = first + 1,
            c = first + 2,
            last = block - 1
        )
    };
    format!(
        "entry fn demo {{
  stream m: w8[1]
  output r: w8[4]
  v0 = const.w8 0x5
  v1 = loop i0 over m by {block} first (v2 = v0) {{
    {}
    v20 = loop i1 over m by {block} later (v21 = v12) {{
      {}
      next v32
    }}
    next v20
  }}
  store r[0], v1
  v3 = loop i2 over m by {block} beyond {group} (v4 = v1) {{
    {}
    next v42
  }}
  store r[1], v3
  v5 = loop i3 over m by {block} beyond {group} first (v6 = v3) {{
    v7 = const.w8 0x1
    v8 = add.w8 v6, v7
    v9 = loop i4 over m by {block} beyond {group} later (v13 = v8) {{
      {}
      next v52
    }}
    {}
    next v62
  }}
  store r[2], v5
  v14 = loop i5 over m by {block} first (v15 = v5) {{
    next v0
  }}
  store r[3], v14
}}
",
        turn(0, 2, 10),
        turn(1, 21, 30),
        turn(2, 4, 40),
        turn(4, 13, 50),
        turn(3, 9, 60),
    )
}

#[test]
fn some_blocks_of_streams_of_every_length() {
    let modules: Vec<Module> =
        [(2, 2), (3, 4), (2, 5)].map(|(block, group)| parsed(&some_blocks(block, group))).to_vec();
    check(&modules, 7, &["-O1"]);
}

/// Names that languages keep for themselves, parameters that nothing needs, values that a loop exchanges.
const NAMES: &str = "entry fn demo {
  input while: w32[1]
  input t0: w64[3]
  input flag: w1[1]
  stream wide: w8[1]
  output fn: w64[2]
  local loop: w32[2]
  constants T': w32[2] = [0x7, 0x80000001]
  v0 = load.w32 while[0]
  store loop[0], v0
  v1 = load.w64 t0[1]
  v2 = const.w64 0x5
  v3, v4 = loop i0 = 3 to -1 (v5 = v1, v6 = v2) {
    v7 = load.w32 loop[0]
    v8 = load.w32 T'[0]
    v9 = add.w32 v7, v8
    store loop[1], v9
    store loop[0], v9
    v10 = const.w32 0x0
    v11 = concat.w64 v10, v9
    v12 = xor.w64 v5, v11
    next v6, v12
  }
  store fn[0], v3
  store fn[1], v4
}
";

#[test]
fn names_and_parameters() {
    let module = parsed(NAMES);
    check(std::slice::from_ref(&module), 6, &["-O1"]);
    let c = scalar::c_function(module.entry(), "demo", 64).expect("C");
    assert_eq!(
        c,
        "void demo(const uint32_t while_[1], const uint64_t t0[3], uint64_t flag, const uint8_t *wide_, size_t wide_length, \
         uint64_t fn[2])
{
    (void)flag;
    (void)wide_, (void)wide_length;
    uint32_t loop[2];
    static const uint32_t T_[2] = { 7, 0x80000001 };
    const uint32_t while_0 = while_[0];
    loop[0] = while_0;
    const uint64_t t01 = t0[1];
    uint64_t v0 = t01;
    uint64_t v1 = 5;
    for (size_t i = 5; i-- > 0;) {
        const uint32_t loop0 = loop[0];
        const uint32_t T_0 = T_[0];
        const uint32_t t0_2 = loop0 + T_0;
        loop[1] = t0_2;
        loop[0] = t0_2;
        const uint64_t t1 = v1;
        const uint64_t t2 = v0 ^ t0_2;
        v0 = t1;
        v1 = t2;
    }
    fn[0] = v0;
    fn[1] = v1;
    for (size_t at = 0; at < 2; at++)
        ((volatile uint32_t *)loop)[at] = 0;
}
"
    );
}

#[test]
fn what_is_no_word_has_no_form() {
    let field = "field f0 f = GF(0x11)\nentry fn demo {\n  input a: f0[1]\n  output b: f0[1]\n  v0 = load.f0 a[0]\n  store b[0], v0\n}\n";
    let vector =
        "entry fn demo {\n  input a: v<4,1>[1]\n  output b: v<4,1>[1]\n  v0 = load.v<4,1> a[0]\n  store b[0], v0\n}\n";
    let call = "fn one() {\n  v0 = const.w8 0x1\n  return v0\n}\nentry fn demo {\n  output b: w8[1]\n  v0 = call one()\n  store b[0], v0\n}\n";
    for (text, why) in [(field, "an element of a field"), (vector, "a vector"), (call, "a call")] {
        let module = parsed(text);
        let c = scalar::c_function(module.entry(), "demo", 64).expect_err(why);
        let rust = scalar::rust_function(module.entry(), "demo", 64).expect_err(why);
        assert!(c.0.starts_with(why) && c == rust, "{c}");
    }
}

/// Bytes that are written as one word change what a row of copies reads behind the word's first byte.
#[test]
fn copies_see_words_that_bytes_are_written_as() {
    let mut body = String::new();
    let mut values = 0;
    let mut define = |body: &mut String, text: &str| {
        body.push_str(&format!("  v{values} = {text}\n"));
        values += 1;
        values - 1
    };
    for byte in 0..32 {
        let value = define(&mut body, &format!("const.w8 {byte:#x}"));
        body.push_str(&format!("  store c[{byte}], v{value}\n"));
    }
    let word = define(&mut body, "load.w32 w[0]");
    let parts: Vec<i32> = (0..4).map(|k| define(&mut body, &format!("extract.w8 v{word}, {}", 8 * k))).collect();
    let read: Vec<i32> = (9..17).map(|byte| define(&mut body, &format!("load.w8 c[{byte}]"))).collect();
    (8..).zip(parts).for_each(|(byte, value)| body.push_str(&format!("  store c[{byte}], v{value}\n")));
    (0..).zip(read).for_each(|(byte, value)| body.push_str(&format!("  store d[{byte}], v{value}\n")));
    let called = define(&mut body, "call one()");
    let text = format!(
        "fn one() {{\n  v0 = const.w32 0x1\n  return v0\n}}\nentry fn demo {{\n  output c: w8[32]\n  output d: w8[8]\n  output e: w32[1]\n  \
         input w: w32[1]\n{body}  store e[0], v{called}\n}}\n"
    );
    let c = scalar::c_module(&parsed(&text), "demo", Target::C64).expect("C");
    assert!(c.contains("store_u32(c + 8") || c.contains("c + 8"), "the bytes are one word: {c}");
    assert!(!c.contains("c[9 + "), "the reads stay before the word: {c}");
}

/// Two functions that read an entry of the same table, and one of the same pair.
fn readers(entries: u32) -> Module {
    let table = (0..entries).map(|entry| format!("{:#x}", entry * entry + 7)).collect::<Vec<String>>().join(", ");
    let reader = |name: &str, slot: &str, place: u32| {
        format!(
            "fn {name}() {{
  constants {slot}: w32[{entries}] = [{table}]
  constants pair: w32[2] = [0x5, 0x6]
  v0 = load.w32 {slot}[{place}]
  v1 = load.w32 pair[1]
  v2 = add.w32 v0, v1
  return v2
}}
"
        )
    };
    let main = "entry fn main {
  output r: w32[2]
  v0 = call one()
  v1 = call other()
  store r[0], v0
  store r[1], v1
}
";
    parsed(&[&reader("one", "squares", 3), &reader("other", "demo_squares", 4), main].concat())
}

#[test]
fn functions_share_large_tables() {
    let module = readers(32);
    let c = scalar::c_module(&module, "demo", Target::C32).expect("C");
    let places = ["static const uint32_t demo_squares[32] = {", "static void demo_one(", "static void demo_other("]
        .map(|text| c.find(text).unwrap_or_else(|| panic!("{text}\n{c}")));
    assert!(places.is_sorted() && c.matches("[32]").count() == 1 && c.matches("pair_[2] = {").count() == 2, "{c}");
    assert!(c.contains(" = demo_squares[3];") && c.contains(" = demo_squares[4];"), "{c}");
    let rust = scalar::rust_module(&module, "demo", Target::C32, false).expect("Rust").text;
    assert!(rust.matches("static DEMO_SQUARES: [u32; 32] = [").count() == 1 && rust.matches("; 32]").count() == 1);

    let small = scalar::c_module(&readers(31), "demo", Target::C32).expect("C");
    assert_eq!(small.matches("[31] = {").count(), 2, "a short table is where it is read: {small}");
}

/// The ladder of X25519 in limbs: products, carries and choices in one loop.
fn ladder(radix: Radix, word_bits: u32) -> Module {
    let module =
        parsed(&Case::parse("ladder", include_str!("../../../tests/filetests/field/ladder_radix_16.ir")).input);
    let p = (BigInt::from(1) << 255) - 19;
    let limbs = Unsaturated::new(&p, radix, word_bits).expect("limbs");
    let below = |limb| Interval::below(power(limbs.limb_bits(limb).into()));
    let inputs: SlotBounds = [(0, (0..limbs.limbs).map(below).collect())].into();
    let whole = Whole::new(&module, &limbs, &inputs);
    let start = generous(&[&module], &limbs, Order::Interleaved);
    let plan = search(&whole, &module, start).expect("a plan");
    let expanded = expand(&module, FuncId(0), &limbs, &plan, &inputs, true).expect("the plan holds");
    expanded.module().expect("it is written")
}

#[test]
fn a_ladder_in_limbs() {
    for (radix, word_bits) in [(Radix::new(51, 1), 64), (Radix::new(51, 2), 32)] {
        let modules = [ladder(radix.expect("a radix"), word_bits)];
        let target = if word_bits == 64 { Target::C64 } else { Target::C32 };
        let mut rng = Rng::new(5);
        let compilers = draw::compilers(target);
        for compiler in &compilers {
            let kernel = load(&modules, target, compiler, &["-O1"]);
            compare(&modules, &kernel, 4, &mut rng, &format!("{word_bits} {}", compiler.name()));
        }
        if let Some(compiler) = compilers.first() {
            let flags = ["-C", "opt-level=1", "-C", "overflow-checks=on"];
            compare_rust(&modules, target, compiler, 4, &mut rng, &flags);
        }
    }
}

/// Set `CULET_RANDOM` to a number to try that many functions, from other seeds.
#[test]
fn random_functions_with_loops_and_memory() {
    let count = std::env::var("CULET_RANDOM").ok().and_then(|text| text.parse().ok());
    let (first, count) = count.map_or((0, 40), |count| (1000, count));
    let context = Context { inline: Amount::All, ..Context::new(Target::C64) };
    let inline = culet_passes::INLINE;
    let mut modules: Vec<Module> = Vec::new();
    for seed in first..first + count {
        let widths = [(8, 16), (16, 32), (32, 64), (13, 26), (31, 62)][seed as usize % 5];
        let shape = Shape { vectors: false, widths: Some(widths), ..Shape::any() };
        let mut module = scrambled_module(seed, &shape);
        for func in &mut module.funcs {
            func.no_opt = false;
        }
        // Every other module keeps its functions.
        let pass = if seed % 2 == 0 { inline } else { culet_passes::DCE };
        (pass.run)(&mut module, &context);
        modules.push(module);
    }
    for modules in modules.chunks(40) {
        check(modules, 3, &["-O1", "-Wno-unused"]);
    }
}
