//! `board.md` and its plots, from the figures.

use std::fmt::Write as _;

use culet_plot::{Bar, BarChart, BarPanel, Value};

use super::build::{Constants, Way};
use super::figures::{Figure, USUAL};
use super::programs::OPERATIONS;
use super::recipe::STEPS;

const BEFORE: &str = "# NaCl on a small board

`bench/board/run` makes this page. It builds NaCl's operations for RISC-V of 32 bits from generated kernels for `c32` and the C in
`bench/board`, and runs them on `tools/rv32sim`, a simulator of the HiFive1 rev B with its SiFive E31. The board has 4 MiB of flash behind an
instruction cache of 16 KiB, and 16 KiB of RAM.

**All cycles are the model's, not a board's.** The costs are those of `tools/rv32sim/src/timing.rs`: a word is loaded in 2 cycles and
multiplied in 6, a load from flash takes 98 more. These costs were fitted elsewhere to cycles of a HiFive1 rev B; the fit is not repeated in this
repository. The time to fill a line of the cache, 322 cycles, is derived from the time of a load from flash, and is compared with nothing
measured. The cache is empty when an operation begins.

The same programs run in QEMU with the same output (`cargo test -p culet-bench board`): published answers of all operations, in `qemu-riscv32`, which
emulates a process, and on `qemu-system-riscv32 -M virt`, a machine. `CULET_SEQUENCES=1000000 cargo test --release -p culet-rv32sim --test qemu` compares the
simulator with QEMU on a million random sequences of instructions. [cortex-m4.md](cortex-m4.md) has instructions of the same operations on a Cortex-M4.
";

/// The page, and the plots by their file names.
pub fn write(steps: &[(&str, Figure)], matrix: &[Figure]) -> (String, Vec<(String, String)>) {
    let text = format!(
        "{BEFORE}{}{}{}{}{}",
        of_steps(steps),
        of_operations(matrix),
        of_goals(matrix),
        of_earlier(matrix),
        of_levels(matrix)
    );
    (
        text,
        vec![("board-steps.svg".to_owned(), steps_plot(steps)), ("board-levels.svg".to_owned(), levels_plot(matrix))],
    )
}

fn of_steps(steps: &[(&str, Figure)]) -> String {
    let way = USUAL;
    let mut text = format!(
        "\n## One signature, step by step\n\n`crypto_sign` of 256 bytes, {} {} {}. Each step adds one thing to the step before it.\n\n",
        way.compiler.name, way.march, way.level
    );
    text += "- *For speed*: kernels as the library has them.\n";
    text += "- *Products as calls*: `--inline none`, which keeps all functions, makes functions of products, sums and choices, holds elements in full words, and passes where they are.\n";
    text += "- *Table of 32 points*: `ed25519_comb.ua` in place of `ed25519_base.ua`, with 3 KB of points in place of 27 KB.\n";
    text += "- *One kernel modulo the order*: `ed25519_combine` in place of two kernels.\n\n";
    text += "![Cycles of a signature at each step](plots/board-steps.svg)\n\n";
    text += "| step | constants in | cycles | without cache misses | misses | instructions | code, bytes | constants, bytes | stack, bytes |\n";
    text += "|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
    for (step, figure) in steps {
        let Figure { cycles, cycles_without_cache, cache_misses, instructions, code, constant_bytes, stack, .. } =
            figure;
        let _ = writeln!(
            text,
            "| {step} | {} | {} | {} | {cache_misses} | {} | {code} | {constant_bytes} | {stack} |",
            place(figure.constants),
            millions(*cycles),
            cycles_without_cache.map_or_else(|| "-".to_owned(), millions),
            millions(*instructions),
        );
    }
    text + &of_functions(steps) + PEERS
}

/// The functions that take most of the last step's signature.
fn of_functions(steps: &[(&str, Figure)]) -> String {
    let mut text =
        "\nThe functions of the last step with constants in RAM, each without those that it calls:\n\n".to_owned();
    text += "| function | cycles | misses | instructions | products |\n|---|---:|---:|---:|---:|\n";
    let functions = steps.last().map_or(&[][..], |(_, figure)| &figure.functions);
    for function in functions.iter().filter(|function| function.counts.cycles > 10_000) {
        let counts = function.counts;
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            function.name,
            millions(counts.cycles),
            counts.cache_misses,
            millions(counts.instructions),
            counts.multiplications
        );
    }
    text
}

const PEERS: &str = "
Others' signatures of 256 bytes, for rv32im:

| program | cycles | of | source |
|---|---:|---|---|
| SPARKNaCl before its last tuning, `-O0` | 181.74 M | the board | R. Chapman, \"Doubling the Performance of SPARKNaCl (again…)\", 2021 |
| the same, `-O1` | 69.96 M | the board | the same; 4824 bytes of stack |
| the same, `-O2` | 57.82 M | the board | the same; 5504 bytes of stack, 31180 bytes of code in the whole library |
| TweetNaCl, `-O2` | 89.6 M | a model with these costs, without the cache | measured once with another simulator; not repeated here |
| SPARKNaCl as it is today, `-O2` | 16.9 M | a model with these costs, without the cache | as above |
";

fn of_operations(matrix: &[Figure]) -> String {
    let way = USUAL;
    let mut text = format!(
        "\n## All operations\n\nMessages of 256 bytes, constants in RAM, all steps taken, {} {} {}. `p256_sign` and `p256_verify`, ECDSA with P-256, are \
         given the message's hash; the former is given the number used once, too.\n\n",
        way.compiler.name, way.march, way.level
    );
    text += "| operation | cycles | without cache misses | misses | instructions | code, bytes | constants, bytes | stack, bytes |\n";
    text += "|---|---:|---:|---:|---:|---:|---:|---:|\n";
    for figure in matrix.iter().filter(|figure| figure.way == way) {
        let Figure { cycles, cycles_without_cache, cache_misses, instructions, code, constant_bytes, stack, .. } =
            figure;
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {cache_misses} | {} | {code} | {constant_bytes} | {stack} |",
            figure.operation,
            millions(*cycles),
            cycles_without_cache.map_or_else(|| "-".to_owned(), millions),
            millions(*instructions),
        );
    }
    text
}

/// Figures of earlier builds: operation, level, cycles and bytes of code.
type Earlier = (&'static str, &'static str, u64, usize);

/// Before elements were passed where they are.
const BEFORE_RUNS: [Earlier; 5] = [
    ("sign", "-O2", 1_900_000, 33_804),
    ("sign_open", "-O2", 20_900_000, 77_700),
    ("x25519", "-O2", 3_797_000, 15_894),
    ("box", "-O2", 3_885_000, 22_636),
    ("sign", "-O0", 11_959_000, 64_312),
];

/// Before squares were doubled, functions of loops stood together, and words were put together of bytes in one place.
const BEFORE_SQUARES: [Earlier; 6] = [
    ("sign", "-O2", 1_502_000, 19_266),
    ("sign_open", "-O2", 5_795_000, 29_222),
    ("x25519", "-O2", 3_163_000, 10_472),
    ("sha512", "-O2", 87_000, 4_924),
    ("p256_sign", "-O2", 3_176_000, 23_366),
    ("p256_verify", "-O2", 8_669_000, 33_962),
];

/// The sections about large changes of the compiler: figures before them and now.
fn of_earlier(matrix: &[Figure]) -> String {
    let runs = "
## Before elements were passed where they are

In the last build that copied the words of elements to arrays at each call and back, and had sums, choices and constants in their callers,
the figures of clang 19 rv32imc, which was not told the CPU, were these. To tell clang the CPU (`-mtune=sifive-e31`) gave a tenth of the
cycles.
";
    let squares = "
## Before squares, places of functions and bytes

Three changes came together, of which each had most of its effect at other operations. A square adds the products of different words once and
doubles their sum, where it added each product twice (`x25519`). Functions that loops call, and those with such loops, are marked `hot`, so that
compilers put them into sections of their own and linkers put these together: three functions of one loop of `sign_open` and of `p256_verify`
had places that the cache cannot hold at once, and missed in each turn. A word is put together of bytes in one function, not at each place
(`sha512`).
";
    format!("{runs}{}{squares}{}", compared(&BEFORE_RUNS, matrix), compared(&BEFORE_SQUARES, matrix))
}

fn compared(earlier: &[Earlier], matrix: &[Figure]) -> String {
    let mut text =
        "\n| operation | level | cycles before | cycles | code before, bytes | code, bytes |\n|---|---|---:|---:|---:|---:|\n".to_owned();
    for &(operation, level, cycles, code) in earlier {
        let Some(now) = found(matrix, operation, level) else { continue };
        let (before, cycles) = (millions(cycles), millions(now.cycles));
        let _ = writeln!(text, "| `{operation}` | `{level}` | {before} | {cycles} | {code} | {} |", now.code);
    }
    text
}

/// The figure of an operation that the usual compiler made at a level.
fn found<'m>(matrix: &'m [Figure], operation: &str, level: &'static str) -> Option<&'m Figure> {
    let way = Way { level, ..USUAL };
    matrix.iter().find(|figure| figure.way == way && figure.operation == operation)
}

/// The goal of an operation: its level, and at most so many cycles, and bytes of code and RAM if they matter.
struct Goal {
    operation: &'static str,
    level: &'static str,
    cycles: u64,
    code: Option<usize>,
    ram: Option<usize>,
}

const fn goal(operation: &'static str, cycles: u64, code: Option<usize>) -> Goal {
    Goal { operation, level: "-O2", cycles, code, ram: None }
}

const GOALS: [Goal; 7] = [
    Goal { ram: Some(5 << 10), ..goal("sign", 1_500_000, Some(20 << 10)) },
    Goal { level: "-O0", ..goal("sign", 8_000_000, None) },
    goal("sign_open", 4_000_000, None),
    goal("box", 3_500_000, None),
    goal("p256_sign", 3_000_000, Some(24 << 10)),
    goal("p256_verify", 8_000_000, Some(24 << 10)),
    goal("sha512", 60_000, None),
];

/// A section with the goals of operations, the figures beside them, and what could still be done.
fn of_goals(matrix: &[Figure]) -> String {
    let mut text = "\n## What was wanted\n\nAt most, with the cache. RAM is stack and constants. What is not reached is bold.\n\n\
                    | operation | level | cycles wanted | cycles | code wanted | code | RAM wanted | RAM |\n|---|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for Goal { operation, level, cycles, code, ram } in GOALS {
        let Some(now) = found(matrix, operation, level) else { continue };
        let marked = |text: String, is_reached: bool| if is_reached { text } else { format!("**{text}**") };
        let bytes = |wanted: Option<usize>, found: usize| {
            let found = marked(found.to_string(), wanted.is_none_or(|wanted| found <= wanted));
            (wanted.map_or_else(|| "-".to_owned(), |wanted| wanted.to_string()), found)
        };
        let of_cycles = marked(millions(now.cycles), now.cycles <= cycles);
        let (code, of_code) = bytes(code, now.code);
        let (ram, of_ram) = bytes(ram, now.constant_bytes + now.stack as usize);
        let _ = writeln!(
            text,
            "| `{operation}` | `{level}` | {} | {of_cycles} | {code} | {of_code} | {ram} | {of_ram} |",
            millions(cycles)
        );
    }
    text + "
Without the cache, `sign` was to take 1.05 M cycles. What is left to do, and what it may give:

- `sign_open`: it takes a quarter fewer cycles than before, and gcc's code has less than 4 M. Nine tenths of its misses are of code that is run for the
  first time, 28 KB, of which decoding points and comparing bytes take 5 KB that could be loops.
- Choices from tables: a function that reads a whole table and keeps one coordinate in registers takes 4 instructions a word, where a call for
  each entry takes 7. Of `sign` that is 0.06 M cycles.
- `sha512`: the 16 words of a block, the 8 of a state and the 64 bytes of a result are read and written one after the other, not in loops: 1.2 KB
  of code that is fetched once, 0.012 M cycles. 16 words of the schedule in place of 80 would take 512 bytes of stack away, from `sign`, too.
- RAM of `sign`: of 1 KB in the comb, 261 bytes hold a bit each, and 104 the places of all steps.
- Code of ECDSA: the product modulo the order is 3 KB that is written out, and comparisons of bytes are not loops.
"
}

fn of_levels(matrix: &[Figure]) -> String {
    let mut text =
        "\n## Compilers, instruction sets, levels\n\nMillions of cycles, and bytes of code in parentheses.\n\n"
            .to_owned();
    text += "![Cycles of a signature by compiler and level](plots/board-levels.svg)\n\n| compiler |";
    OPERATIONS.iter().for_each(|operation| text += &format!(" `{}` |", operation.name));
    text += &format!("\n|---|{}\n", "---:|".repeat(OPERATIONS.len()));
    for row in matrix.chunks(OPERATIONS.len()) {
        let way = row[0].way;
        let _ = write!(text, "| {} {} `{}` |", way.compiler.name, way.march, way.level);
        for figure in row {
            let _ = write!(text, " {} ({}) |", millions(figure.cycles), figure.code);
        }
        text.push('\n');
    }
    text
}

const fn place(constants: Constants) -> &'static str {
    match constants {
        Constants::Flash => "flash",
        Constants::Ram => "RAM",
    }
}

fn millions(count: u64) -> String {
    format!("{:.3} M", count as f64 / 1e6)
}

fn bar(count: Option<u64>) -> Bar {
    Bar { value: count.map_or(Value::Absent, |count| Value::Is(count as f64 / 1e6)), peer: None }
}

fn steps_plot(steps: &[(&str, Figure)]) -> String {
    let find = |step: &str, constants| {
        steps.iter().find(|(name, figure)| *name == step && figure.constants == constants).map(|(_, figure)| figure)
    };
    let row = |step: &str| {
        let [flash, ram] = [Constants::Flash, Constants::Ram].map(|constants| find(step, constants));
        let cycles = |figure: Option<&Figure>| bar(figure.map(|figure| figure.cycles));
        vec![cycles(flash), cycles(ram), bar(ram.and_then(|figure| figure.cycles_without_cache))]
    };
    BarChart {
        title: "One signature of 256 bytes, step by step".to_owned(),
        unit: "millions of model cycles; shorter is faster".to_owned(),
        rows: STEPS.iter().map(|step| step.name.to_owned()).collect(),
        series: ["constants in flash", "constants in RAM", "in RAM, without cache misses"].map(String::from).into(),
        panels: vec![BarPanel { title: String::new(), bars: STEPS.iter().map(|step| row(step.name)).collect() }],
        decimals: 2,
        ..BarChart::default()
    }
    .svg()
}

fn levels_plot(matrix: &[Figure]) -> String {
    let signs: Vec<&Figure> = matrix.iter().filter(|figure| figure.operation == OPERATIONS[0].name).collect();
    let name = |figure: &&Figure| format!("{} {} {}", figure.way.compiler.name, figure.way.march, figure.way.level);
    let row = |figure: &&Figure| vec![bar(Some(figure.cycles)), bar(figure.cycles_without_cache)];
    BarChart {
        title: "One signature of 256 bytes, by compiler, instruction set and level".to_owned(),
        unit: "millions of model cycles; shorter is faster".to_owned(),
        rows: signs.iter().map(name).collect(),
        series: ["with cache misses", "without"].map(String::from).into(),
        panels: vec![BarPanel { title: String::new(), bars: signs.iter().map(row).collect() }],
        decimals: 2,
        ..BarChart::default()
    }
    .svg()
}
