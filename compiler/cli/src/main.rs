//! `culet`: the command. It reads the arguments, calls the driver, and writes the results.

mod args;
mod commands;
mod files;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command, elsewhere};
use crate::output::Output;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| elsewhere::explained(error).exit());
    // If no handler can be installed, a signal leaves temporary files behind, as it would without this call.
    let _ = culet_native::clean_up_on_signals();
    let output = Output { color: cli.color, format: cli.message_format, is_quiet: cli.quiet };
    let result = match cli.command {
        Command::Check(args) => commands::check::run(&args, output),
        Command::Compile(args) => commands::compile::run(&args, output),
        Command::Run(args) => commands::run::run(&args, output),
        Command::Test(args) => commands::test::run(&args, output),
        Command::Dump(args) => commands::dump::run(&args, output),
        Command::Tune(args) => commands::tune::run(&args, output),
        Command::Bench(args) => commands::bench::run(&args, output),
        Command::Prove(args) => commands::prove::run(&args, output),
        Command::Verify(args) => commands::verify::run(&args, output),
        Command::Contract(args) => commands::contract::run(&args, output),
        Command::Equal(args) => commands::equal::run(&args, output),
        Command::Sbox(args) => commands::sbox::run(&args, output),
        Command::Field(args) => commands::field::run(&args, output),
        Command::Library(args) => commands::library::run(&args, output),
        Command::Explain { code } => commands::explain::run(code.as_deref(), output),
        Command::Demo(args) => commands::demo::run(&args, output),
        Command::Completions { shell } => commands::pages::completions(shell, output),
        Command::Man => commands::pages::man(output),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.into(),
    }
}
