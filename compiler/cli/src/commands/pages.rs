//! `culet completions` and `culet man`: made from the same description of the command line as its help.

use clap::CommandFactory;
use clap_complete::Shell;
use culet_diag::Diagnostic;
use culet_diag::codes::world;

use crate::args::Cli;
use crate::output::{Failure, Output};

pub fn completions(shell: Shell, output: Output) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "culet", &mut text);
    output.data(&text)
}

/// The page of the command, followed by those of its subcommands.
pub fn man(output: Output) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let mut text = Vec::new();
    let mut pages = vec![command.clone()];
    pages.extend(command.get_subcommands().filter(|c| c.get_name() != "help").cloned());
    for page in pages {
        if let Err(error) = clap_mangen::Man::new(page).render(&mut text) {
            let message = format!("cannot write the manual page: {error}");
            return Err(output.fail(Diagnostic::error_without_place(&world::E0810, message)));
        }
    }
    output.data(&text)
}
