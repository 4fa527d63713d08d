//! Descriptions of primitives: the TOML file next to a program that gives the purpose of its nodes and its known
//! answers. `primitives/README.md` documents the format.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use culet_types::program::Slicing;
use serde::Deserialize;

use crate::options::parse_slicing;

/// The contents of a description file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primitive {
    /// The primitive's usual name, e.g. `AES-128`.
    pub name: String,
    /// Path of the program, relative to the description.
    pub source: String,
    /// The publication that specifies it.
    pub specification: String,
    pub block: Option<Block>,
    pub stream: Option<StreamCipher>,
    pub slicing: Slicings,
    #[serde(default)]
    pub known_answer: Vec<KnownAnswer>,
    #[serde(default)]
    pub mode_answer: Vec<ModeAnswer>,
}

/// The nodes of a block cipher.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The node that encrypts. One parameter is the block; the other one, `const`, is the round keys. The result is a
    /// block.
    pub encrypt: String,
    /// The node that decrypts, with parameters and result as in [`Self::encrypt`]; none where only modes that never decrypt a
    /// block are used.
    pub decrypt: Option<String>,
    /// The node that maps the key to the round keys; none where the key is used as it is.
    pub key_schedule: Option<String>,
}

/// A stream cipher: block i of the stream is the node's result for the counter `first + i`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamCipher {
    pub node: String,
    /// Names of the node's parameters for key, nonce and counter.
    pub key: String,
    pub nonce: String,
    pub counter: String,
    /// The counter of the first block, if the user gives none.
    #[serde(default)]
    pub first: u64,
}

/// The slicings in which a primitive is meant to be compiled: `v`, `h`, `b`, with a word size (`v16`) if the program
/// leaves it open.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slicings {
    pub allowed: Vec<Sliced>,
}

/// A slicing, perhaps with a word size.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub struct Sliced(pub Slicing, pub Option<u32>);

/// A published vector: these inputs of a node give these outputs. Values are bytes in hexadecimal.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownAnswer {
    pub node: String,
    /// The publication that contains the vector.
    pub source: String,
    /// The key, from which the key schedule makes the node's round keys.
    pub key: Option<String>,
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    pub outputs: BTreeMap<String, String>,
}

/// A published vector of a message, which is encrypted and decrypted.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeAnswer {
    pub mode: AnswerMode,
    pub source: String,
    pub key: String,
    /// CTR only: the first counter block.
    pub initial_counter: Option<String>,
    /// Streams only.
    pub nonce: Option<String>,
    /// Streams only: the first block's counter.
    pub counter: Option<u64>,
    pub plain: String,
    pub cipher: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerMode {
    Ecb,
    Ctr,
    Stream,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimitiveError(pub String);

impl fmt::Display for PrimitiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PrimitiveError {}

/// The reason that a text is not a description, and the bytes of the text where it is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoDescription {
    pub reason: String,
    pub place: Range<usize>,
}

impl fmt::Display for NoDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NoDescription {}

impl Primitive {
    /// Reads a description.
    ///
    /// # Errors
    ///
    /// If a field is missing, unknown or of the wrong kind.
    pub fn parse(text: &str) -> Result<Primitive, NoDescription> {
        let primitive: Primitive = toml::from_str(text).map_err(|error| NoDescription {
            reason: culet_diag::in_words(error.message()),
            place: error.span().unwrap_or_default(),
        })?;
        let wrong = |reason: &str, table: &str| {
            let place = text.find(table).map_or(0..0, |at| at..at + table.len());
            Err(NoDescription { reason: reason.to_owned(), place })
        };
        if primitive.slicing.allowed.is_empty() {
            return wrong("`slicing.allowed` is empty: a primitive has at least one slicing", "[slicing]");
        }
        if primitive.block.is_some() && primitive.stream.is_some() {
            return wrong("a primitive is a [block] cipher or a [stream] cipher, not both", "[stream]");
        }
        Ok(primitive)
    }

    /// Whether a TOML text is meant to be a description: it has the table `slicing`, or answers, which no other TOML
    /// file has. A text that is no TOML counts as meant to be one.
    pub fn is_meant(text: &str) -> bool {
        let has_own_table = |table: toml::Table| {
            ["slicing", "known_answer", "mode_answer"].iter().any(|name| table.contains_key(*name))
        };
        toml::from_str(text).map_or(true, has_own_table)
    }

    /// The node that encrypts. `None` if the primitive is no cipher, which stands for the program's last definition.
    pub fn main_node(&self) -> Option<&str> {
        match (&self.block, &self.stream) {
            (Some(block), _) => Some(&block.encrypt),
            (None, Some(stream)) => Some(&stream.node),
            (None, None) => None,
        }
    }

    /// The counter of a stream's first block, if the user gives none.
    pub fn first_counter(&self) -> u64 {
        self.stream.as_ref().map_or(0, |stream| stream.first)
    }

    /// The allowed slicings with their word sizes.
    pub fn slicings(&self) -> Vec<(Slicing, Option<u32>)> {
        self.slicing.allowed.iter().map(|&Sliced(slicing, word)| (slicing, word)).collect()
    }
}

impl TryFrom<String> for Sliced {
    type Error = PrimitiveError;

    fn try_from(text: String) -> Result<Sliced, PrimitiveError> {
        let error = || PrimitiveError(format!("`{text}` is not a slicing: write v, h or b, then perhaps a word size"));
        let letter = text.get(..1).ok_or_else(error)?;
        let slicing = parse_slicing(letter).ok_or_else(error)?;
        match &text[1..] {
            "" => Ok(Sliced(slicing, None)),
            digits => match digits.parse() {
                Ok(word @ 1..=64) => Ok(Sliced(slicing, Some(word))),
                _ => Err(error()),
            },
        }
    }
}

/// Bytes from hexadecimal digits; white space between bytes is allowed.
pub fn parse_hex(text: &str) -> Result<Vec<u8>, PrimitiveError> {
    if text.trim_start().starts_with("0x") {
        return Err(PrimitiveError("bytes in hexadecimal have no `0x` in front".into()));
    }
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    if let Some(bad) = digits.iter().find(|b| !b.is_ascii_hexdigit()) {
        return Err(PrimitiveError(format!("`{}` is not a hexadecimal digit", char::from(*bad).escape_default())));
    }
    if !digits.len().is_multiple_of(2) {
        return Err(PrimitiveError(format!("an odd number of hexadecimal digits: {}", digits.len())));
    }
    let nibble = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
    Ok(digits.chunks(2).map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])).collect())
}

/// Lower-case hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_refuses() {
        assert_eq!(parse_hex("00 fF7a").unwrap(), [0, 0xff, 0x7a]);
        assert_eq!(to_hex(&[0, 0xff, 0x7a]), "00ff7a");
        assert!(parse_hex("0").is_err());
        assert!(parse_hex("0g").is_err());
        assert!(parse_hex("é").is_err());
    }

    #[test]
    fn slicings_are_read() {
        let read = |text: &str| Sliced::try_from(text.to_owned()).map(|Sliced(slicing, word)| (slicing, word));
        assert_eq!(read("h16"), Ok((Slicing::Horizontal, Some(16))));
        assert_eq!(read("b"), Ok((Slicing::Bitslice, None)));
        for wrong in ["", "x", "v0", "v65", "b-1", "ü8"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
