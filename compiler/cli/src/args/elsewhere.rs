//! Options that other commands or other tools have.

use std::env;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};

use super::Cli;

/// Explains an unknown option by the commands that have it, or as a C compiler's flag, in place of options of this command with
/// similar names.
pub fn explained(mut error: Error) -> Error {
    if error.kind() == ErrorKind::MissingRequiredArgument && given_arguments().any(|argument| argument == "--safe") {
        let tip = "of what is only proved safe, the function and its arguments are said: `culet prove app --safe --symbol f \
                   --arguments 'r: out 32, k: in 32, n: length 0..4'`";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    if error.kind() == ErrorKind::MissingRequiredArgument && given_arguments().any(|argument| argument == "--input") {
        let tip =
            "a parameter and its value are one word: `--input plain=1100`; `--mode`, `--key` and `-o` process a file";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(tip) = meant_command(given)
    {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    // Of `-march=native`, clap gives the first letter.
    let is_letter = given.starts_with('-') && !given.starts_with("--") && given.len() == 2;
    let whole =
        is_letter.then(|| given_arguments().skip(1).find(|argument| argument.starts_with(given.as_str()))).flatten();
    let given = whole.unwrap_or_else(|| given.clone());
    let tip = match given.strip_prefix("--") {
        Some(long) => of_long_option(long.split('=').next().unwrap_or_default()),
        None => of_c_compilers(&given),
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::InvalidArg, ContextValue::String(given));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The command that does what other tools call by this name, or that takes a file of this name.
fn meant_command(name: &str) -> Option<String> {
    if name.ends_with(".ua") || name.ends_with(".toml") {
        return Some(format!("a command stands before the file: `culet compile {name} -o DIR`, `culet check {name}`"));
    }
    let command = match name {
        "build" | "cc" | "gen" | "generate" | "emit" | "translate" | "make" => "compile",
        "exec" | "execute" | "eval" | "interpret" | "encrypt" | "decrypt" | "simulate" => "run",
        "lint" | "typecheck" | "parse" => "check",
        "benchmark" | "measure" | "time" => "bench",
        "optimise" | "optimize" | "autotune" => "tune",
        "proof" | "certify" => "prove",
        "ir" | "print" | "show" => "dump",
        _ => return None,
    };
    Some(format!("`culet {command}` does that; `culet help {command}` has examples"))
}

/// The command line. Names of files need not be text.
fn given_arguments() -> impl Iterator<Item = String> {
    env::args_os().map(|argument| argument.to_string_lossy().into_owned())
}

/// The option that does what another tool calls by this name, or the commands that have an option of this name.
fn of_long_option(name: &str) -> Option<String> {
    match name {
        "encrypt" => Some("`culet run` encrypts where `--decrypt` does not say otherwise".to_owned()),
        "entry" | "function" | "func" | "top" | "main" => Some(format!("`--node NAME` chooses a node, not `--{name}`")),
        "out" | "outdir" | "out-dir" => Some("`-o DIR` says where files are written".to_owned()),
        "slicing" => Some("`--slice v`, `h` or `b` chooses a slicing".to_owned()),
        _ => of_other_commands(name),
    }
}

fn of_other_commands(name: &str) -> Option<String> {
    let command = Cli::command();
    let owners: Vec<String> = command
        .get_subcommands()
        .filter(|command| has_option(command, name))
        .map(|command| format!("`culet {}`", command.get_name()))
        .collect();
    (!owners.is_empty()).then(|| format!("`--{name}` is an option of {}", owners.join(", ")))
}

/// A tip says where a flag of a C compiler belongs, such as `-O3`, `-march=native` or `-Wall`.
fn of_c_compilers(flag: &str) -> Option<String> {
    // Alone, these are no flags.
    if ["-m", "-f", "-D", "-c"].contains(&flag) {
        return None;
    }
    if !["-O", "-m", "-f", "-W", "-g", "-std=", "-D"].iter().any(|start| flag.starts_with(start)) {
        return None;
    }
    let command = Cli::command();
    let called = given_arguments().nth(1).and_then(|name| command.find_subcommand(name));
    Some(match called.map(|command| (command.get_name(), has_option(command, "cflags"))) {
        Some(("compile", _)) => format!(
            "culet writes C: give `{flag}` to the C compiler that compiles it; with `--prove` or `--tune`, which compile it \
             themselves, write `--cflags={flag}`"
        ),
        Some((_, true)) => format!("flags of the C compiler are one option: `--cflags={flag}`"),
        _ => format!("`{flag}` is a flag of C compilers; the commands that take such flags have the option `--cflags`"),
    })
}

fn has_option(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(name))
}
