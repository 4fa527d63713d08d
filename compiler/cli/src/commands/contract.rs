//! `culet contract`: contracts for the functions of a C file that fiat-crypto made.

use std::path::PathBuf;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{FiatFunction, fiat_contracts, read_text, unreadable};

use super::make_directory;
use crate::args::ContractArgs;
use crate::output::{Failure, Output};

pub fn run(args: &ContractArgs, output: Output) -> Result<(), Failure> {
    let text = read_text(&args.file).map_err(|error| output.fail(unreadable(&args.file, &error)))?;
    let found = fiat_contracts(&text);
    let file = args.file.display();
    let mut made: Vec<(PathBuf, String)> = Vec::new();
    for FiatFunction { symbol, contract } in &found {
        match contract {
            Ok(contract) => {
                let text = format!("# Made by `culet contract` from {file}.\n{contract}");
                made.push((args.output.join(format!("{symbol}.toml")), text));
            }
            Err(why) => output.progress(&format!("`{symbol}` has no contract: {why}")),
        }
    }
    if made.is_empty() {
        let message = format!("`{file}` says of no function what it computes");
        let note =
            "give the C file or the header that fiat-crypto wrote, with the comments above its functions and types";
        return Err(output.fail(Diagnostic::error_without_place(&world::E0870, message).note(note)));
    }
    make_directory(&args.output, output)?;
    let files: Vec<(PathBuf, &[u8])> = made.iter().map(|(path, text)| (path.clone(), text.as_bytes())).collect();
    output.write_files(&files)?;
    output.progress(&format!("{}: {} contracts of {} functions", args.output.display(), made.len(), found.len()));
    Ok(())
}
