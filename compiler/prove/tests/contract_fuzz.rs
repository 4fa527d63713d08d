//! Whatever a contract says, reading it ends in a contract or in diagnostics with a place; and a contract that is read
//! ends in a proof of a function or in a rejection, in bounded time. Nothing panics.
//!
//! The run is deterministic; `CULET_FUZZ_ITERATIONS` sets the number of texts.

use std::fs;
use std::path::Path;
use std::process::Command;

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Contract};
use culet_prove::theorem::Limits;
use culet_testing::Stopwatch;

/// Pieces that contracts are made of, and pieces that they should not have.
const PIECES: &[&str] = &[
    "symbol = \"f\"\n",
    "equation = \"out = a\"\n",
    "[constants]\n",
    "[[argument]]\n",
    "name = \"a\"\n",
    "direction = \"in\"\n",
    "direction = \"inout\"\n",
    "direction = \"value\"\n",
    "direction = \"return\"\n",
    "limbs = 0\n",
    "limbs = 81\n",
    "limbs = -1\n",
    "bits = 7\n",
    "bits = 8\n",
    "radix = 0\n",
    "radix = \"1/0\"\n",
    "radix = nan\n",
    "radix = 1e300\n",
    "radix = \"51/0x\"\n",
    "positions = []\n",
    "positions = [18446744073709551615]\n",
    "below = 0\n",
    "below = \"-1\"\n",
    "below = [\"2^51\"]\n",
    "below = \"2^4096^4096\"\n",
    "below_after = 1\n",
    "value_below = \"p\"\n",
    "value_below_after = \"0 - 5\"\n",
    "lanes = 0\n",
    "lanes = 64\n",
    "order = \"numbers\"\n",
    "calls = [\"x.toml\"]\n",
    "align = 3\n",
    "align = 8192\n",
    "may_alias = [\"a\"]\n",
    "may_alias = [\"out\", \"b\"]\n",
    "p = \"p\"\n",
    "q = \"r^4096\"\n",
    "r = \"2^4096\"\n",
    "s = \"q^4096\"\n",
    "equation = \"out = a + b mod 2^64\"\n",
    " + a + a + a",
    " * 1 * 1",
    " mod ",
    " mod 0",
    "(",
    ")",
    "((((((((",
    "^",
    "^4096",
    "^99999999999",
    "--------",
    "'",
    "x'",
    "0x",
    "0xg",
    "=",
    "é",
    "\0",
    "\"",
    "'''",
    "[",
    "]",
    "#",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound.max(1) as u64) as usize
    }
}

/// Returns a text with one change, whole characters at a time.
fn change(text: &str, random: &mut Random) -> String {
    let characters: Vec<char> = text.chars().collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (from, length) = (random.below(characters.len() + 1), random.below(12));
    let to = (from + length).min(characters.len());
    let piece = PIECES[random.below(PIECES.len())];
    let line = random.below(lines.len());
    match random.below(7) {
        0 => characters[..from].iter().chain(&characters[to..]).collect(),
        1 => {
            characters[..from].iter().copied().chain(piece.chars()).chain(characters[from..].iter().copied()).collect()
        }
        2 => characters[..from].iter().copied().chain(piece.chars()).chain(characters[to..].iter().copied()).collect(),
        3 => lines.iter().enumerate().filter(|(index, _)| *index != line).map(|(_, text)| *text).collect(),
        4 => {
            let other = lines[random.below(lines.len())];
            lines.iter().enumerate().map(|(index, text)| if index == line { other } else { text }).collect()
        }
        // Formulas without end.
        5 => {
            let pieces = piece.repeat(1 << random.below(13));
            characters[..from].iter().copied().chain(pieces.chars()).chain(characters[from..].iter().copied()).collect()
        }
        _ => {
            let at = lines[..line].concat().len();
            format!("{}{piece}{}", &text[..at], &text[at..])
        }
    }
}

fn read(text: &str) -> Vec<Contract> {
    let mut sources = SourceMap::new();
    let file = sources.add(Path::new("contract.toml"), text.to_owned());
    contract::read(&sources.get(file).text, file).unwrap_or_else(|diagnostics| {
        assert!(diagnostics.has_errors(), "rejected without a reason: {text}");
        Vec::new()
    })
}

/// Maximum number of words of a contract that is proved; each is proved or rejected in [`MAX_SECONDS`], generously.
const MAX_WORDS: usize = 400;
const MAX_SECONDS: f64 = 60.0;

/// Contract of what `f` computes, if limbs are small.
const SUM: &str = "symbol = \"f\"\nequation = [\"out = a + b\", \"low = a + b mod 2^51\"]\n\
    \n[[argument]]\nname = \"out\"\ndirection = \"out\"\nlimbs = 5\nradix = 51\nbelow = \"2^53\"\nmay_alias = [\"a\"]\n\
    \n[[argument]]\nname = \"a\"\ndirection = \"in\"\nlimbs = 5\nradix = 51\nbelow = \"2^52\"\n\
    \n[[argument]]\nname = \"b\"\ndirection = \"in\"\nlimbs = 5\nradix = 51\nbelow = \"2^52\"\n\
    \n[[argument]]\nname = \"low\"\ndirection = \"return\"\n";

/// `f` adds two numbers in five limbs.
fn sum() -> Image {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (directory.path().join("f.c"), directory.path().join("f.o"));
    let code = "typedef unsigned long long word;\n\
                word f(word *out, const word *a, const word *b)\n\
                {\n    for (int i = 0; i < 5; i++)\n        out[i] = a[i] + b[i];\n    return out[0];\n}\n";
    fs::write(&source, code).expect("it can be written");
    let status = Command::new("cc").args(["-O1", "-c"]).arg(&source).arg("-o").arg(&object).status();
    assert!(status.expect("there is a C compiler").success());
    Image::read(&fs::read(&object).expect("it was compiled")).expect("it is an object")
}

/// Proves `f` by the contracts, whatever functions they are about. Returns the number of proofs and of rejections.
fn prove(image: &Image, text: &str, contracts: Vec<Contract>) -> [usize; 2] {
    let mut ends = [0, 0];
    let words = |contract: &Contract| contract.arguments.iter().map(|a| a.limbs.len() * a.lanes).sum::<usize>();
    for mut contract in contracts.into_iter().take(2).filter(|contract| words(contract) <= MAX_WORDS) {
        contract.symbol = "f".to_owned();
        let watch = Stopwatch::start();
        let is_rejected = contract::prove(image, &contract, &Limits::default()).is_err();
        assert!(watch.seconds() < MAX_SECONDS, "it takes {} s: {text}", watch.seconds());
        ends[usize::from(is_rejected)] += 1;
    }
    ends
}

#[test]
fn contracts_of_all_kinds_are_read_or_rejected() {
    let list = |directory: &str| {
        let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory));
        entries.expect("the directory of contracts is there").map(|entry| entry.expect("it can be listed").path())
    };
    let mut paths: Vec<_> = list("tests/field").chain(list("tests/lengths")).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let texts: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).expect("it can be read")).collect();
    let iterations: u64 = std::env::var("CULET_FUZZ_ITERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(5000);
    let mut random = Random(1);
    let (image, mut ends) = (sum(), [0, 0]);
    assert_eq!(prove(&image, SUM, read(SUM)), [1, 0]);
    for _ in 0..iterations {
        // Contracts of other functions are mostly rejected.
        let mut text = if random.below(2) == 0 { SUM.to_owned() } else { texts[random.below(texts.len())].clone() };
        for _ in 0..=random.below(5).min(random.below(5)) {
            text = change(&text, &mut random);
        }
        let contracts = read(&text);
        for (all, more) in ends.iter_mut().zip(prove(&image, &text, contracts)) {
            *all += more;
        }
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.below(256) as u8).collect();
        read(&String::from_utf8_lossy(&bytes));
    }
    assert!(ends.iter().all(|&count| count > 0), "proofs and rejections: {ends:?}");
}

/// Contradictions, each with the code of its diagnostic and the text at its place.
#[test]
fn contradictions_have_places() {
    let good = "symbol = \"f\"\nequation = \"out = a mod 2^255 - 19\"\n\n[[argument]]\nname = \"out\"\ndirection = \"out\"\nlimbs = 5\nradix = 51\n\
                \n[[argument]]\nname = \"a\"\ndirection = \"in\"\nlimbs = 5\nradix = 51\nbelow = \"2^52\"\n";
    let cases = [
        ("below = \"2^52\"", "below = \"2^65\"", "E0873", "\"2^65\""),
        ("below = \"2^52\"", "below = [1, 2]", "E0873", "[1, 2]"),
        ("below = \"2^52\"", "below = 2\nvalue_below = \"2^255\"", "E0873", "\"2^255\""),
        ("below = \"2^52\"", "below = \"q\"", "E0871", "\"q\""),
        ("below = \"2^52\"", "below = \"2^^2\"", "E0872", "\"2^^2\""),
        ("below = \"2^52\"", "lanes = 65", "E0870", "65"),
        ("below = \"2^52\"", "order = \"lanes\"", "E0870", "\"lanes\""),
        ("mod 2^255 - 19", "mod 1", "E0873", "\"out = a mod 1\""),
        ("out = a", "out = c", "E0871", "\"out = c mod 2^255 - 19\""),
        ("out = a", "out = out", "E0871", "\"out = out mod 2^255 - 19\""),
        ("out = a", "0 * out = 0 * a", "E0871", "\"0 * out = 0 * a mod 2^255 - 19\""),
        ("out = a mod 2^255 - 19", "7 * out = 14 * a mod 7", "E0871", "\"7 * out = 14 * a mod 7\""),
        ("out = a mod 2^255 - 19", "out^2 = out mod 2", "E0871", "\"out^2 = out mod 2\""),
        ("below = \"2^52\"", "below = 1\n[[argument]]\nname = \"b\"\ndirection = \"out\"\n", "E0871", "\"b\""),
        (
            "limbs = 5",
            "limbs = 5\nlanes = 2\n[[argument]]\nname = \"b\"\nlanes = 4\ndirection = \"in\"\n[[argument]]\nname = \"c\"\ndirection = \"in\"\nlimbs = 5",
            "E0873",
            "\"b\"",
        ),
        ("out = a", "a = a", "E0871", "\"a = a mod 2^255 - 19\""),
        ("\"out = a mod 2^255 - 19\"", "[]", "E0870", "[]"),
        ("name = \"a\"", "name = \"b\"\ndirection = \"out\"\n[[argument]]\nname = \"a\"", "E0871", "\"b\""),
        ("out = a", "out = a^5", "E0872", "\"out = a^5 mod 2^255 - 19\""),
        ("\"in\"", "\"sideways\"", "E0870", "\"sideways\""),
        ("name = \"a\"", "name = \"out\"", "E0871", "\"out\""),
        ("\"in\"", "\"in\"\nmay_alias = [\"out\"]", "E0871", "\"out\""),
        ("\"in\"", "\"in\"\nvalues = [1]", "E0870", "[1]"),
        ("\"in\"", "\"length\"", "E0870", "\"length\""),
        ("\"in\"", "\"length\"\nvalues = []", "E0873", "[]"),
        ("\"in\"", "\"length\"\nbits = 8\nvalues = [256]", "E0873", "\"a\""),
        ("limbs = 5", "limbs = \"5 * q\"", "E0871", "\"5 * q\""),
        ("limbs = 5", "limbs = \"9 * 9\"", "E0870", "\"9 * 9\""),
        ("2^52", "2^(52 - q)", "E0872", "\"2^(52 - q)\""),
        ("2^52", "2^(5 - 7)", "E0872", "\"2^(5 - 7)\""),
    ];
    for (from, to, code, at) in cases {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let mut sources = SourceMap::new();
        let file = sources.add(Path::new("contract.toml"), text.clone());
        let diagnostics = contract::read(&text, file).expect_err(to);
        let found: Vec<(&str, &str)> = diagnostics
            .iter()
            .filter_map(|diagnostic| {
                let span = diagnostic.span?;
                Some((diagnostic.code.id, &text[span.start as usize..span.end as usize]))
            })
            .collect();
        assert!(found.contains(&(code, at)), "{to}: {found:?}");
    }
    let mut sources = SourceMap::new();
    let file = sources.add(Path::new("contract.toml"), good.to_owned());
    assert!(contract::read(good, file).is_ok());
}
