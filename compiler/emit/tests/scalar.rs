//! Functions on words of one instance: what GCC, Clang and rustc make of them, against the evaluator.

mod support;

use culet_ir::{Module, Target, parse, verify};
use culet_passes::{Amount, Context};
use culet_testing::{Rng, Shape, scrambled_module};
use support::scalar::{compare, compare_rust, load};
use support::{compilers, texts};

/// Streams of up to so many bytes.
const ROUNDS: u32 = 40;

fn parsed(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    module
}

fn check(modules: &[Module], seed: u64, flags: &[&str]) {
    let mut rng = Rng::new(seed);
    for (word_bits, target) in [(64, Target::C64), (32, Target::C32)] {
        for compiler in compilers(target) {
            let kernel = load(modules, word_bits, &compiler, flags);
            compare(modules, &kernel, ROUNDS, &mut rng, &format!("{word_bits} {}", compiler.name()));
        }
        let may_be_unused: &[&str] = if flags.contains(&"-Wno-unused") { &["-A", "unused"] } else { &[] };
        compare_rust(modules, word_bits, ROUNDS, &mut rng, may_be_unused);
    }
}

#[test]
fn every_operation_on_words_of_all_widths() {
    let widths = [2, 5, 8, 13, 16, 24, 31, 32, 33, 47, 63, 64];
    let modules: Vec<Module> = widths.iter().map(|&m| parsed(&texts::words(m, 64))).collect();
    check(&modules, 1, &["-O1"]);
}

#[test]
fn bits() {
    check(&[parsed(&texts::bits())], 2, &["-O1"]);
}

/// Whole blocks, a part of a block with what is after it, and the lengths at which there is none of either.
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

/// Set `CULET_RANDOM` to try that many, from other seeds.
#[test]
fn random_functions_with_loops_and_memory() {
    let count = std::env::var("CULET_RANDOM").ok().and_then(|text| text.parse().ok());
    let (first, count) = count.map_or((0, 40), |count| (1000, count));
    let context = Context { inline: Amount::All, ..Context::new(Target::C64) };
    let inline = culet_passes::find("inline").expect("a pass");
    let mut modules: Vec<Module> = Vec::new();
    for seed in first..first + count {
        let widths = [(8, 16), (16, 32), (32, 64), (13, 26), (31, 62)][seed as usize % 5];
        let shape = Shape { vectors: false, widths: Some(widths), ..Shape::any() };
        let mut module = scrambled_module(seed, &shape);
        for func in &mut module.funcs {
            func.no_opt = false;
        }
        (inline.run)(&mut module, &context);
        modules.push(module);
    }
    for modules in modules.chunks(40) {
        check(modules, 3, &["-O1", "-Wno-unused"]);
    }
}
