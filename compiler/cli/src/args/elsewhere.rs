//! Options that other commands have.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};

use super::Cli;

/// Names the commands that have an unknown option, in place of options of this command with similar names.
pub fn explained(mut error: Error) -> Error {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let name = given.trim_start_matches("--").split('=').next().unwrap_or_default().to_owned();
    let command = Cli::command();
    let has_it = |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_long() == Some(&name));
    let owners: Vec<String> =
        command.get_subcommands().filter(has_it).map(|command| format!("`culet {}`", command.get_name())).collect();
    if !owners.is_empty() {
        let tip = format!("`--{name}` is an option of {}", owners.join(", "));
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
