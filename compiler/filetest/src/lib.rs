//! Filetests: the input and all expected outputs in one file, so that a reader sees both at once.
//!
//! ```text
//! //! slice: v
//! node f(a:u32) returns (b:u32) let b = a tel
//! // ---- expected
//! …what the room under test answers…
//! ```
//!
//! The text before the first separator (`// ---- name` on a line of its own) is the input; each separator begins a
//! section with that name, which ends at the next separator. Lines `//! key: value` at the very top are settings; they
//! stay part of the input, where they are comments. Blank lines at the end of a section are ignored.
//!
//! A room's test is one call:
//!
//! ```text
//! #[test]
//! fn filetests() {
//!     culet_filetest::run("syntax", |case| vec![("expected", answer(&case.input))]);
//! }
//! ```
//!
//! A `README.md` is not a case. Environment: `CULET_BLESS=1` rewrites the sections instead of comparing them;
//! `CULET_FILETEST=part` runs only the cases whose path contains `part`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const SEPARATOR: &str = "// ---- ";

/// One filetest file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The path below the room's folder, with `/`, e.g. `errors/missing_tel.ua`.
    pub name: String,
    pub input: String,
    /// The settings from the lines `//! key: value` at the top, in order.
    pub settings: Vec<(String, String)>,
    /// Name and text of each section, in order; a text ends in exactly one newline unless it is empty.
    pub sections: Vec<(String, String)>,
}

impl Case {
    /// Reads the file format described at the top of this crate.
    pub fn parse(name: &str, text: &str) -> Case {
        let mut input = String::new();
        let mut sections: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            if let Some(section) = line.strip_prefix(SEPARATOR) {
                sections.push((section.trim().to_string(), String::new()));
                continue;
            }
            let part = sections.last_mut().map_or(&mut input, |(_, text)| text);
            part.push_str(line);
            part.push('\n');
        }
        for (_, text) in &mut sections {
            *text = normalise(text);
        }
        let settings = input
            .lines()
            .map_while(|line| line.strip_prefix("//! "))
            .filter_map(|line| line.split_once(':'))
            .map(|(key, value)| (key.trim().to_string(), value.trim().to_string()))
            .collect();
        Case { name: name.to_string(), input, settings, sections }
    }

    /// The value of the first setting with this key.
    pub fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// The text of the first section with this name.
    pub fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str())
    }

    /// The text of the file with these sections instead of its own.
    fn print(&self, sections: &[(String, String)]) -> String {
        let mut text = self.input.clone();
        for (name, body) in sections {
            assert!(
                !body.lines().any(|line| line.starts_with(SEPARATOR)),
                "the section `{name}` of {} contains a separator line",
                self.name
            );
            text.push_str(SEPARATOR);
            text.push_str(name);
            text.push('\n');
            text.push_str(body);
        }
        text
    }
}

/// Runs `answer` on every file below `tests/filetests/<room>` of the repository. Compares the sections that it returns
/// with all sections of the file, in order.
///
/// # Panics
///
/// If the folder has no file, or any case fails. The message lists every failure with its differing lines.
pub fn run(room: &str, answer: impl Fn(&Case) -> Vec<(&'static str, String)>) {
    run_folder(&repository().join("tests/filetests").join(room), answer);
}

/// Like [`run`], for any folder.
pub fn run_folder(folder: &Path, answer: impl Fn(&Case) -> Vec<(&'static str, String)>) {
    let bless = std::env::var_os("CULET_BLESS").is_some_and(|value| value == "1");
    let only = std::env::var("CULET_FILETEST").unwrap_or_default();
    run_cases(folder, bless, &only, answer);
}

fn run_cases(folder: &Path, bless: bool, only: &str, answer: impl Fn(&Case) -> Vec<(&'static str, String)>) {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no filetest below {}", folder.display());
    let mut failures = Vec::new();
    let mut count = 0;
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if !name.contains(only) {
            continue;
        }
        count += 1;
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let case = Case::parse(&name, &text);
        match catch_unwind(AssertUnwindSafe(|| answer(&case))) {
            Err(_) => failures.push(format!("{name}: the test panicked (see above)")),
            Ok(actual) => {
                let actual: Vec<_> =
                    actual.into_iter().map(|(name, text)| (name.to_string(), normalise(&text))).collect();
                if actual == case.sections {
                    continue;
                }
                if bless {
                    fs::write(&path, case.print(&actual)).unwrap_or_else(|error| panic!("{name}: {error}"));
                } else {
                    failures.push(format!("{name}\n{}", difference(&case.print(&case.sections), &case.print(&actual))));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count} filetests failed (CULET_BLESS=1 rewrites them):\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap_or(crate_folder).to_path_buf()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.file_name().is_none_or(|name| name != "README.md") {
            files.push(path);
        }
    }
}

fn normalise(text: &str) -> String {
    match text.trim_end_matches(['\n', ' ', '\r']) {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// The lines between the common beginning and the common end, expected first, with their line numbers.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let start = expected.iter().zip(&actual).take_while(|(e, a)| e == a).count();
    let rest = expected.len().min(actual.len()) - start;
    let end = expected.iter().rev().zip(actual.iter().rev()).take(rest).take_while(|(e, a)| e == a).count();
    let mut out = String::new();
    for (sign, lines) in [('-', &expected), ('+', &actual)] {
        for (number, line) in lines.iter().enumerate().take(lines.len() - end).skip(start) {
            out.push_str(&format!("{:5} {sign} {line}\n", number + 1));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "//! slice: v\n//! word: 32\nnode f\n\n// ---- expected\none\ntwo\n\n// ---- more\n";

    #[test]
    fn a_file_is_input_settings_and_sections() {
        let case = Case::parse("a.ua", FILE);
        assert_eq!(case.input, "//! slice: v\n//! word: 32\nnode f\n\n");
        assert_eq!((case.setting("slice"), case.setting("word"), case.setting("x")), (Some("v"), Some("32"), None));
        assert_eq!(case.section("expected"), Some("one\ntwo\n"));
        assert_eq!(case.section("more"), Some(""));
        assert_eq!(Case::parse("a.ua", &case.print(&case.sections)), case);
    }

    #[test]
    fn a_difference_shows_only_the_lines_that_differ() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\ny\nc\n"), "    2 - b\n    2 + x\n    3 + y\n");
    }

    #[test]
    #[should_panic(expected = "1 of 1 filetests failed")]
    fn a_wrong_answer_fails() {
        let folder = std::env::temp_dir().join(format!("culet-filetest-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.ua"), FILE).unwrap();
        let answer = |_: &Case| vec![("expected", "one\nthree".to_string()), ("more", String::new())];
        let outcome = catch_unwind(|| run_cases(&folder, false, "", answer));
        fs::remove_dir_all(&folder).unwrap();
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    }
}
