//! Several nodes of a program as functions of one file, in which what they call is there once.

use std::collections::BTreeSet;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::TogetherOutput;
use culet_types::program::Program;

use crate::load::Source;
use crate::options::Options;
use crate::program::elaborate;
use crate::route::Route;
use crate::single::{self, Recorded, Words};
use crate::trial;

/// The code of several nodes.
pub struct Together {
    stem: String,
    command: String,
    options: Options,
    names: Vec<String>,
    words: Vec<Words>,
    c: TogetherOutput,
    warnings: Diagnostics,
}

impl Together {
    /// Generates code for `nodes` of a source without errors. Its files are named `stem`.
    ///
    /// # Errors
    ///
    /// Those of the nodes. E0830 for a node that is named twice or computes many instances at a time, and for a batch.
    pub fn of(source: &Source, stem: &str, nodes: &[&str], options: &Options) -> Result<Together, Diagnostics> {
        check(nodes, options)?;
        let of_node = |node: &str| Options { node: Some(node.to_owned()), ..options.clone() };
        let mut warnings = Diagnostics::new();
        let mut programs = Vec::new();
        for node in nodes {
            let (program, found) = program(source, &of_node(node))?;
            programs.push(program);
            for warning in found
                .iter()
                .filter(|warning| !warnings.iter().any(|known| is_same(known, warning)))
                .cloned()
                .collect::<Vec<_>>()
            {
                warnings.push(warning);
            }
        }
        let words = single::words_together(programs, options)?;
        words.iter().try_for_each(trial::compare)?;
        let names: Vec<String> = nodes.iter().map(|node| culet_emit::name_together(stem, node)).collect();
        let options = of_node(&nodes.join(","));
        let command = options.command(&source.given, &source.stem, stem);
        let c = single::together(&recorded(&names, &words), stem, &options, command.clone())?;
        Ok(Together { stem: stem.to_owned(), command, options, names, words, c, warnings })
    }

    /// The command that makes its files in C, as they say it themselves.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The programs, one for each node.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.words.iter().map(|words| &words.program)
    }

    /// The warnings about the nodes and about what they call.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The C file.
    pub fn text(&self) -> &str {
        &self.c.source
    }

    /// Its header.
    pub fn header(&self) -> &str {
        &self.c.header
    }

    /// The functions in Rust.
    ///
    /// # Errors
    ///
    /// As [`culet_emit::emit_single_rust`].
    pub fn rust(&self) -> Result<String, Diagnostics> {
        let functions = recorded(&self.names, &self.words);
        single::rust(&functions, &self.stem, &self.options, format!("{} --language rust", self.command))
    }
}

fn recorded<'w>(names: &[String], words: &'w [Words]) -> Vec<Recorded<'w>> {
    let recorded = |(name, words): (&String, &'w Words)| Recorded { stem: name.clone(), words, record: None };
    names.iter().zip(words).map(recorded).collect()
}

fn check(nodes: &[&str], options: &Options) -> Result<(), Diagnostics> {
    let refused =
        |message: String, note: &str| Err(Diagnostic::error_without_place(&world::E0830, message).note(note).into());
    let mut known = BTreeSet::new();
    if let Some(node) = nodes.iter().find(|node| !known.insert(node.to_ascii_lowercase())) {
        let message = format!("`--node {}` names two functions `{}`", nodes.join(","), node.to_ascii_lowercase());
        return refused(
            message,
            "name each node once; nodes whose names differ by case only come in files of their own",
        );
    }
    if options.batch.is_some() {
        let note = "leave `--batch` out, or name one node";
        return refused("several nodes in one file compute one instance at a time".to_owned(), note);
    }
    Ok(())
}

/// Whether two warnings are one, about something that several nodes call.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    (one.code.id, one.span, &one.message) == (other.code.id, other.span, &other.message)
}

/// The program of a node, and the warnings about it.
fn program(source: &Source, options: &Options) -> Result<(Program, Diagnostics), Diagnostics> {
    let (program, found) = elaborate(source, options);
    let Some(program) = program else { return Err(found) };
    if Route::of(&program) == Route::Words {
        return Ok((program, found));
    }
    let entry = program.entry();
    let message =
        format!("`{}` computes many instances at a time, and its code comes in a file of its own", entry.name);
    let note = "nodes with streams, elements of fields, lookups at secret positions or words cut anew may share a file";
    Err(Diagnostic::error(&world::E0830, entry.span, message).note(note).into())
}
