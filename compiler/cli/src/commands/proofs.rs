//! Entries of the manifest of proofs: each says which properties of which bytes were proved.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use culet_diag::{FileId, SourceMap};
use culet_driver::{FunctionProof, Options};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::verdict::{Meanings, json};
use crate::output::{Failure, Output};

/// The subject of an entry.
pub struct Subject<'s> {
    pub stem: &'s str,
    /// The image's path and bytes.
    pub image: (&'s Path, &'s [u8]),
    /// The program or the contract, and the texts that it includes. Without a [`FileId`], the first text is the main
    /// one.
    pub specification: (&'s SourceMap, Option<FileId>),
    /// All functions that have a theorem, whether a proof was tried or not.
    pub functions: Vec<String>,
    /// The options with which `culet compile` made the kernel; `None` for a contract.
    pub options: Option<&'s Options>,
    /// The C compiler's command, if it is known.
    pub compiled_by: Option<String>,
}

/// Writes `DIRECTORY/STEM.json`, whole or not at all; `DIRECTORY/STEM@IMAGE.json` if the former is about an image of
/// another name. An existing entry's verdicts on other functions of the same bytes and the same specification are kept,
/// if this very prover gave them.
pub fn keep(
    directory: &Path,
    subject: &Subject,
    proofs: &[FunctionProof],
    meanings: &Meanings,
    output: Output,
) -> Result<PathBuf, Failure> {
    let file = |(path, bytes): (&Path, &[u8])| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        serde_json::json!({ "name": name, "sha256": hex(&Sha256::digest(bytes)) })
    };
    let (sources, main) = subject.specification;
    let mut texts: Vec<_> = sources.files().collect();
    // The program comes before the files that it includes, which stay in the order in which they were read.
    texts.sort_by_key(|(id, _)| main.is_some_and(|main| *id != main));
    let mut texts = texts.into_iter().map(|(_, text)| file((&text.path, text.text.as_bytes())));
    let mut entry = serde_json::json!({
        "culet": { "version": env!("CARGO_PKG_VERSION"), "sha256": own_hash() },
        "image": file(subject.image),
        "specification": texts.next(),
        "included": texts.collect::<Vec<_>>(),
        "options": subject.options.map(Options::arguments),
        "compiled_by": subject.compiled_by,
    });
    let path = path(directory, subject.stem, &entry["image"]["name"]);
    let places = proofs.iter().enumerate();
    let mut functions: Vec<Value> = places.map(|(place, proof)| json(proof, meanings.of(place))).collect();
    let keys = ["culet", "image", "specification", "included", "options"];
    let same = |there: &Value| own_hash().is_some() && keys.iter().all(|key| there[key] == entry[key]);
    let name = |function: &Value| (function["symbol"].clone(), function["lengths"].clone());
    if let Some(Value::Array(known)) = read(&path).filter(same).map(|mut there| there["functions"].take()) {
        let others = known.into_iter().filter(|other| functions.iter().all(|own| name(own) != name(other)));
        let others: Vec<Value> = others.collect();
        functions.extend(others);
    }
    let is_tried = |symbol: &String| functions.iter().any(|function| function["symbol"] == **symbol);
    let untried: Vec<&String> = subject.functions.iter().filter(|symbol| !is_tried(symbol)).collect();
    entry["proved"] = (untried.is_empty() && functions.iter().all(|function| function["proved"] == true)).into();
    entry["untried"] = serde_json::json!(untried);
    entry["functions"] = functions.into();
    let text = format!("{entry:#}\n");
    super::make_directory(directory, output)?;
    output.write_files(&[(path.clone(), text.as_bytes())])?;
    Ok(path)
}

/// The identity of this prover: the hash of the running program, if it can be read.
fn own_hash() -> Option<&'static str> {
    static HASH: OnceLock<Option<String>> = OnceLock::new();
    let hash = || Some(hex(&Sha256::digest(fs::read(std::env::current_exe().ok()?).ok()?)));
    HASH.get_or_init(hash).as_deref()
}

/// The path of an entry. A function's name may be any text; the path is always a file in the directory.
fn path(directory: &Path, stem: &str, image: &Value) -> PathBuf {
    let plain = directory.join(format!("{}.json", encoded(stem)));
    match read(&plain).as_ref().and_then(|entry| entry["image"]["name"].as_str()) {
        Some(other) if *other != *image => {
            directory.join(format!("{}@{}.json", encoded(stem), encoded(image.as_str().unwrap_or_default())))
        }
        _ => plain,
    }
}

/// Reads the entry at a path, if there is one.
fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// A name in which `%XX` stands for every byte that is no letter, digit, `_`, `-`, `$` or a dot after the first byte.
fn encoded(name: &str) -> String {
    let is_plain =
        |(at, byte): (usize, u8)| byte.is_ascii_alphanumeric() || b"_-$".contains(&byte) || byte == b'.' && at > 0;
    name.bytes().enumerate().fold(String::new(), |mut text, (at, byte)| {
        let _ = if is_plain((at, byte)) { write!(text, "{}", char::from(byte)) } else { write!(text, "%{byte:02X}") };
        text
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
