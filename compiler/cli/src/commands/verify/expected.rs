//! Verdicts that must be reached: those of a document before, for `culet verify --expect`, and those that kernels claim.

use std::path::Path;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{read_text, unreadable};
use serde_json::Value;

use super::{Claim, Outcome, Verified};
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
    let now = |expected: &Expected| {
        let found = verified.iter().find(|verified| verified.name == expected.name).map(|verified| &verified.outcome);
        expected.less(found, args.safe).map(|now| format!("`{}` {now}", expected.name))
    };
    let less: Vec<String> = expected.iter().filter(is_asked).filter_map(now).collect();
    if less.is_empty() {
        return None;
    }
    let message = format!("less is proved of `{}` than before: {}", args.file.display(), less.join(", "));
    Some(Diagnostic::error_without_place(&world::E0866, message))
}

/// The diagnostic for kernels of which less is proved than their records claim.
pub(super) fn claimed(verified: &[Verified], args: &VerifyArgs) -> Option<Diagnostic> {
    let is_less =
        |kernel: &&Verified| kernel.claim == Some(Claim::Equal) && matches!(kernel.outcome, Outcome::Safe { .. });
    let less: Vec<String> = verified.iter().filter(is_less).map(|kernel| format!("`{}`", kernel.name)).collect();
    if less.is_empty() || args.safe {
        return None;
    }
    let message = format!(
        "kernels in `{}` claim to be equal to their programs, and are only safe: {}",
        args.file.display(),
        less.join(", ")
    );
    Some(Diagnostic::error_without_place(&world::E0868, message).note(world::E0868.remedy))
}

impl Expected {
    /// The difference, if less is proved of a kernel, or if it was not found.
    fn less(&self, found: Option<&Outcome>, is_safe_only: bool) -> Option<&'static str> {
        match found {
            None => Some("is missing"),
            Some(Outcome::Equal(_)) => None,
            Some(Outcome::Safe { .. }) if !self.is_equal || is_safe_only => None,
            Some(Outcome::Safe { .. }) => Some("was equal to its program, and is only safe"),
            Some(Outcome::Refused(_) | Outcome::Unknown(_)) => Some("was proved, and is not"),
        }
    }
}

#[cfg(test)]
mod tests {
    use culet_driver::Lengths;

    use super::*;

    #[test]
    fn less_is_told_and_as_much_is_not() {
        let safe = Outcome::Safe { proved: Box::default(), lengths: Lengths::None, why: None };
        let (equal, unknown) = (Outcome::Equal(Box::default()), Outcome::Unknown(String::new()));
        let [was_safe, was_equal] = [false, true].map(|is_equal| Expected { name: "k".to_owned(), is_equal });
        for expected in [&was_safe, &was_equal] {
            assert_eq!(expected.less(None, false), Some("is missing"));
            assert_eq!(expected.less(Some(&unknown), false), Some("was proved, and is not"));
            assert_eq!(expected.less(Some(&equal), false), None);
            assert_eq!(expected.less(Some(&safe), true), None);
        }
        assert_eq!(was_safe.less(Some(&safe), false), None);
        assert_eq!(was_equal.less(Some(&safe), false), Some("was equal to its program, and is only safe"));
    }
}
