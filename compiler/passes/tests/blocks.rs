//! Maps over blocks side by side compute the same as block by block, for streams of every length.

use std::fmt::Write;

use culet_ir::{Elements, Module, Target, compute, parse, verify};
use culet_passes::{Context, find};
use culet_testing::Rng;

/// A map over blocks of `words` words of `bits` bits: a carried counter, a key, a loop of rounds that mixes the words, and a
/// result in which words of the block come last or are mixed, too.
struct Shape {
    bits: u32,
    words: u32,
    step: u64,
    mixes_text: bool,
    /// The operation that joins a word of the block to what was mixed.
    last: &'static str,
    order: Order,
}

/// How words of the stream, of the result and of the counter stand in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    LeastFirst,
    MostFirst,
    /// Most significant byte first, and the last operation is done byte by byte.
    Bytes,
}

/// A function as text that grows.
struct Text {
    body: String,
    values: u32,
}

impl Text {
    fn next(&mut self, operation: &str) -> String {
        self.values += 1;
        let _ = writeln!(self.body, "v{} = {operation}", self.values);
        format!("v{}", self.values)
    }

    /// A word of a slot from a byte on.
    fn word(&mut self, bits: u32, order: Order, byte: &dyn Fn(u32) -> String) -> String {
        let place = |at: u32| byte(if order == Order::LeastFirst { at } else { bits / 8 - 1 - at });
        let bytes: Vec<String> = (0..bits / 8).map(|at| self.next(&format!("load.w8 {}", place(at)))).collect();
        self.joined(&bytes)
    }

    /// A word that is joined from bytes, the least significant one first.
    fn joined(&mut self, bytes: &[String]) -> String {
        let mut word = bytes[0].clone();
        for (at, above) in bytes.iter().enumerate().skip(1) {
            word = self.next(&format!("concat.w{} {above}, {word}", 8 * (at + 1)));
        }
        word
    }

    /// Bytes of a word of 64 bits from its bit `low` on, as a word of `bits` bits, in an order.
    fn part(&mut self, bits: u32, order: Order, whole: &str, low: u32) -> String {
        if order == Order::LeastFirst {
            return if bits == 64 { whole.to_owned() } else { self.next(&format!("extract.w{bits} {whole}, {low}")) };
        }
        let mut bytes: Vec<String> =
            (0..bits / 8).map(|at| self.next(&format!("extract.w8 {whole}, {}", low + 8 * at))).collect();
        bytes.reverse();
        self.joined(&bytes)
    }
}

fn map(shape: &Shape, rng: &mut Rng) -> String {
    let Shape { bits, words, step, mixes_text, last, order } = *shape;
    let (bytes, block) = (bits / 8, bits / 8 * words);
    let mut text = Text { body: String::new(), values: 0 };
    let key: Vec<String> =
        (0..words).map(|own| text.word(bits, order, &|at| format!("k[{}]", own * bytes + at))).collect();
    for (own, word) in key.iter().enumerate() {
        let _ = writeln!(text.body, "store t[{own}], {word}");
    }
    let counter = text.word(64, Order::LeastFirst, &|at| format!("c[{at}]"));
    let one = text.next(&format!("const.w64 {step:#x}"));
    let mut header = std::mem::take(&mut text.body);
    let place = |at: u32| format!("{block}*i0 + {at}");
    let read: Vec<String> =
        (0..words).map(|own| text.word(bits, order, &|at| format!("m[{}]", place(own * bytes + at)))).collect();
    let mut state = key.clone();
    // The counter's lowest part, or both halves.
    for (word, low) in state.iter_mut().zip([0, 32]).take(if bits == 32 { 2 } else { 1 }) {
        *word = text.part(bits, order, "v900", low);
    }
    if mixes_text {
        state = state.iter().zip(&read).map(|(a, b)| text.next(&format!("sub.w{bits} {a}, {b}"))).collect();
    }
    let outer = std::mem::take(&mut text.body);
    let params: Vec<String> = (0..words).map(|own| format!("v{}", 800 + own)).collect();
    let mut mixed = params.clone();
    for round in 0..8 {
        let at = round % words as usize;
        let other = rng.pick(&mixed).clone();
        let uniform = rng.pick(&key).clone();
        let amount = 1 + rng.below(bits - 1);
        let operation = match rng.below(7) {
            0 => format!("add.w{bits} {}, {other}", mixed[at]),
            1 => format!("rotl.w{bits} {}, {amount}", mixed[at]),
            2 => format!("xor.w{bits} {}, {other}", mixed[at]),
            3 if order == Order::LeastFirst => format!("sub.w{bits} {uniform}, {}", mixed[at]),
            3 => {
                // The key as the loop before it has left it in memory.
                let kept = text.next(&format!("load.w{bits} t[{}]", rng.below(words)));
                format!("add.w{bits} {kept}, {}", mixed[at])
            }
            4 => format!("shr.w{bits} {}, {amount}", mixed[at]),
            5 => format!("andn.w{bits} {}, {other}", mixed[at]),
            _ => format!("not.w{bits} {other}"),
        };
        mixed[at] = text.next(&operation);
    }
    let inner = std::mem::take(&mut text.body);
    let results: Vec<String> = (0..words).map(|own| format!("v{}", 700 + own)).collect();
    let carried: Vec<String> = params.iter().zip(&state).map(|(param, init)| format!("{param} = {init}")).collect();
    for (own, (result, word)) in results.iter().zip(&read).enumerate() {
        let made = text.next(&format!("{last}.w{bits} {word}, {result}"));
        for at in 0..bytes {
            let low = 8 * if order == Order::LeastFirst { at } else { bytes - 1 - at };
            let part = match order {
                _ if bits == 8 => made.clone(),
                Order::Bytes => {
                    let read = text.next(&format!("load.w8 m[{}]", place(own as u32 * bytes + at)));
                    let part = text.next(&format!("extract.w8 {result}, {low}"));
                    text.next(&format!("{last}.w8 {read}, {part}"))
                }
                _ => text.next(&format!("extract.w8 {made}, {low}")),
            };
            let _ = writeln!(text.body, "store r[{}], {part}", place(own as u32 * bytes + at));
        }
    }
    let next = text.next(&format!("add.w64 v900, {one}"));
    let _ = writeln!(header, "v600 = loop i0 over m by {block} (v900 = {counter}) {{");
    let _ = writeln!(
        header,
        "{outer}{} = loop i1 = 1 to 3 ({}) {{\n{inner}next {}\n}}\n{}next {next}\n}}",
        results.join(", "),
        carried.join(", "),
        mixed.join(", "),
        text.body
    );
    for at in 0..8 {
        let _ = writeln!(header, "v{} = extract.w8 v600, {}\nstore e[{at}], v{}", 500 + at, 8 * at, 500 + at);
    }
    format!(
        "entry fn main {{ outstream r: w8[{block}] output e: w8[8] input k: w8[{block}] input c: w8[8] stream m: w8[1]\n\
         local t: w{bits}[{words}]\n{header}}}"
    )
}

fn parsed(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    module
}

fn in_blocks(module: &Module, target: Target) -> Module {
    let mut divided = module.clone();
    (find("blocks").expect("a pass").run)(&mut divided, &Context::new(target));
    verify(&divided).unwrap_or_else(|errors| panic!("{}\n{divided}", errors[0]));
    divided
}

/// Compares on lengths around those of groups, with counters around the carries of their halves.
fn compare(module: &Module, divided: &Module, sizes: [u32; 2], rng: &mut Rng, context: &str) {
    let [block, lanes] = sizes.map(|size| size as usize);
    let group = block * lanes;
    let lengths =
        [0, block - 1, block, group - 1, group, group + block + 1, 2 * group + block * (lanes - 1), 3 * group];
    for (round, length) in lengths.into_iter().enumerate() {
        let bytes = |rng: &mut Rng, count: usize| -> Elements<u64> {
            rng.bytes(count).into_iter().map(|byte| vec![u64::from(byte)]).collect()
        };
        let mut counter = bytes(rng, 8);
        let ones = [0, 4, 8][round % 3];
        counter.iter_mut().take(ones).for_each(|byte| *byte = vec![0xff]);
        if let (Some(lowest), true) = (counter.first_mut(), ones > 0) {
            *lowest = vec![0xf9];
        }
        let inputs = [bytes(rng, block), counter, bytes(rng, length)];
        let [expected, found] = [module, divided]
            .map(|module| compute(module, &inputs).unwrap_or_else(|error| panic!("{context}: {error}\n{module}")));
        assert!(expected == found, "{context}, {length} bytes\n{module}");
    }
}

#[test]
fn maps_of_words_of_every_width() {
    let mut rng = Rng::new(33);
    let sizes =
        [(32, 16), (32, 4), (32, 5), (32, 2), (32, 1), (16, 8), (16, 4), (16, 3), (64, 4), (64, 2), (8, 16), (8, 6)];
    for (bits, words) in sizes {
        for (target, order) in [Target::Sse, Target::Avx2, Target::Avx512Ifma]
            .into_iter()
            .flat_map(|target| [Order::LeastFirst, Order::MostFirst, Order::Bytes].map(|order| (target, order)))
        {
            let step = *rng.pick(&[1, 1, 3, 0x1_0000_0001, u64::MAX]);
            let shape = Shape {
                bits,
                words,
                step,
                mixes_text: rng.below(3) == 0,
                last: match order {
                    Order::Bytes => ["xor", "and", "or"][rng.below(3) as usize],
                    _ => ["xor", "xor", "add", "sub"][rng.below(4) as usize],
                },
                order,
            };
            let module = parsed(&map(&shape, &mut rng));
            let divided = in_blocks(&module, target);
            let context = format!("{words} words of {bits} bits, {order:?}, {}", target.name());
            assert!(divided != module, "{context}: it is divided\n{module}");
            compare(&module, &divided, [bits / 8 * words, target.register_bits() / bits], &mut rng, &context);
        }
    }
}

/// Loops that stay as they are, by their changes of a map.
#[test]
fn other_loops_stay() {
    let shape = Shape { bits: 32, words: 4, step: 3, mixes_text: false, last: "xor", order: Order::LeastFirst };
    let text = map(&shape, &mut Rng::new(1));
    let (start, end) = text.split_once("add.w64 v900, ").expect("a counter");
    let one = end.split_whitespace().next().expect("its step");
    let carried = [
        // The carried value is multiplied, rotated, or depends on the key as well.
        text.replace(&format!("add.w64 v900, {one}"), &format!("mul.w64 v900, {one}")),
        text.replace(&format!("add.w64 v900, {one}"), "rotl.w64 v900, 1"),
        text.replace(&format!("add.w64 v900, {one}"), "add.w64 v900, v900"),
    ];
    for changed in carried {
        assert!(changed != text && !start.is_empty());
        let module = parsed(&changed);
        assert!(in_blocks(&module, Target::Avx2) == module, "{changed}");
    }
    let module = parsed(&text);
    for target in [Target::C64, Target::C32] {
        assert!(in_blocks(&module, target) == module);
    }
    // The first two bytes of each word change places.
    let turned = text.replace("store r[16*i0 + 1]", "store r[A]").replace("store r[16*i0 + 0]", "store r[16*i0 + 1]");
    let module = parsed(&turned.replace("store r[A]", "store r[16*i0 + 0]"));
    assert!(in_blocks(&module, Target::Avx2) == module);
}
