//! Elaboration of mutated programs: it never panics, it always ends soon, it gives a program if and only if there is no
//! error, and the text of a program elaborates to the same text.
//!
//! Deterministic; `CULET_FUZZ_ITERATIONS` sets the number of programs and `CULET_FUZZ_SEED` the seed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use culet_diag::{FileId, SourceMap};
use culet_types::program::Slicing;
use culet_types::{Compatibility, Request, elaborate};

/// Time limit for one program: far more than any needs, even on a busy machine.
const SLOW: Duration = Duration::from_secs(20);

#[test]
fn mutated_programs_elaborate_or_are_diagnosed() {
    let setting = |name: &str, default| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let iterations: u64 = setting("CULET_FUZZ_ITERATIONS", 3000);
    let mut random = Random(setting("CULET_FUZZ_SEED", 0x9e37_79b9_7f4a_7c15));
    let corpus = corpus();
    assert!(corpus.len() > 100, "only {} programs to mutate", corpus.len());
    let mut good = 0;
    for _ in 0..iterations {
        let text = mutate(&corpus, &mut random);
        let start = Instant::now();
        good += u64::from(check(&text, &mut random));
        let time = start.elapsed();
        assert!(time < SLOW, "{time:?} for\n{text}");
    }
    assert!(good * 20 > iterations, "only {good} of {iterations} programs elaborate: the mutations are too wild");
}

/// Whether the program elaborates.
fn check(text: &str, random: &mut Random) -> bool {
    let slicing = [Some(Slicing::Vertical), Some(Slicing::Bitslice), Some(Slicing::Horizontal), None][random.below(4)];
    let word = [None, Some(8), Some(1)][random.below(3)];
    let (program, failed) = elaborated(text, slicing, word);
    let Some(program) = program else {
        assert!(failed, "no program and no error:\n{text}");
        return false;
    };
    assert!(!failed, "a program and an error:\n{text}");
    let dumped = program.to_string();
    let (again, _) = elaborated(&dumped, None, None);
    let again = again.unwrap_or_else(|| panic!("the text does not elaborate:\n{dumped}\nof\n{text}"));
    assert_eq!(again.to_string(), dumped, "of\n{text}");
    true
}

fn elaborated(
    text: &str,
    slicing: Option<Slicing>,
    word: Option<u32>,
) -> (Option<culet_types::program::Program>, bool) {
    let mut sources = SourceMap::new();
    sources.add("fuzz.ua", text.to_string());
    let (tree, found) = culet_syntax::parse(FileId(0), text);
    let list = Compatibility::default();
    let request = Request { entry: None, slicing, word, lsb_first_tables: &list, sources: Some(&sources) };
    let (program, more) = elaborate(&tree.items, &request);
    // Parts that the parser could not read may be missing from the tree.
    if found.has_errors() { (None, true) } else { (program, more.has_errors()) }
}

/// The inputs of the filetests.
fn corpus() -> Vec<Vec<String>> {
    let mut texts = Vec::new();
    collect(&culet_filetest::repository().join("tests/filetests/types"), &mut texts);
    texts.sort();
    texts.iter().map(|text| tokens(text)).collect()
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|e| e == "ua") {
            let text = fs::read_to_string(&path).unwrap();
            let input: Vec<&str> = text.lines().take_while(|l| !l.starts_with("// ----")).collect();
            texts.push(input.into_iter().filter(|l| !l.starts_with("//!")).collect::<Vec<_>>().join("\n"));
        }
    }
}

/// Splits a text into words, numbers, and single characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    for c in text.chars() {
        match tokens.last_mut() {
            Some(last) if is_word(c) && last.chars().all(is_word) => last.push(c),
            _ => tokens.push(c.to_string()),
        }
    }
    tokens
}

fn mutate(corpus: &[Vec<String>], random: &mut Random) -> String {
    let mut program = corpus[random.below(corpus.len())].clone();
    let other = &corpus[random.below(corpus.len())];
    const WORDS: [&str; 40] = [
        "0",
        "1",
        "2",
        "3",
        "7",
        "8",
        "31",
        "64",
        "65",
        "1000000",
        "9223372036854775807",
        "18446744073709551616",
        "=",
        ":=",
        "^:=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "<<",
        ">>>",
        ">>!",
        "~",
        "b1",
        "u8",
        "u16x4",
        "v2",
        "nat",
        "const",
        "_no_unroll",
        "x",
        "a",
        "i",
        "t",
        "[0]",
        "[1..0]",
        "[0,1]",
        "(a, x)",
        "refresh(a)",
    ];
    for _ in 0..1 + random.below(2) {
        if program.is_empty() {
            break;
        }
        let at = random.below(program.len());
        if random.below(4) > 0 {
            replace_by_similar(&mut program, at, random);
            continue;
        }
        match random.below(6) {
            0 => drop(program.remove(at)),
            1 => program.insert(at, WORDS[random.below(WORDS.len())].to_string()),
            2 => program[at] = WORDS[random.below(WORDS.len())].to_string(),
            3 => {
                let with = random.below(program.len());
                program.swap(at, with);
            }
            4 => program[at] = other[random.below(other.len())].clone(),
            _ => {
                // Repeats a piece of this program, or inserts one of another program.
                let source = if random.below(2) == 0 { program.clone() } else { other.clone() };
                let from = random.below(source.len());
                let length = 1 + random.below(20);
                let piece: Vec<String> = source.into_iter().skip(from).take(length).collect();
                program.splice(at..at, piece);
            }
        }
    }
    program.concat()
}

/// Replaces a number by a number, an operator by an operator, or a name by another one of the program.
fn replace_by_similar(program: &mut [String], at: usize, random: &mut Random) {
    const NUMBERS: [&str; 8] = ["0", "1", "2", "3", "4", "8", "16", "32"];
    const OPERATORS: [&str; 6] = ["+", "-", "&", "|", "^", "*"];
    let near = at + program[at..].iter().position(|t| !t.trim().is_empty()).unwrap_or(0);
    let token = program[near].clone();
    program[near] = if token.starts_with(|c: char| c.is_ascii_digit()) {
        NUMBERS[random.below(NUMBERS.len())].to_string()
    } else if OPERATORS.contains(&token.as_str()) {
        OPERATORS[random.below(OPERATORS.len())].to_string()
    } else if token.starts_with(char::is_alphabetic) && token.len() < 3 {
        let names: Vec<&String> =
            program.iter().filter(|t| t.len() < 3 && t.starts_with(char::is_alphabetic)).collect();
        names[random.below(names.len())].clone()
    } else {
        token
    };
}

/// Xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}
