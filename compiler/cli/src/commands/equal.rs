//! `culet equal`

use std::fmt::Write;
use std::path::Path;

use culet_diag::Diagnostic;
use culet_driver::{Options, elaborate, to_hex, unequal_diagnostic};
use culet_prove::elements::{self, Unequal};
use culet_types::program::Program;

use super::read;
use crate::args::{EqualArgs, MessageFormat};
use crate::output::{Failure, Output};

pub fn run(args: &EqualArgs, output: Output) -> Result<(), Failure> {
    let first = program(args, &args.first, args.node.as_deref(), output)?;
    let second = program(args, &args.second, args.other_node.as_deref(), output)?;
    let relation = args.relation.as_deref().map(|node| program(args, &args.second, Some(node), output)).transpose()?;
    let outcome = elements::same(&first, &second, relation.as_ref());
    let names = [&first, &second].map(|program| program.entry().name.as_str());
    let text = match output.format {
        MessageFormat::Human => human(names, &outcome),
        MessageFormat::Json => format!("{}\n", json(names, &outcome)),
    };
    output.data(text.as_bytes())?;
    outcome.map(drop).map_err(|_| Failure::Input)
}

fn program(args: &EqualArgs, path: &Path, node: Option<&str>, output: Output) -> Result<Program, Failure> {
    let (source, mut diagnostics) = read(path, &args.include, output)?;
    let mut options = Options::new(culet_native::best_target());
    (options.node, options.slicing, options.word) = (node.map(str::to_owned), args.slice, args.word);
    let (program, more) = elaborate(&source, &options);
    diagnostics.extend(more);
    output.diagnostics(&diagnostics, &source.map);
    program.filter(|_| !diagnostics.has_errors()).ok_or(Failure::Input)
}

type Outcome = Result<elements::Equality, Unequal>;

fn human([first, second]: [&str; 2], outcome: &Outcome) -> String {
    let remedy = |unequal: &Unequal| {
        let Diagnostic { code, notes, .. } = unequal_diagnostic(unequal);
        notes.iter().map(|note| format!("            {}: {note}\n", code.id)).collect::<String>()
    };
    match outcome {
        Ok(equality) => {
            let iterations = match equality.iterations {
                0 => String::new(),
                iterations => format!(", by an induction over the {iterations} iterations of their loops"),
            };
            format!("proved: {first} and {second} compute the same{iterations}; {} cases\n", equality.cases)
        }
        Err(unequal @ Unequal::Open(why)) => {
            format!("NOT PROVED  {first} = {second}: {why}\n{}", remedy(unequal))
        }
        Err(unequal @ Unequal::Different { inputs, result, values }) => {
            let mut text = format!("NOT PROVED  {first} and {second} differ in `{result}`\n{}", remedy(unequal));
            let mut line = |name: &str, bytes: &[u8]| {
                let _ = writeln!(text, "            {name} = {}", to_hex(bytes));
            };
            inputs.iter().for_each(|(name, bytes)| line(name, bytes));
            [first, second]
                .iter()
                .zip(values)
                .for_each(|(program, bytes)| line(&format!("{result} of {program}"), bytes));
            text
        }
    }
}

fn json([first, second]: [&str; 2], outcome: &Outcome) -> serde_json::Value {
    let nodes = [first, second];
    match outcome {
        Ok(equality) => {
            serde_json::json!({ "nodes": nodes, "proved": true, "turns": equality.iterations, "cases": equality.cases })
        }
        Err(unequal) => {
            let Diagnostic { code, message, notes, .. } = unequal_diagnostic(unequal);
            let mut json = serde_json::json!({
                "nodes": nodes, "proved": false, "code": code.id, "reason": message, "remedy": notes.join("; "),
            });
            if let Unequal::Different { inputs, values, .. } = unequal {
                let inputs = inputs.iter().map(|(name, bytes)| (name.clone(), to_hex(bytes).into()));
                json["inputs"] = inputs.collect::<serde_json::Map<_, _>>().into();
                json["values"] = serde_json::json!(values.each_ref().map(|bytes| to_hex(bytes)));
            }
            json
        }
    }
}
