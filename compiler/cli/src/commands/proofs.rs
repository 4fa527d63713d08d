//! Entries of the manifest of proofs: what was proved about which bytes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use culet_driver::{FunctionProof, Options};
use sha2::{Digest, Sha256};

use super::verdict::json;
use crate::output::{Failure, Output};

/// What an entry is about.
pub struct Subject<'s> {
    pub stem: &'s str,
    /// The image's path and bytes.
    pub image: (&'s Path, &'s [u8]),
    /// The program and its text, or the contract and its text.
    pub specification: (&'s Path, &'s [u8]),
    /// How `culet compile` made the kernel; none for a contract.
    pub options: Option<&'s Options>,
    /// The C compiler's command, if it is known.
    pub compiled_by: Option<String>,
}

/// Writes `DIRECTORY/STEM.json`, whole or not at all.
pub fn keep(
    directory: &Path,
    subject: &Subject,
    proofs: &[FunctionProof],
    meaning: &str,
    output: Output,
) -> Result<PathBuf, Failure> {
    let file = |(path, bytes): (&Path, &[u8])| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        serde_json::json!({ "name": name, "sha256": hex(&Sha256::digest(bytes)) })
    };
    let entry = serde_json::json!({
        "culet": env!("CARGO_PKG_VERSION"),
        "image": file(subject.image),
        "specification": file(subject.specification),
        "options": subject.options.map(Options::arguments),
        "compiled_by": subject.compiled_by,
        "proved": proofs.iter().all(|proof| proof.outcome.is_ok()),
        "functions": proofs.iter().map(|proof| json(proof, meaning)).collect::<Vec<_>>(),
    });
    let path = directory.join(format!("{}.json", subject.stem));
    let text = format!("{entry:#}\n");
    super::make_directory(directory, output)?;
    output.write_files(&[(path.clone(), text.as_bytes())])?;
    Ok(path)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
