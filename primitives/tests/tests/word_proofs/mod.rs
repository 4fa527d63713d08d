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
    Subject::of(path, &options(node, target))
}

fn options(node: &str, target: Target) -> Options {
    Options { node: Some(node.to_owned()), slicing: Some(Slicing::Vertical), ..Options::new(target) }
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
const DEAR: [Case; 5] = [
    ("hashes/sha256.ua", "sha256", Target::C64, BOTH),
    ("hashes/sha512.ua", "sha512_update", Target::C64, BOTH),
    ("hashes/sha3.ua", "keccak_absorb_136", Target::C64, BOTH),
    ("streams/chacha20.ua", "chacha20", Target::Sse, BOTH),
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
    small_with(folder, number, &options("small", Target::C64))
}

fn small_with(folder: &Path, number: usize, options: &Options) -> Subject {
    let path = folder.join(format!("small{number}.ua"));
    fs::write(&path, SMALL[number]).expect("it can be written");
    Subject::of(&path, options)
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
        // Numbers of fewer bits than lengths have.
        ("i < text_length / 4;", "i < (uint32_t)text_length / 4;"),
        ("size_t i = 0;", "uint32_t i = 0;"),
        ("made + 4 * i;", "made + ((int64_t)(4 * i << 24) >> 24);"),
        (
            "text_length - text_length % 4 + at] = made_end",
            "(text_length & 0xffffffffff) - text_length % 4 + at] = made_end",
        ),
        // The state depends on the place of a block, on its bytes, or on addresses.
        ("t8 = v0 + 3", "t8 = v0 + 3 + (i >> 40 & 1)"),
        ("t8 = v0 + 3", "t8 = v0 + 3 + (t3 == 0x12345678)"),
        ("t8 = v0 + 3", "t8 = v0 + 3 + ((v0 ^ v1) == 0xdeadbeef)"),
        ("t8 = v0 + 3", "t8 = v0 + 3 + (((uintptr_t)text_block >> 12) == 12345)"),
        ("t8 = v0 + 3", "t8 = v0 + 3 + ((size_t)(made - text) < text_length)"),
        // Code after the blocks is wrong for long messages, or for one of them.
        ("made_end[1] = (uint8_t)t13", "made_end[1] = (uint8_t)(text_length > 1000000 ? t14 : t13)"),
        ("t18 = v3 + v2", "t18 = v3 + v2 + (text_length * 0x9e3779b97f4a7c15 == 0xf565c10cc0434fb9)"),
        ("t18 = v3 + v2", "t18 = v3 + v2 + (uint32_t)((1ull << (text_length / 4 & 63)) >> 62)"),
    ],
    &[
        ("i < text_length / 64;", "i < text_length / 64 - (text_length > 4096);"),
        ("text + 64 * i;", "text + 64 * (i == 4096 ? 0 : i);"),
        ("(uint64_t)text_length << 3", "((uint64_t)text_length & 0xffffff) << 3"),
        ("text_length % 64 >= 56", "text_length % 64 >= 55"),
        ("text_length % 64 >= 56", "text_length % 64 >= 56 || text_length == 0x100000000"),
        ("(uint64_t)text_length << 3", "((uint64_t)text_length << 3 & 0x3ffffffffff)"),
        ("(uint64_t)text_length << 3", "((uint64_t)text_length % 0xfffffffb << 3)"),
    ],
];

/// A compiler with the flags with which its code of ends of results is proved.
type Builder = (CCompiler, &'static [&'static str]);

fn builders() -> Vec<Builder> {
    let flags = |name: String| WITH_ENDS.iter().find(|(own, _)| *own == name).map(|&(_, flags)| flags);
    let all = compilers(Target::C64).into_iter();
    all.filter_map(|compiler| flags(compiler.name()).map(|flags| (compiler, flags))).collect()
}

/// The code with these changes, each of which is of one place.
fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (right, wrong)| {
        assert_eq!(text.matches(right).count(), 1, "{right} in {text}");
        text.replace(right, wrong)
    })
}

/// A share of the mistakes is drawn.
#[test]
fn mistakes_on_long_messages_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, mistakes) in MISTAKES.into_iter().enumerate() {
        let subject = small(folder.path(), number);
        for (compiler, flags) in
            draw::some(&format!("compilers {number}"), builders(), 1, |(compiler, _)| compiler.name())
        {
            let proved = subject.prove(&subject.image(&compiler, flags));
            proved.unwrap_or_else(|why| panic!("{number} {}: {why}", compiler.name()));
            let name = format!("mistakes in words {number}");
            for mistake in draw::some(&name, mistakes.to_vec(), [3, 1][number], |m| m.1.into()) {
                let change = |text: &str| changed(text, &[mistake]);
                let outcome = subject.prove(&subject.image_of(&compiler, flags, &change));
                assert!(outcome.is_err(), "{}: {}", compiler.name(), mistake.1);
            }
        }
    }
}

/// Changes to the first program's C that matter only where the result stands in the text's place: bytes of the text are read again
/// after the result was written, in a block and in the end; bytes of the next block, and of the first, are written before they are read.
const OUT_OF_PLACE: [&[(&str, &str)]; 4] = [
    &[
        ("const uint32_t t4 = v1 ^ t3;", ""),
        (
            "const uint32_t t8 =",
            "const uint32_t t4 = v1 ^ *(const volatile uint32_t *)text_block;\n        const uint32_t t8 =",
        ),
    ],
    &[
        ("const uint32_t t12 = v3 ^ tail0;", ""),
        (
            "const uint32_t t16 =",
            "for (size_t at = 0; at < text_length % 4; at++)
            tail[at] = ((const volatile uint8_t *)text)[text_length - text_length % 4 + at];
        uint32_t again;
        __builtin_memcpy(&again, tail, 4);
        const uint32_t t12 = v3 ^ again;
        const uint32_t t16 =",
        ),
    ],
    &[
        ("for (size_t i = 0; i < text_length / 4; i++) {", "for (size_t i = 0; text_length / 4;) {"),
        (
            "v1 = t9;\n",
            "v1 = t9;\n        if (++i >= text_length / 4)\n            break;\n        ((volatile uint8_t *)made)[4 * i] = 0;\n",
        ),
    ],
    &[(
        "uint32_t v1 = t0 ^ 5;",
        "uint32_t v1 = t0 ^ 5;\n    if (text_length)\n        ((volatile uint8_t *)made)[0] = 0;",
    )],
];

/// Code that is only right where the result stands elsewhere is refused if the program says that it may stand in the text's place.
#[test]
fn results_in_the_place_of_their_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let apart = options("small", Target::C64);
    let subjects = [true, false].map(|in_place| small_with(folder.path(), 0, &Options { in_place, ..apart.clone() }));
    for (compiler, flags) in draw::some("results in place", builders(), 1, |(compiler, _)| compiler.name()) {
        for subject in &subjects {
            let proved = subject.prove(&subject.image(&compiler, flags)).expect("it is right");
            let in_place = proved.on_bytes.expect("it is on bytes").in_place;
            assert_eq!(in_place.is_empty(), std::ptr::eq(subject, &subjects[1]), "{in_place:?}");
        }
        for changes in draw::some("out of place", OUT_OF_PLACE.to_vec(), 2, |changes| changes[0].1.to_owned()) {
            let change = |text: &str| changed(text, changes);
            let [in_place, apart] =
                [0, 1].map(|which: usize| subjects[which].prove(&subjects[which].image_of(&compiler, flags, &change)));
            apart.unwrap_or_else(|why| panic!("{} {changes:?}: {why}", compiler.name()));
            assert!(in_place.is_err(), "{} {changes:?}", compiler.name());
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
