//! `culet explain`

use std::fmt::Write;

use culet_diag::codes::{self, world};
use culet_diag::{Code, Diagnostic};

use crate::output::{Failure, Output};

pub fn run(id: Option<&str>, output: Output) -> Result<(), Failure> {
    match id {
        None => output.data(list().as_bytes()),
        Some(id) => match codes::find(id) {
            Some(code) => output.data(page(code).as_bytes()),
            None => Err(output.fail(
                Diagnostic::error_without_place(&world::E0832, format!("there is no code `{id}`"))
                    .note("`culet explain` lists all codes"),
            )),
        },
    }
}

fn list() -> String {
    codes::all().fold(String::new(), |mut text, code| {
        let _ = writeln!(text, "{}  {}", code.id, code.title);
        text
    })
}

fn page(code: &Code) -> String {
    format!("{}: {}\n\n{}\n", code.id, code.title, code.explanation.trim_end())
}
