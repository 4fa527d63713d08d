//! Every example of `docs/language.md` does what its fence says:
//!
//! - ` ```usuba `: it is accepted without errors;
//! - ` ```usuba E0401 `, ` W0101 `: it gets that diagnostic;
//! - ` ```usuba run a=01 -> b=02 `: it computes these bytes, by the interpreter.
//!
//! `--slice v|h|b` chooses another direction than bitslice, which is the default for examples without fields and streams.

use std::collections::BTreeMap;
use std::path::Path;

use culet_diag::Diagnostics;
use culet_driver::{
    Engine, Options, Reader, Source, arrange, check, elaborate, load, parse_hex, parse_slicing, to_hex,
};
use culet_ir::Target;
use culet_types::program::Slicing;

struct Text<'a>(&'a str);

impl Reader for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// The words after the fence and the text of each example, with its line number.
fn examples(document: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(fence) = line.strip_prefix("```usuba") {
            let text: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            found.push((number + 1, fence.trim().to_owned(), text.join("\n") + "\n"));
        }
    }
    found
}

fn program(text: &str) -> (Source, Diagnostics) {
    load(Path::new("example.ua"), &[], &Text(text))
}

fn codes(diagnostics: &Diagnostics) -> Vec<&'static str> {
    diagnostics.iter().map(|d| d.code.id).collect()
}

fn try_example(fence: &str, text: &str) -> Result<(), String> {
    // In programs with fields, words have a direction without an option.
    let usual = (!text.contains("field ") && !text.contains("[*]")).then_some(Slicing::Bitslice);
    let mut options = Options { slicing: usual, ..Options::new(Target::C64) };
    let mut words: Vec<&str> = fence.split_whitespace().collect();
    if let Some(at) = words.iter().position(|w| *w == "--slice") {
        options.slicing = words.get(at + 1).and_then(|s| parse_slicing(s));
        words.drain(at..at + 2);
    }
    let (source, mut diagnostics) = program(text);
    let found = check(&source, &options, &diagnostics);
    diagnostics.extend(found);
    match words.as_slice() {
        [] if codes(&diagnostics).is_empty() => Ok(()),
        [code] if codes(&diagnostics).contains(code) => Ok(()),
        ["run", equations @ ..] if !diagnostics.has_errors() => run(&source, &options, equations),
        _ => Err(format!("{:?}", diagnostics.iter().map(|d| (d.code.id, &d.message)).collect::<Vec<_>>())),
    }
}

fn run(source: &Source, options: &Options, equations: &[&str]) -> Result<(), String> {
    let arrow = equations.iter().position(|w| *w == "->").ok_or("no arrow")?;
    let values = |words: &[&str]| -> Result<BTreeMap<String, Vec<u8>>, String> {
        let value = |word: &&str| {
            let (name, hex) = word.split_once('=').ok_or("no =")?;
            Ok((name.to_owned(), parse_hex(hex).map_err(|e| e.to_string())?))
        };
        words.iter().map(value).collect()
    };
    let (given, expected) = (values(&equations[..arrow])?, values(&equations[arrow + 1..])?);
    let (program, _) = elaborate(source, options);
    let engine = Engine::interpreter(program.ok_or("does not elaborate")?).map_err(|d| format!("{:?}", codes(&d)))?;
    let inputs = arrange(engine.inputs(), &given).map_err(|e| e.to_string())?;
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let results = engine.run(&inputs, 1);
    for (parameter, result) in engine.outputs().iter().zip(results) {
        let expected = expected.get(&parameter.name).ok_or(format!("nothing expected of {}", parameter.name))?;
        if *expected != result {
            return Err(format!("{} is {}, expected {}", parameter.name, to_hex(&result), to_hex(expected)));
        }
    }
    Ok(())
}

#[test]
fn examples_of_the_language_reference() {
    let document = include_str!("../../../docs/language.md");
    let examples = examples(document);
    assert!(examples.len() > 20, "only {} examples were found", examples.len());
    let wrong: Vec<String> = examples
        .iter()
        .filter_map(|(line, fence, text)| {
            try_example(fence, text).err().map(|error| format!("docs/language.md:{line} `{fence}`: {error}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
