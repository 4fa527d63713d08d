//! Proofs of the machine code of programs of words that read messages of any length, and that make results of their
//! length, by C compilers; wrong and damaged code is refused.

use std::fs;
use std::path::Path;

use culet_driver::{Mutation, Options};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_testing::{compilers, draw};
use culet_types::program::Slicing;

use crate::primitive;
use crate::subject::Subject;

fn node(path: &Path, node: &str, target: Target) -> Subject {
    let options = Options { node: Some(node.to_owned()), slicing: Some(Slicing::Vertical), ..Options::new(target) };
    Subject::of(path, &options)
}

/// A program, and the compilers whose code of it is proved. gcc copies the end of a result in steps that depend on the lowest
/// bits of its address, which no proof follows, unless it is told to leave such loops as they are.
type Case = (&'static str, &'static str, Target, &'static [(&'static str, &'static [&'static str])]);

const BOTH: &[(&str, &[&str])] = &[("gcc-12", &["-O2"]), ("clang-19", &["-O2"])];
const WITH_ENDS: &[(&str, &[&str])] =
    &[("gcc-12", &["-O2", "-fno-tree-loop-distribute-patterns"]), ("clang-19", &["-O2"])];

const CHEAP: [Case; 4] = [
    ("hashes/sha256.ua", "sha256_update", Target::C64, BOTH),
    ("hashes/sha256.ua", "sha256_update", Target::C32, BOTH),
    ("streams/chacha20.ua", "chacha20", Target::C64, BOTH),
    ("streams/chacha20_xor.ua", "chacha20_xor", Target::C64, WITH_ENDS),
];

/// Proofs that take longer, which are tried with `CULET_ALL` only.
const DEAR: [Case; 4] = [
    ("hashes/sha256.ua", "sha256", Target::C64, BOTH),
    ("hashes/sha512.ua", "sha512_update", Target::C64, BOTH),
    ("hashes/sha3.ua", "keccak_absorb_136", Target::C64, BOTH),
    ("streams/salsa20_xor.ua", "salsa20_xor", Target::C64, &[("clang-19", &["-O2"])]),
];

/// A build of a program.
#[derive(Clone)]
struct Build {
    case: Case,
    compiler: CCompiler,
    flags: &'static [&'static str],
}

impl Build {
    fn name(&self) -> String {
        format!("{} {} {} {}", self.case.1, self.case.2.name(), self.compiler.name(), self.flags.join(" "))
    }
}

#[test]
fn messages_of_any_length() {
    let mut builds = Vec::new();
    let dear = DEAR.into_iter().filter(|_| draw::wants_all());
    for case in CHEAP.into_iter().chain(dear) {
        for compiler in compilers(Target::C64) {
            let claimed = case.3.iter().find(|(name, _)| *name == compiler.name());
            builds.extend(claimed.map(|&(_, flags)| Build { case, compiler, flags }));
        }
    }
    for build in draw::some("messages of words", builds, 1, Build::name) {
        let (path, entry, target, _) = build.case;
        let subject = node(&primitive(path), entry, target);
        let proved = subject.prove(&subject.image(&build.compiler, build.flags));
        let proved = proved.unwrap_or_else(|why| panic!("{}: {why}", build.name()));
        assert!(proved.arguments.iter().any(|argument| argument.is_word), "{proved:?}");
    }
}

/// A fold and a map at once, with a counter, over blocks of 4 bytes; and a fold of messages that end with their length.
const SMALL: [&str; 2] = [
    "node small (key, other : u32, text : u8[*]) returns (made : u8[*], tag : u32)
vars n, h, w : u32
let
  n = key;
  h = other ^ 5;
  fold b in blocks(text, 4, 0) {
    w = ((n + h) <<< 7) ^ other;
    made = b ^ be(w);
    h := ((h ^ le<u32>(b)) <<< 5) + n;
    n := n + 3
  }
  tag = h + n
tel
",
    "node small (key : u32, text : u8[*]) returns (tag : u32x2)
vars g, h, t : u32
let
  g = key;
  h = 77;
  fold b in blocks(text, 64, md) {
    t = (be<u32>(b[0..3]) + be<u32>(b[60..63])) ^ (be<u32>(b[24..27]) >> 3) ^ be<u32>(b[56..59]);
    (g, h) := (h, ((g ^ t) <<< 3) + h)
  }
  tag = (g, h)
tel
",
];

fn small(folder: &Path, number: usize) -> Subject {
    let path = folder.join(format!("small{number}.ua"));
    fs::write(&path, SMALL[number]).expect("it can be written");
    node(&path, "small", Target::C64)
}

/// Mistakes in the small programs' C, many of which affect long messages only.
const MISTAKES: [&[(&str, &str)]; 2] = [
    &[
        ("i < text_length / 4;", "i < text_length / 4 - (text_length > 4096);"),
        ("i < text_length / 4;", "i < (text_length < 100000 ? text_length / 4 : 25000);"),
        ("text + 4 * i;", "text + 4 * (i == 4096 ? 0 : i);"),
        ("made + 4 * i;", "made + 4 * (i == 4096 ? 0 : i);"),
        ("made + 4 * i;", "made + 4 * (i ^ (i >> 20 & 1));"),
        ("if (text_length % 4 != 0)", "if (text_length % 4 != 0 && text_length != 65537)"),
        (
            "made[text_length - text_length % 4 + at]",
            "made[text_length - text_length % 4 + at - (text_length > 65536)]",
        ),
        ("made_block[3] =", "made_block[3 ^ (i == 1000)] ="),
    ],
    &[
        ("i < text_length / 64;", "i < text_length / 64 - (text_length > 4096);"),
        ("text + 64 * i;", "text + 64 * (i == 4096 ? 0 : i);"),
        ("(uint64_t)text_length << 3", "((uint64_t)text_length & 0xffffff) << 3"),
        ("text_length % 64 >= 56", "text_length % 64 >= 55"),
    ],
];

/// A share of the mistakes is drawn.
#[test]
fn mistakes_on_long_messages_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, mistakes) in MISTAKES.into_iter().enumerate() {
        let subject = small(folder.path(), number);
        let compiler = &compilers(Target::C64)[0];
        let proved = subject.prove(&subject.image(compiler, &["-O2", "-fno-tree-loop-distribute-patterns"]));
        proved.unwrap_or_else(|why| panic!("{number} {}: {why}", compiler.name()));
        for (right, wrong) in
            draw::some(&format!("mistakes in words {number}"), mistakes.to_vec(), [3, 1][number], |m| m.1.into())
        {
            let change = |text: &str| {
                assert_eq!(text.matches(right).count(), 1, "{right} in {text}");
                text.replace(right, wrong)
            };
            for compiler in draw::some(wrong, compilers(Target::C64), 1, CCompiler::name) {
                let outcome = subject.prove(&subject.image_of(&compiler, &["-O2"], &change));
                assert!(outcome.is_err(), "{}: {wrong}", compiler.name());
            }
        }
    }
}

/// Number of damaged functions of each program, and that with `CULET_ALL`.
const MUTANTS: [usize; 2] = [20, 1000];

/// Damaged functions that are proved are equivalent to the original ones.
#[test]
fn mutants_are_refused() {
    let count = MUTANTS[usize::from(draw::wants_all())];
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["-O2", "-fno-tree-loop-distribute-patterns"];
    let numbers = if draw::wants_all() { 0..2 } else { 0..1 };
    for number in numbers {
        let subject = small(folder.path(), number);
        let gcc =
            compilers(Target::C64).into_iter().find(|compiler| compiler.name() == "gcc-12").expect("it is installed");
        let image = subject.image(&gcc, &flags);
        let all = subject.kernel.mutants(&image, Mutation { count, seed: number as u64 }, &mut |_| true);
        let all = all.unwrap_or_else(|why| panic!("{number}: {why:?}"));
        assert_eq!((all.len(), all[0].count()), (1, count), "{number}");
        assert!(all[0].differences().next().is_none(), "{number}: {all:?}");
        // Those are bits of padding, of prefixes, and bits that an instruction ignores.
        assert!(5 * all[0].accepted.len() < 2 * count, "{number}: {all:?}");
    }
}
