//! Records of the library's kernels in a program that they are linked into: where each is, and what it was made from.
//!
//! A record says what to prove. It is no evidence of anything: whoever writes a program can write any records.

use std::collections::BTreeMap;
use std::hint::black_box;

use super::{Function, Image, Meaning, printable};
use crate::segments::Access;

/// A kernel's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub address: u64,
    /// The address of the kernel; `None` if it is not known or not code.
    pub function: Option<u64>,
    /// The text about what the kernel was made from: version, program, options.
    pub made_by: String,
    /// The places in code that refer to the record, each by the address of the next instruction. A kernel does so once,
    /// and so does each copy that a compiler makes of it.
    pub references: Vec<u64>,
}

/// The first bytes of a record, each complemented, so that programs that look for records have none themselves.
const COMPLEMENT: [u8; 16] =
    [!b'c', !b'u', !b'l', !b'e', !b't', !b' ', !b'k', !b'e', !b'r', !b'n', !b'e', !b'l', !b' ', !b'v', !b'1', !0];
/// Offsets of a record's parts, in bytes.
const POINTER: u64 = 16;
const TEXT: u64 = 24;
/// Size of an instruction that takes an address relative to the next instruction, in bytes.
const LEA: usize = 7;
/// Maximum length of the text, in bytes.
const MAX_TEXT: usize = 1024;

impl Image {
    /// Returns the records in memory that the program does not change once it is loaded, in the order of their addresses.
    pub fn records(&self) -> Vec<Record> {
        // Otherwise the compiler would compute the mark, and leave it in this program.
        let magic = black_box(COMPLEMENT).map(|byte| !byte);
        let mut records = BTreeMap::new();
        for segment in &self.segments {
            let places = segment.bytes.windows(magic.len()).enumerate().filter(|(_, bytes)| *bytes == magic);
            for (offset, _) in places {
                let address = segment.address + offset as u64;
                let text = segment.bytes.get(offset + TEXT as usize..).unwrap_or_default();
                let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
                let made_by = printable(&text[..text.len().min(MAX_TEXT)]);
                let function = self.pointer(address + POINTER).filter(|&function| self.code(function).is_some());
                records.insert(address, Record { address, function, made_by, references: Vec::new() });
            }
        }
        self.add_references(&mut records);
        records.into_values().collect()
    }

    /// Gives a name to the function at an address. A function of that name is forgotten.
    pub fn name_function(&mut self, name: &str, address: u64) {
        self.functions.insert(name.to_owned(), Function { address, size: 0 });
    }

    /// The address that eight bytes of data hold.
    fn pointer(&self, address: u64) -> Option<u64> {
        if let Some(&own) = self.own.get(&address) {
            return Some(own);
        }
        if let Some((start, field)) = self.fields(address..address.saturating_add(8)).next() {
            return match &field.meaning {
                Meaning::Address(target) if start == address => Some(target.address),
                _ => None,
            };
        }
        let bytes = self.segment(address)?.bytes_from(address)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }

    /// Finds the instructions `lea register, [rip + distance]` that take the address of a record, and in a program that does
    /// not move also the four bytes of code that are the address.
    fn add_references(&self, records: &mut BTreeMap<u64, Record>) {
        let is_fixed = self.is_fixed();
        for segment in self.segments.iter().filter(|segment| segment.access == Access::Code) {
            for (end, bytes) in (LEA as u64..).zip(segment.bytes.windows(LEA)) {
                let &[prefix, opcode, operand, ref word @ ..] = bytes else { continue };
                let Ok(word) = word.try_into() else { continue };
                let next = segment.address + end;
                let relative = next.wrapping_add(i64::from(i32::from_le_bytes(word)) as u64);
                let absolute = u64::from(u32::from_le_bytes(word));
                // Prefix REX.W, and an operand relative to the next instruction (Intel's manual, volume 2, section 2.1.5). Without
                // these, the distance may be parts of two instructions by chance.
                let is_lea = matches!(prefix, 0x48 | 0x4c) && opcode == 0x8d && operand & 0xc7 == 0x05;
                if let Some(record) = records.get_mut(&relative).filter(|_| is_lea) {
                    record.references.push(next);
                } else if let Some(record) = records.get_mut(&absolute).filter(|_| is_fixed) {
                    record.references.push(next);
                }
            }
        }
    }
}
