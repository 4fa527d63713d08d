//! `culet bench` of a program that computes one instance at a time: the time a byte of messages of several lengths, or that of a call.

use std::fmt::Write;

use culet_native::CCompiler;
use culet_tune::{Choice, Figure, Figures};

use crate::args::MessageFormat;
use crate::commands::messages::Messages;
use crate::commands::tune::unit;

/// The rows of a node of a program: a choice each, with a figure for each length.
pub(super) fn rows(
    (name, node): (&str, &str),
    messages: &Messages,
    (choices, compilers): (&[Choice], &[CCompiler]),
    figures: &[Figures],
    format: MessageFormat,
) -> String {
    let mut text = String::new();
    let Some(first) = figures.first() else { return text };
    if format == MessageFormat::Human {
        let lengths = match messages.about() {
            Some(about) => format!("; {about}; {}", messages.described().join(", ")),
            None => String::new(),
        };
        text += name;
        if node != name {
            let _ = write!(text, " ({node})");
        }
        if !first.machine.is_empty() {
            let _ = write!(text, " on {}: {} {}{lengths}", first.machine, unit(&first.clock), messages.unit());
        }
        text.push('\n');
    }
    for (row, choice) in choices.iter().enumerate() {
        let (target, compiler) = (choice.options.target.name(), compilers[choice.compiler].name());
        let of_row: Vec<&Result<Figure, String>> = figures.iter().map(|figures| &figures.of[row]).collect();
        let problem = of_row.iter().find_map(|figure| figure.as_ref().err());
        if format == MessageFormat::Json {
            let figure = |(place, figure): (usize, &&Result<Figure, String>)| {
                let ticks = figure.as_ref().ok().map(|figure| figure.ticks_a_byte);
                match messages.length(place) {
                    Some(bytes) => serde_json::json!({ "bytes": bytes, "ticks_a_byte": ticks }),
                    None => serde_json::json!({ "ticks_a_call": ticks }),
                }
            };
            let row = serde_json::json!({
                "primitive": name,
                "node": node,
                "target": target,
                "options": choice.options.arguments(),
                "cc": format!("{compiler} {}", choice.flags.join(" ")),
                "machine": first.machine,
                "clock": first.clock,
                "figures": of_row.iter().enumerate().map(figure).collect::<Vec<_>>(),
                "failed": problem,
            });
            let _ = writeln!(text, "{row}");
            continue;
        }
        let digits = if messages.length(0).is_some() { 3 } else { 0 };
        let show = |figure: &&Result<Figure, String>| match figure {
            Ok(figure) => format!("{:>11.digits$}", figure.ticks_a_byte),
            Err(_) => format!("{:>11}", "-"),
        };
        let all: String = of_row.iter().map(show).collect();
        let reason = problem.map_or_else(String::new, |reason| format!("  {reason}"));
        let _ = writeln!(text, "  {target:<10} {compiler:<24}{all}{reason}");
    }
    text
}
