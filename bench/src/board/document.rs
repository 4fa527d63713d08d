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
    let text =
        format!("{BEFORE}{}{}{}{}", of_steps(steps), of_operations(matrix), of_earlier(matrix), of_levels(matrix));
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

/// Cycles and bytes of code before elements were passed where they are: operation, level, both.
const EARLIER: [(&str, &str, u64, usize); 5] = [
    ("sign", "-O2", 1_900_000, 33_804),
    ("sign_open", "-O2", 20_900_000, 77_700),
    ("x25519", "-O2", 3_797_000, 15_894),
    ("box", "-O2", 3_885_000, 22_636),
    ("sign", "-O0", 11_959_000, 64_312),
];

/// The section about the last large change of the compiler: figures before it and now.
fn of_earlier(matrix: &[Figure]) -> String {
    let mut text = "
## Before elements were passed where they are

In the last build that copied the words of elements to arrays at each call and back, and had sums, choices and constants in their callers,
the figures of clang 19 rv32imc, which was not told the CPU, were these. To tell clang the CPU (`-mtune=sifive-e31`) gave a tenth of the
cycles.

| operation | level | cycles before | cycles | code before, bytes | code, bytes |
|---|---|---:|---:|---:|---:|
"
    .to_owned();
    for (operation, level, cycles, code) in EARLIER {
        let way = Way { level, ..USUAL };
        let Some(now) = matrix.iter().find(|figure| figure.way == way && figure.operation == operation) else {
            continue;
        };
        let (before, cycles) = (millions(cycles), millions(now.cycles));
        let _ = writeln!(text, "| `{operation}` | `{level}` | {before} | {cycles} | {code} | {} |", now.code);
    }
    text
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
