//! `culet verify --expect`: what was proved before, which must still be proved.

use std::path::Path;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{read_text, unreadable};
use serde_json::Value;

use super::{Outcome, Verified};
use crate::args::VerifyArgs;
use crate::output::{Failure, Output};

/// A kernel of the document.
pub(super) struct Expected {
    name: String,
    is_equal: bool,
}

/// Reads the document of an earlier run: its kernels that were proved.
///
/// # Errors
///
/// E0801 if it cannot be read, E0867 if it is none.
pub(super) fn read(file: &Path, output: Output) -> Result<Vec<Expected>, Failure> {
    let text = read_text(file).map_err(|error| output.fail(unreadable(file, &error)))?;
    let expected = expected(&text);
    expected.ok_or_else(|| {
        let message = format!("`{}` is no document of `culet verify`", file.display());
        output.fail(Diagnostic::error_without_place(&world::E0867, message))
    })
}

fn expected(text: &str) -> Option<Vec<Expected>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let mut all = Vec::new();
    for kernel in document.get("kernels")?.as_array()? {
        let word = |key: &str| kernel.get(key)?.as_str();
        let (name, verdict) = (word("operation")?.to_owned(), word("verdict")?);
        match verdict {
            "equal" | "safe" => all.push(Expected { name, is_equal: verdict == "equal" }),
            "refused" | "unknown" => {}
            _ => return None,
        }
    }
    Some(all)
}

/// The diagnostic for kernels of which less is proved now.
pub(super) fn less(expected: &[Expected], verified: &[Verified], args: &VerifyArgs) -> Option<Diagnostic> {
    let is_asked = |expected: &&Expected| args.only.as_ref().is_none_or(|only| expected.name.contains(only));
    let mut less = Vec::new();
    for Expected { name, is_equal } in expected.iter().filter(is_asked) {
        let found = verified.iter().find(|verified| verified.name == *name).map(|verified| &verified.outcome);
        let now = match found {
            None => "is missing",
            Some(Outcome::Equal(_)) => continue,
            Some(Outcome::Safe { .. }) if !is_equal || args.safe => continue,
            Some(Outcome::Safe { .. }) => "was equal to its program, and is only safe",
            Some(Outcome::Refused(_) | Outcome::Unknown(_)) => "was proved, and is not",
        };
        less.push(format!("`{name}` {now}"));
    }
    if less.is_empty() {
        return None;
    }
    let message = format!("less is proved of `{}` than before: {}", args.file.display(), less.join(", "));
    Some(Diagnostic::error_without_place(&world::E0866, message))
}
