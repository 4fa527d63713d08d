//! Filetests of elaboration, below `tests/filetests/types`.
//!
//! Settings at the top of a file: `slice: v|h|b`, `word: M`, `entry: NAME`, `stem: FILE` (the name of the file in the
//! list of published tables, which is then used), and any number of `run: 1 0x2 -> 3`. A run lists the atoms of the
//! entry's parameters, then the atoms of the results that the interpreter has to find. Runs are written by hand and
//! never blessed.
//!
//! For every program that elaborates, the text of the program is parsed and elaborated again. This has to give the same
//! text, and the same results for the runs.

use std::fmt::Write;

use culet_diag::{Diagnostics, SourceMap, Span};
use culet_filetest::Case;
use culet_meaning::{Interpreter, Value};
use culet_types::program::{Atom, Program, Slicing};
use culet_types::{Compatibility, Request, elaborate};
use num_bigint::BigUint;

#[test]
fn filetests() {
    culet_filetest::run("types", |case| {
        let stem = case.setting("stem");
        let list = if stem.is_some() { Compatibility::published() } else { Compatibility::default() };
        let word = case.setting("word").map(|m| m.parse().unwrap());
        let (program, mut sections) =
            answer(case, &case.input, stem.unwrap_or("test"), &list, case.setting("entry"), word);
        if let Some(program) = &program {
            let text = program.to_string();
            let (again, found) = answer(case, &text, "test", &Compatibility::default(), None, None);
            match again {
                None => sections.push(("again", found.into_iter().map(|(_, text)| text).collect())),
                Some(again) if again.to_string() != text => sections.push(("again", again.to_string())),
                Some(again) => {
                    let wrong = runs(case, &again);
                    if !wrong.is_empty() {
                        sections.push(("again, wrong runs", wrong));
                    }
                }
            }
            sections.push(("program", text));
            let wrong = runs(case, program);
            if !wrong.is_empty() {
                sections.push(("wrong runs", wrong));
            }
        }
        sections
    });
}

fn answer(
    case: &Case,
    input: &str,
    stem: &str,
    list: &Compatibility,
    entry: Option<&str>,
    word: Option<u32>,
) -> (Option<Program>, Vec<(&'static str, String)>) {
    let slicing = case.setting("slice").map(|letter| match letter {
        "v" => Slicing::Vertical,
        "h" => Slicing::Horizontal,
        "b" => Slicing::Bitslice,
        other => panic!("no slicing `{other}`"),
    });
    let mut sources = SourceMap::new();
    let file = sources.add(format!("{stem}.ua"), input.to_string());
    let (tree, mut diagnostics) = culet_syntax::parse(file, input);
    let request = Request { entry, slicing, word, lsb_first_tables: list, sources: Some(&sources) };
    let (program, found) = elaborate(&tree.items, &request);
    diagnostics.extend(found);
    assert_eq!(program.is_none(), diagnostics.has_errors(), "{}", describe(&diagnostics, &sources));
    let text = describe(&diagnostics, &sources);
    (program, if text.is_empty() { vec![] } else { vec![("diagnostics", text)] })
}

/// One line for each finding, with its place; its notes are indented.
fn describe(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let mut text = String::new();
    let place = |span: Span| {
        let (line, column) = sources.line_column(span);
        format!("{line}:{column} `{}`", sources.snippet(span).lines().next().unwrap_or(""))
    };
    for d in diagnostics.iter() {
        let at = d.span.map(|span| format!(" {}", place(span))).unwrap_or_default();
        writeln!(text, "{}{at}: {}", d.code.id, d.message).unwrap();
        for (span, related) in &d.related {
            writeln!(text, "  {}: {related}", place(*span)).unwrap();
        }
        for note in &d.notes {
            writeln!(text, "  note: {note}").unwrap();
        }
        if let Some(fix) = &d.fix {
            writeln!(text, "  fix: {}: `{}`", fix.message, fix.replacement).unwrap();
        }
    }
    text
}

/// The errors of the runs; empty if they are right.
fn runs(case: &Case, program: &Program) -> String {
    let mut wrong = String::new();
    let interpreter = Interpreter::new(program);
    for (_, run) in case.settings.iter().filter(|(key, _)| key == "run") {
        let (inputs, outputs) = run.split_once("->").unwrap_or_else(|| panic!("no `->` in `{run}`"));
        let (inputs, expected) = (numbers(inputs), numbers(outputs));
        let entry = program.entry();
        let mut rest = inputs.as_slice();
        let mut values = Vec::new();
        for &id in &entry.params {
            let ty = &entry.var(id).ty;
            let (now, later) = rest.split_at(ty.atoms() as usize);
            values.push(now.iter().map(|number| value(ty.atom, number)).collect());
            rest = later;
        }
        assert!(rest.is_empty(), "more inputs than parameters in `{run}`");
        let found = interpreter.compute(program.entry, &values).concat();
        let found: Vec<BigUint> = found.into_iter().map(number).collect();
        if found != expected {
            writeln!(wrong, "{run}: found {found:#x?}").unwrap();
        }
    }
    wrong
}

fn value(atom: Atom, number: &BigUint) -> Value<u64, BigUint> {
    match atom.field() {
        Some(_) => Value::Element(number.clone()),
        None => Value::Word(number.try_into().unwrap()),
    }
}

fn number(value: Value<u64, BigUint>) -> BigUint {
    match value {
        Value::Element(element) => element,
        Value::Word(word) => word.into(),
    }
}

fn numbers(text: &str) -> Vec<BigUint> {
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => BigUint::parse_bytes(digits.as_bytes(), 16).unwrap(),
        None => word.parse().unwrap(),
    };
    text.split_whitespace().map(number).collect()
}
