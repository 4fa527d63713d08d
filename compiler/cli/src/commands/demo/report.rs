//! The demo's table and its HTML page.

use std::fmt::Write;
use std::path::Path;

use culet_plot::{Bar, BarChart, BarPanel, Value, escape};
use culet_prove::theorem::Proved;

use super::proving::Proofs;
use super::tuning::Tuning;
use super::variant::{Subject, Variant};
use super::{Run, slicings};
use crate::commands::verdict::assumptions;

/// The variants, fastest first, as columns of text.
pub fn table(subject: &Subject, variants: &[Variant]) -> String {
    let mut text = format!(
        "{:<8} {:<12} {:>9} {:>9} {:>7} {:>10} {:>8}  {}\n",
        "slicing", "target", "instances", "culet ms", "C s", "MB/s", "answers", "file"
    );
    for variant in variants {
        let _ = writeln!(
            text,
            "{:<8} {:<12} {:>9} {:>9} {:>7.1} {:>10.1} {:>8}  {}",
            variant.slicing,
            variant.engine,
            variant.instances,
            variant.culet.as_millis(),
            variant.cc.as_secs_f64(),
            variant.megabytes_per_second(subject),
            format!("{}/{}", variant.answers_right, variant.answers),
            if variant.round_trip { "ok" } else { "WRONG" },
        );
    }
    text
}

/// One self-contained page: a description of the run, a bar for each variant, the table, and the tuner's candidates.
pub fn html(
    subject: &Subject,
    run: &Run,
    variants: &[Variant],
    tuning: Option<&Tuning>,
    (proofs, proved): (&[Proofs], &str),
    file: &Path,
) -> String {
    let name = escape(&subject.primitive.name);
    let mut rows = String::new();
    for variant in variants {
        let _ = writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1}</td><td>{:.1}</td><td>{}/{}</td><td>{}</td></tr>",
            slicing_in_words(&variant.slicing),
            variant.engine,
            variant.instances,
            variant.culet.as_millis(),
            variant.cc.as_secs_f64(),
            variant.megabytes_per_second(subject),
            variant.answers_right,
            variant.answers,
            if variant.round_trip { "came back unchanged" } else { "WRONG" },
        );
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>culet demo: {name}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{STYLE}</head><body>\n\
         <h1>{name}, one source, {count} kernels</h1>\n\
         <p>Specified in {specification}. Each kernel was compiled from the same program, checked against {answers} known \
         answers, and encrypted and decrypted {bytes} bytes of <code>{file}</code>. Speed is of the whole way from bytes to \
         bytes, packing included, on one core: the median of samples taken in turns.</p>\n<p>{machine}</p>\n{plot}\n{slicings}\n\
         <div class=\"wide\"><table><tr><th>slicing</th><th>target</th><th>instances a call</th><th>culet, ms</th><th>C compiler, s</th>\
         <th>MB/s</th><th>known answers</th><th>file</th></tr>\n{rows}</table></div>\n{skipped}{tuned}\
         <h2>Proofs</h2>\n<p>{proved}</p>\n<pre>{proofs}</pre>\n{assumed}</body></html>\n",
        machine = escape(&run.machine),
        slicings = slicings::explained(&letters(variants)),
        skipped = list("What was left out", &run.skipped),
        assumed = list("The proofs assume", &assumed(proofs)),
        count = variants.len(),
        specification = escape(&subject.primitive.specification),
        answers = subject.primitive.known_answer.len(),
        bytes = subject.message.len(),
        file = escape(&file.display().to_string()),
        plot = plot(subject, variants),
        tuned = tuning.map(tuned).unwrap_or_default(),
        proved = escape(proved),
        proofs = escape(&proofs.iter().map(Proofs::text).collect::<String>()),
    )
}

/// Light and dark, and readable on a phone: what is wide scrolls by itself.
const STYLE: &str = "<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
    color:#1a1a1a;background:#fff}.wide,pre{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;\
    border-bottom:1px solid #8886}td:first-child,th:first-child,td:nth-child(2),th:nth-child(2){text-align:left}svg{max-width:100%;height:auto;\
    border-radius:4px}.slicing svg{vertical-align:middle;margin-right:.6rem}code{overflow-wrap:anywhere}\
    @media(prefers-color-scheme:dark){body{color:#e4e4e4;background:#161616}}</style>";

/// The letters of the slicings that there are.
fn letters(variants: &[Variant]) -> Vec<&str> {
    variants.iter().filter_map(|variant| variant.slicing.get(..1)).collect()
}

/// The assumptions of all proofs together; none if nothing was proved.
fn assumed(proofs: &[Proofs]) -> Vec<String> {
    let functions = proofs.iter().flat_map(|proofs| &proofs.functions);
    let proved: Vec<&Proved> = functions.filter_map(|function| function.outcome.as_ref().ok()).collect();
    if proved.is_empty() { Vec::new() } else { assumptions(&proved, "") }
}

/// A list with a heading; nothing if it is empty.
fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    format!("<h3>{title}</h3>\n<ul>{items}</ul>\n")
}

/// A description of the tuner's run, with a bar for each of the fastest candidates and the default choice.
fn tuned(tuning: &Tuning) -> String {
    const SHOWN: usize = 24;
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    for (at, (choice, ticks)) in tuning.candidates.iter().enumerate() {
        let is_default = tuning.is_default(choice);
        if at < SHOWN || is_default {
            let bar = Bar { value: Value::Is(1000.0 / ticks), peer: None };
            rows.push(tuning.label(choice));
            bars.push(if is_default { vec![Bar::default(), bar] } else { vec![bar, Bar::default()] });
        }
    }
    let chart = BarChart {
        title: "The fastest candidates, as the search saw them".into(),
        unit: format!("bytes a thousand {}, from bytes to bytes", tuning.unit()),
        rows,
        series: vec!["candidate".into(), "default choice".into()],
        panels: vec![BarPanel { title: String::new(), bars }],
        ..BarChart::default()
    };
    format!(
        "<h2>The tuner at work</h2>\n<p>{} {}</p>\n{}\n<p>The same with more time: <code>{}</code></p>\n",
        escape(&tuning.summary()),
        escape(&tuning.gain()),
        chart.svg(),
        escape(&tuning.command()),
    )
}

/// Horizontal bars, fastest on top, one colour a slicing.
fn plot(subject: &Subject, variants: &[Variant]) -> String {
    let letters = ["v", "h", "b"];
    let bars = variants.iter().map(|variant| {
        let of = |letter: &str| match variant.slicing.starts_with(letter) {
            true => Bar { value: Value::Is(variant.megabytes_per_second(subject)), peer: None },
            false => Bar::default(),
        };
        letters.map(of).to_vec()
    });
    let chart = BarChart {
        title: format!("Speed of {}", subject.primitive.name),
        unit: "MB/s, from bytes to bytes".into(),
        rows: variants.iter().map(|variant| format!("{} {}", variant.slicing, variant.engine)).collect(),
        series: letters.map(slicing_in_words).into(),
        panels: vec![BarPanel { title: String::new(), bars: bars.collect() }],
        ..BarChart::default()
    };
    chart.svg()
}

fn slicing_in_words(slicing: &str) -> String {
    let (letter, word) = slicing.split_at(1);
    let name = match letter {
        "v" => "vertical",
        "h" => "horizontal",
        _ => "bitslice",
    };
    if word.is_empty() { name.into() } else { format!("{name}, {word}-bit words") }
}
