//! The C program that samples kernels: its text, and the parsing of its output.

use std::collections::BTreeMap;
use std::fmt::Write;

use culet_emit::{Interface, capitals};

use crate::race::Samples;

const MAIN: &str = include_str!("harness.c");

/// The part of a kernel that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// From bytes to bytes, packing included, for messages of these lengths, which are the same for all kernels. This is
    /// the time for a caller of the kernel.
    Bytes(Lengths),
    /// From registers to registers.
    Registers,
}

/// Lengths of messages, in bytes of results. Of both as many bytes are processed, so that a figure is the mean of those of
/// each length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    pub short: u64,
    /// At least as long as the other; where they are equal, there is one length.
    pub long: u64,
}

impl Default for Lengths {
    fn default() -> Lengths {
        Lengths { short: 1 << 10, long: 1 << 14 }
    }
}

impl Default for What {
    fn default() -> What {
        What::Bytes(Lengths::default())
    }
}

impl What {
    /// The calls of one sample: the number of blocks of each, and how often it is made.
    fn calls(self, interface: &Interface) -> Vec<(u64, u64)> {
        let blocks = |bytes: u64| bytes.div_ceil(bytes_a_block(interface).max(1)).max(1);
        match self {
            What::Registers => vec![(u64::from(interface.instances), 1)],
            What::Bytes(Lengths { short, long }) if blocks(short) == blocks(long) => vec![(blocks(long), 1)],
            What::Bytes(Lengths { short, long }) => {
                vec![(blocks(short), (long / short.max(1)).max(1)), (blocks(long), 1)]
            }
        }
    }

    /// The greatest number of blocks of a call.
    fn most_blocks(self, interface: &Interface) -> u64 {
        self.calls(interface).into_iter().map(|(blocks, _)| blocks).max().unwrap_or(1)
    }
}

/// Bytes of results of one block.
fn bytes_a_block(interface: &Interface) -> u64 {
    interface.arguments.iter().filter(|argument| argument.is_result).map(|argument| argument.bytes).sum()
}

/// The C file that calls a kernel, with the same interface for all kernels.
pub fn shim(id: usize, stem: &str, interface: &Interface, what: What) -> String {
    let (mut results, mut parameters) = (0, 0);
    let arguments: Vec<String> = interface
        .arguments
        .iter()
        .map(|argument| {
            let (array, index) =
                if argument.is_result { ("outputs", &mut results) } else { ("inputs", &mut parameters) };
            *index += 1;
            format!("(void *){array}[{}]", *index - 1)
        })
        .collect();
    let arguments = arguments.join(", ");
    let run = |blocks: u64| format!("{}({arguments}, {blocks})", interface.run);
    let whole = run(what.most_blocks(interface));
    let timed = match what {
        What::Bytes(_) => {
            let calls = what.calls(interface).into_iter();
            let repeated =
                |(blocks, times)| format!("for (size_t k = 0; k < {times}; k++)\n            {};", run(blocks));
            calls.map(repeated).collect::<Vec<String>>().join("\n        ")
        }
        What::Registers => format!("{}({arguments});", interface.sliced),
    };
    let prefix = capitals(interface.sliced.trim_end_matches("_sliced"));
    format!(
        "#include <stddef.h>\n#include <stdint.h>\n#define {prefix}_SLICED_API\n#include \"{stem}.h\"\n\
         void timed_{id}(void *const *outputs, const void *const *inputs, size_t count);\n\
         void timed_{id}(void *const *outputs, const void *const *inputs, size_t count)\n\
         {{\n    for (size_t i = 0; i < count; i++) {{\n        {timed}\n    }}\n}}\n\
         void whole_{id}(void *const *outputs, const void *const *inputs);\n\
         void whole_{id}(void *const *outputs, const void *const *inputs)\n\
         {{\n    {whole};\n}}\n"
    )
}

/// Bytes of results of one timed call.
pub fn bytes_a_call(interface: &Interface, what: What) -> u64 {
    let blocks: u64 = what.calls(interface).into_iter().map(|(blocks, times)| blocks * times).sum();
    blocks * bytes_a_block(interface)
}

/// A C file without functions whose code takes so many bytes.
pub fn gap(bytes: usize) -> String {
    format!("__asm__(\".text\\n\\t.skip {bytes}\\n\");\n")
}

/// The main program for some kernels.
pub fn main_program(kernels: &[(usize, &Interface)], what: What) -> String {
    MAIN.replace("/* KERNELS */\n", &table(kernels, what))
}

fn table(kernels: &[(usize, &Interface)], what: What) -> String {
    let (mut operands, mut rows) = (String::new(), String::new());
    for &(id, interface) in kernels {
        let mut list = |name: &str, is_result: bool| {
            let arguments = interface.arguments.iter().filter(|argument| argument.is_result == is_result);
            let items: Vec<String> = arguments
                .map(|argument| {
                    let blocks = if argument.shared { 1 } else { what.most_blocks(interface) };
                    // No register is longer than 64 bytes.
                    let registers = 64 * u64::from(argument.registers);
                    format!("{{{}, {}, {registers}}}", argument.bytes.max(1), blocks * argument.bytes)
                })
                .collect();
            let _ = writeln!(
                operands,
                "static const struct operand {name}_{id}[] = {{{}}};",
                if items.is_empty() { "{1, 0, 0}".into() } else { items.join(", ") }
            );
            items.len()
        };
        let (outputs, inputs) = (list("outputs", true), list("inputs", false));
        let _ = writeln!(
            operands,
            "void timed_{id}(void *const *, const void *const *, size_t);\n\
             void whole_{id}(void *const *, const void *const *);"
        );
        let _ = writeln!(rows, "    {{{id}, timed_{id}, whole_{id}, outputs_{id}, inputs_{id}, {outputs}, {inputs}}},");
    }
    format!(
        "{operands}\nstatic const struct kernel kernels[] = {{\n{rows}}};\n\
         static const size_t kernel_count = sizeof kernels / sizeof *kernels;\n"
    )
}

/// The parsed output of one run.
#[derive(Debug, Default)]
pub struct Report {
    pub machine: String,
    pub clock: String,
    /// For each kernel, a hash of its results; `None` if its blocks differ though their inputs do not.
    pub results: BTreeMap<usize, Option<String>>,
    /// Ticks a byte.
    pub samples: Samples,
}

/// Parses the output of the harness. `bytes` gives the number of bytes of each kernel's call. The error says why the
/// output is wrong.
pub fn read(text: &str, bytes: &BTreeMap<usize, u64>) -> Result<Report, String> {
    let mut report = Report::default();
    let mut lines = text.lines();
    if lines.next() != Some("culet-tune 1") {
        return Err(match excerpt(text) {
            excerpt if excerpt.is_empty() => "it printed nothing instead of samples".into(),
            excerpt => format!("it printed `{excerpt}` instead of samples"),
        });
    }
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<u64>().map_err(|_| format!("it printed `{}`", excerpt(line)));
        match words[..] {
            ["end"] => {
                let asked = bytes.len();
                let (checked, sampled) = (report.results.len(), report.samples.of.len());
                if checked != asked {
                    return Err(format!("it checked {checked} of {asked} kernels"));
                }
                if sampled != asked {
                    return Err(format!("it measured {sampled} of {asked} kernels"));
                }
                report.samples.runs = vec![report.samples.rounds()];
                return Ok(report);
            }
            ["machine", ..] => report.machine = line["machine".len()..].trim().to_owned(),
            ["clock", name] => report.clock = name.to_owned(),
            ["check", id, hash, same] => {
                let result = (same == "1").then(|| hash.to_owned());
                report.results.insert(number(id)? as usize, result);
            }
            ["sample", id, calls, ticks] => {
                let id = number(id)? as usize;
                let bytes = bytes.get(&id).ok_or_else(|| format!("it printed `{}`", excerpt(line)))?;
                let (calls, ticks) = (number(calls)?, number(ticks)?);
                if calls == 0 || ticks == 0 {
                    return Err(format!("its clock stands still: `{}`", excerpt(line)));
                }
                report.samples.of.entry(id).or_default().push(ticks as f64 / (calls * bytes) as f64);
            }
            _ => return Err(format!("it printed `{}`", excerpt(line))),
        }
    }
    Err("it ended before all samples were printed".into())
}

/// The beginning of an output, fit for a message.
fn excerpt(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    line.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel with blocks of 16 bytes and one shared parameter, of which a call on registers computes so many.
    fn interface(instances: u32) -> Interface {
        let argument = |name: &str, is_result: bool, shared: bool, bytes: u64| culet_emit::Argument {
            parameter: name.to_owned(),
            name: name.into(),
            is_result,
            shared,
            bytes,
            registers: 4,
            packing: String::new(),
            packing_with: None,
        };
        Interface {
            run: "k_run".into(),
            blocks: "k_blocks".into(),
            sliced: "k_sliced".into(),
            instances,
            arguments: vec![
                argument("c", true, false, 16),
                argument("p", false, false, 16),
                argument("k", false, true, 176),
            ],
        }
    }

    /// Kernels of few and of many blocks a call are timed on the same messages.
    #[test]
    fn messages_are_equally_long() {
        for lengths in [Lengths::default(), Lengths { short: 64, long: 1000 }, Lengths { short: 256, long: 256 }] {
            let what = What::Bytes(lengths);
            let [few, many] = [4, 512].map(interface);
            assert_eq!(what.calls(&few), what.calls(&many));
            assert_eq!(bytes_a_call(&few, what), bytes_a_call(&many, what));
        }
        assert_eq!(What::default().calls(&interface(512)), [(64, 16), (1024, 1)]);
        assert_eq!(bytes_a_call(&interface(512), What::default()), 2 << 14);
        assert_eq!(What::Registers.calls(&interface(512)), [(512, 1)]);
    }

    fn bytes() -> BTreeMap<usize, u64> {
        BTreeMap::from([(3, 10), (4, 20)])
    }

    const GOOD: &str = "culet-tune 1\nmachine  A 1\nclock tsc\ncheck 3 00ff 1\ncheck 4 00ff 0\n\
                        sample 3 2 200\nsample 4 1 100\nsample 3 2 100\nsample 4 1 300\nend\n";

    #[test]
    fn a_report_is_read() {
        let report = read(GOOD, &bytes()).unwrap();
        assert_eq!((report.machine.as_str(), report.clock.as_str()), ("A 1", "tsc"));
        assert_eq!(report.results, BTreeMap::from([(3, Some("00ff".into())), (4, None)]));
        assert_eq!(report.samples.of, BTreeMap::from([(3, vec![10.0, 5.0]), (4, vec![5.0, 15.0])]));
    }

    #[test]
    fn rubbish_is_refused() {
        for (text, why) in [
            ("", "it printed nothing instead of samples"),
            ("Segmentation fault\n", "it printed `Segmentation fault` instead of samples"),
            (&GOOD.replace("end\n", ""), "it ended before all samples were printed"),
            (&GOOD.replace("sample 4 1 300", "sample 5 1 300"), "it printed `sample 5 1 300`"),
            (&GOOD.replace("sample 4 1 300", "sample 4 0 300"), "its clock stands still: `sample 4 0 300`"),
            (&GOOD.replace("sample 4 1 300", "sample 4 1 0"), "its clock stands still: `sample 4 1 0`"),
            (&GOOD.replace("sample 4 1 300", "sample 4 x 300"), "it printed `sample 4 x 300`"),
            (&GOOD.replace("sample 4 1 300\n", "").replace("sample 4 1 100\n", ""), "it measured 1 of 2 kernels"),
            (&GOOD.replace("check 3 00ff 1\n", ""), "it checked 1 of 2 kernels"),
        ] {
            assert_eq!(read(text, &bytes()).unwrap_err(), why);
        }
    }
}
