//! Public types and functions say how many bytes they have, and the section of their standard; errors say their reasons. rustdoc has nothing to say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Beginnings of names of standards, and titles of papers that stand for one.
const STANDARDS: [&str; 9] = ["RFC ", "FIPS ", "SP 800-", "SEC 1", "BIP ", "draft-", "libsodium", "STREAM", "\""];

/// Words by which documentation names its source where no standard has the algorithm, or where NaCl or ZIP 215 has it.
const SOURCES: [&str; 4] = ["culet's own", "NaCl", "ZIP 215", "SEC 2"];

/// Functions that take or give bytes, numbers and reasons as they are; their types have the standard.
const ACCESSORS: [&str; 8] =
    ["from_bytes", "as_bytes", "to_bytes", "from_byte", "to_byte", "reason", "expected", "found"];

/// Ends of names of types that are bytes.
const BYTES: [&str; 7] = ["Key", "Nonce", "Tag", "Header", "Seal", "Secret", "Signature"];

/// Types that no standard has.
const OTHERS: [&str; 2] = ["NonceCounter", "Signed"];

/// Folders and files without public types: kernels are generated, and others have what operations are made of.
const PRIVATE: [&str; 9] =
    ["kernels", "low", "traits", "kernels.rs", "low.rs", "bytes.rs", "gcm.rs", "ascon.rs", "chacha.rs"];

/// The sources that have public types.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if PRIVATE.contains(&&*name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a source");
                sources.push((path, text));
            }
        }
    }
    sources
}

/// A public type, or the name that a macro gives one, with its documentation.
struct Documented {
    name: String,
    text: String,
    /// The macro's arguments behind the name.
    rest: String,
}

/// The types of a source: the names behind lines of documentation, alone or in `pub struct`.
fn types(source: &str) -> Vec<Documented> {
    let (mut found, mut text) = (Vec::new(), String::new());
    let mut lines = source.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("///") || line.starts_with("#[doc") {
            text += line;
            text += "\n";
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let text = std::mem::take(&mut text);
        let declared = ["pub struct ", "pub enum ", "pub type "].iter().find_map(|start| line.strip_prefix(start));
        // Arguments of macros, `Name,` or `Name, 32,`, stand at the beginning of a line behind their documentation.
        let argument = line.split_once(',').map(|(name, _)| name);
        let name: &str = match (declared, argument) {
            (Some(declared), _) => {
                declared.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(declared)
            }
            (None, Some(name)) if !text.is_empty() => name,
            _ => continue,
        };
        let is_type =
            name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_constant = name.chars().all(|c| !c.is_ascii_lowercase());
        if is_type && !is_constant {
            let rest = line.split_once(',').map_or("", |(_, rest)| rest).trim();
            let rest = if rest.is_empty() { lines.peek().copied().unwrap_or_default() } else { rest };
            found.push(Documented { name: name.to_owned(), text, rest: rest.to_owned() });
        }
    }
    found
}

#[test]
fn types_say_their_bytes_and_standards() {
    let mut count = 0;
    for (path, source) in sources() {
        // The modules' own documentation has the standard of types that are bytes.
        let of_module: String = source.lines().filter(|line| line.starts_with("//!")).collect();
        for Documented { name, text, rest } in types(&source) {
            if OTHERS.contains(&&*name) || path.ends_with("error.rs") {
                continue;
            }
            count += 1;
            let place = format!("{}: {name}: {text}", path.display());
            assert!(!text.is_empty(), "{place}");
            let names_standard = |text: &str| STANDARDS.iter().any(|start| text.contains(start));
            if BYTES.iter().any(|end| name.ends_with(end)) {
                assert!(text.contains(" bytes"), "{place}");
                assert!(names_standard(&text) || names_standard(&of_module), "{place}");
                let number = rest.split(',').next().unwrap_or_default().trim();
                if !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) {
                    let is_said = [format!("{number} bytes"), format!("{number} random bytes")]
                        .iter()
                        .any(|said| text.contains(said));
                    assert!(is_said, "{place}: not {number}");
                }
            } else {
                assert!(names_standard(&text), "{place}");
            }
        }
    }
    assert!(count > 70, "only {count} types");
}

#[test]
fn errors_name_their_reasons() {
    let mut count = 0;
    let reasons = |text: &str| ["[`Reason::", "Those of [", "There are none"].iter().any(|part| text.contains(part));
    for (path, source) in sources() {
        for (place, _) in source.match_indices("/// # Errors\n") {
            let of_errors = source[place..].lines().skip(1).map(str::trim);
            let is_doc = |line: &&str| line.starts_with("///") || line.starts_with("#[doc =");
            let text: String = of_errors.take_while(is_doc).collect();
            assert!(reasons(&text) || text.contains("As [`"), "{}: {text}", path.display());
            count += 1;
        }
    }
    assert!(count > 50, "only {count} functions");
}

/// The folder of the crate's documentation with these features, which rustdoc must have written without a warning.
fn documentation(features: &[&str]) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documentation");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["doc", "--quiet", "--offline", "--no-deps", "--package", "culet", "--target-dir"])
        .arg(&target)
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTDOCFLAGS", "--deny=warnings")
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{features:?}: {}", String::from_utf8_lossy(&output.stderr));
    target.join("doc/culet")
}

/// The pages of a folder, and of those in it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("pages").map(|entry| entry.expect("a page").path());
    let of_entry = |path: PathBuf| if path.is_dir() { pages(&path) } else { vec![path] };
    entries.flat_map(of_entry).filter(|path| path.extension().is_some_and(|end| end == "html")).collect()
}

/// The text of a page, without its tags.
fn without_tags(page: &str) -> String {
    let text: String = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    // rustdoc makes other quotation marks of them.
    text.replace("&#39;", "'").replace('’', "'").replace(['“', '”'], "\"").replace("&quot;", "\"")
}

/// The text of the first block of documentation on a part of a page.
fn first_block(part: &str) -> String {
    let block = part.split_once("<div class=\"docblock\">").map_or("", |(_, rest)| rest);
    without_tags(block.split("</details>").next().unwrap_or_default())
}

/// The names of a page's functions and constants, and what they say: a page is about one of them, or about a type that has some.
fn documented(path: &Path) -> Vec<(String, String)> {
    let page = fs::read_to_string(path).expect("a page");
    // Pages of modules that nobody sees lead to others.
    if page.contains("http-equiv=\"refresh\"") {
        return Vec::new();
    }
    let file = path.file_name().expect("a name").to_string_lossy();
    let is_of = ["fn.", "constant."].iter().find_map(|start| file.strip_prefix(start));
    if let Some(name) = is_of.and_then(|name| name.strip_suffix(".html")) {
        return vec![(name.to_owned(), first_block(&page))];
    }
    let named = page.split("<section id=\"").skip(1).filter_map(|part| {
        let (id, rest) = part.split_once('"')?;
        let (kind, name) = id.split_once('.')?;
        let name = name.split('-').next()?;
        // Functions of traits have more classes.
        let is_own =
            ["method", "associatedconstant"].contains(&kind) && rest.starts_with(&format!(" class=\"{kind}\">"));
        is_own.then(|| (name.to_owned(), first_block(rest)))
    });
    named.collect()
}

/// Warnings of rustdoc depend on features: with one, a link leads where there is nothing without it. Each function names its standard by itself, and limits
/// have their numbers.
#[test]
fn rustdoc_has_no_warnings_and_functions_and_limits_are_documented() {
    documentation(&[]);
    documentation(&["--features", "getrandom,alloc,std"]);
    let (mut functions, mut limits) = (0, 0);
    for page in pages(&documentation(&["--all-features"])) {
        for (name, text) in documented(&page) {
            let place = format!("{}: {name}: {text}", page.display());
            assert!(!text.is_empty(), "{place}");
            if name.ends_with("LIMIT") {
                assert!(text.contains(|c: char| c.is_ascii_digit()), "{place}");
                limits += 1;
            } else if name.starts_with(|c: char| c.is_ascii_lowercase()) && !ACCESSORS.contains(&&*name) {
                let mut names = STANDARDS.iter().chain(&SOURCES);
                assert!(names.any(|start| text.contains(start)), "{place}");
                functions += 1;
            }
        }
    }
    assert!(functions > 300 && limits > 20, "only {functions} functions and {limits} limits");
}
