//! Bounded fuzzing: mutations of the corpus go through lexer, parser, renderers and printer.
//!
//! The run is reproducible. `CULET_FUZZ_ITERATIONS=1000000 cargo test --release -p culet-syntax --test fuzz` makes it
//! longer. An input that fails is printed in full, as a Rust string.
#![allow(unsafe_code)] // An allocator counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use culet_diag::{Diagnostics, SourceMap, Span, render};
use culet_syntax::{erase_spans, parse, print};

const SEED: u64 = 0x6375_6c65_7431;
const ITERATIONS: u64 = 20_000;
/// Maximum number of bytes of memory for each byte of text, and the minimum allowance for any text.
const BYTES_PER_BYTE: usize = 1_500;
const BYTES_AT_LEAST: usize = 4 << 20;
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// An allocator that counts the allocated bytes, and their maximum at any time.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_input_breaks_the_front() {
    let iterations = match std::env::var("CULET_FUZZ_ITERATIONS") {
        Ok(number) => number.parse().expect("CULET_FUZZ_ITERATIONS is a number"),
        Err(_) => ITERATIONS,
    };
    let corpus = corpus();
    for text in &corpus {
        survive(text);
    }
    let mut random = Random(SEED);
    for _ in 0..iterations {
        let input = mutate(&corpus, &mut random);
        survive(&input);
    }
}

/// The programs of the corpus, which have no errors, and the inputs of the filetests.
fn corpus() -> Vec<String> {
    let root = culet_filetest::repository();
    let read = |folder: &str| {
        let mut files: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "ua"));
        files.sort();
        files.into_iter().map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<_>>()
    };
    let mut corpus = read("tests/corpus");
    assert!(corpus.len() >= 10);
    for text in &corpus {
        let file = SourceMap::new().add("", text.clone());
        assert!(!parse(file, text).1.has_errors(), "not a correct program:\n{text}");
    }
    let filetests = [read("tests/filetests/syntax"), read("tests/filetests/syntax/errors")].concat();
    let inputs = filetests.iter().map(|text| culet_filetest::Case::parse("", text).input);
    // A deeply nested input would make every mutation of it slow.
    corpus.extend(inputs.filter(|input| input.len() < 4_000));
    corpus
}

fn survive(input: &str) {
    if catch_unwind(AssertUnwindSafe(|| check(input))).is_err() {
        panic!("this input fails:\n{input:?}");
    }
}

fn check(input: &str) {
    let start = Instant::now();
    let before = ALLOCATED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);

    let mut sources = SourceMap::new();
    let file = sources.add("fuzz.ua", input.to_string());
    let (mut tree, diagnostics) = parse(file, input);
    check_diagnostics(input, &diagnostics);
    let printed = print(&tree);
    if !diagnostics.has_errors() {
        let (mut again, second) = parse(file, &printed);
        assert!(!second.has_errors(), "what was printed has errors:\n{printed}\n{second:?}");
        erase_spans(&mut tree);
        erase_spans(&mut again);
        assert!(tree == again, "what was printed is another program:\n{printed}");
        assert!(print(&again) == printed);
    }
    let few = diagnostics.into_iter().take(3).fold(Diagnostics::new(), |mut few, diagnostic| {
        few.push(diagnostic);
        few
    });
    render::text(&few, &sources, false);
    render::json(&few, &sources);

    let peak = PEAK.load(Ordering::Relaxed) - before;
    let allowed = BYTES_AT_LEAST + BYTES_PER_BYTE * input.len();
    assert!(peak <= allowed, "{} bytes of text take {peak} bytes of memory", input.len());
    assert!(start.elapsed() < TIME_LIMIT, "{} bytes of text take {:?}", input.len(), start.elapsed());
}

fn check_diagnostics(input: &str, diagnostics: &Diagnostics) {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    assert!(errors <= 101, "{errors} errors");
    for diagnostic in diagnostics.iter() {
        let places = diagnostic.span.iter().chain(diagnostic.related.iter().map(|(span, _)| span));
        for &Span { start, end, .. } in places.chain(diagnostic.fix.iter().map(|fix| &fix.span)) {
            assert!(
                input.get(start as usize..end as usize).is_some(),
                "{} has no place: {start}..{end}",
                diagnostic.code.id
            );
        }
    }
}

// Mutations.

/// splitmix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Words and symbols of the language, and others that users mistake for them.
const WORDS: &str = "node returns vars let tel perm table forall in Shuffle Bitmask Pack _inline _no_inline _unroll \
    _no_unroll _interleave(2) _no_opt const lazyLift _pipelined include nat _msb_first _lsb_first type le be planes u8 \
    u<V>32x4 b<B>8 v4 u'm u'mx4 u<'D>'m b1 bool uint32_t x a state' 0 1 7 007 0xff 0x 0b1 18446744073709551616 ( ) [ ] \
    { } , ; : = := == <- ? & | ^ + - * / % ~ ! << >> >>! <<< >>> < > .. f( f<1>( x[ [0..3] for if while __END__ \" # // \
    ⊕ ’ $ @ . ' \\ 12x node[] table[] ^:= ^= >>>:= tel; )( ]( ]{ ):";

fn mutate(corpus: &[String], random: &mut Random) -> String {
    let mut tokens = split(random.pick::<String>(corpus));
    let words: Vec<&str> = WORDS.split(' ').collect();
    for _ in 0..=random.below(6) {
        let at = random.below(tokens.len());
        let span = random.below(8).min(tokens.len() - at);
        match random.below(10) {
            0 => drop(tokens.drain(at..at + span)),
            1 => tokens.insert(at, random.pick::<&str>(&words).to_string()),
            2 if !tokens.is_empty() => tokens[at] = random.pick::<&str>(&words).to_string(),
            3 => {
                let other = random.below(tokens.len());
                if other < tokens.len() && at < tokens.len() {
                    tokens.swap(at, other);
                }
            }
            4 => {
                let copy: Vec<String> = tokens[at..at + span].to_vec();
                tokens.splice(at..at, copy);
            }
            5 => {
                let other = split(random.pick::<String>(corpus));
                let from = random.below(other.len());
                let length = random.below(40).min(other.len() - from);
                tokens.splice(at..at, other[from..from + length].iter().cloned());
            }
            6 if random.below(20) == 0 => {
                let copy: String = tokens[at..at + span.min(3)].concat();
                tokens.insert(at, copy.repeat(random.below(1_500)));
            }
            7 => tokens.truncate(at),
            8 => tokens.insert(at, " ".to_string()),
            _ => {
                let mut text: Vec<char> = tokens.concat().chars().collect();
                let at = random.below(text.len());
                match random.below(3) {
                    0 if !text.is_empty() => drop(text.remove(at)),
                    1 => text.insert(at, char::from_u32(random.below(0x250) as u32).unwrap_or(' ')),
                    _ if !text.is_empty() => text[at] = char::from(random.below(128) as u8),
                    _ => {}
                }
                tokens = split(&text.into_iter().collect::<String>());
            }
        }
    }
    tokens.concat()
}

/// Pieces whose concatenation is the text: words, runs of blanks, single symbols.
fn split(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' || c == '\'' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut last = 2;
    for c in text.chars() {
        match pieces.last_mut() {
            Some(piece) if kind(c) == last && last != 2 => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        last = kind(c);
    }
    pieces
}
