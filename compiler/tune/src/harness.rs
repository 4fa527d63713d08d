//! The C program that samples kernels: its text, and the parsing of its output.

use std::collections::BTreeMap;
use std::fmt::Write;

use culet_emit::capitals;

use crate::callee::{Callee, Operand};
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

/// Lengths of messages: bytes of results for kernels on slices, and of the streams that are the message for functions on words. Of both as many bytes are processed, so that a figure is the mean of those of
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

/// The C file that calls a kernel, with the same interface for all kernels.
pub(crate) fn shim(id: usize, stem: &str, callee: &Callee, what: What) -> String {
    let (whole, timed) = (callee.call(callee.longest(what)), callee.timed(what));
    let sliced = match callee {
        Callee::Slices(interface) => {
            format!("#define {}_SLICED_API\n", capitals(interface.sliced.trim_end_matches("_sliced")))
        }
        Callee::Words { .. } => String::new(),
    };
    format!(
        "#include <stddef.h>\n#include <stdint.h>\n{sliced}#include \"{stem}.h\"\n\
         void timed_{id}(void *const *outputs, const void *const *inputs, size_t count);\n\
         void timed_{id}(void *const *outputs, const void *const *inputs, size_t count)\n\
         {{\n    for (size_t i = 0; i < count; i++) {{\n        {timed}\n    }}\n}}\n\
         void whole_{id}(void *const *outputs, const void *const *inputs);\n\
         void whole_{id}(void *const *outputs, const void *const *inputs)\n\
         {{\n    {whole}\n}}\n"
    )
}

/// A C file without functions whose code takes so many bytes.
pub fn gap(bytes: usize) -> String {
    format!("__asm__(\".text\\n\\t.skip {bytes}\\n\");\n")
}

/// The main program for some kernels.
pub(crate) fn main_program(kernels: &[(usize, &Callee)], what: What) -> String {
    MAIN.replace("/* KERNELS */\n", &table(kernels, what))
}

fn table(kernels: &[(usize, &Callee)], what: What) -> String {
    let (mut operands, mut rows) = (String::new(), String::new());
    for &(id, callee) in kernels {
        let all = callee.operands(what);
        let mut list = |name: &str, is_result: bool| {
            let of_kind = all.iter().filter(|operand| operand.is_result == is_result);
            let items: Vec<String> = of_kind
                .map(|Operand { block, bytes, registers, .. }| format!("{{{block}, {bytes}, {registers}}}"))
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
    use culet_emit::Interface;

    use super::*;

    /// A kernel with blocks of 16 bytes and one shared parameter, of which a call on registers computes so many.
    fn callee(instances: u32) -> Callee {
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
        Callee::Slices(Interface {
            run: "k_run".into(),
            blocks: "k_blocks".into(),
            sliced: "k_sliced".into(),
            instances,
            arguments: vec![
                argument("c", true, false, 16),
                argument("p", false, false, 16),
                argument("k", false, true, 176),
            ],
        })
    }

    /// Kernels of few and of many blocks a call are timed on the same messages.
    #[test]
    fn messages_are_equally_long() {
        for lengths in [Lengths::default(), Lengths { short: 64, long: 1000 }, Lengths { short: 256, long: 256 }] {
            let what = What::Bytes(lengths);
            let [few, many] = [4, 512].map(callee);
            assert_eq!(few.calls(what), many.calls(what));
            assert_eq!(few.bytes_a_sample(what), many.bytes_a_sample(what));
        }
        assert_eq!(callee(512).calls(What::default()), [(64, 16), (1024, 1)]);
        assert_eq!(callee(512).bytes_a_sample(What::default()), 2 << 14);
        assert_eq!(callee(512).calls(What::Registers), [(512, 1)]);
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
