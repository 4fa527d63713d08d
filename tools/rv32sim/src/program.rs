//! Programs as linkers write them: ELF files for RV32 without an operating system.

use std::collections::BTreeMap;
use std::fmt;

use object::elf;
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol, SymbolKind};

/// A program: what memory holds at the start, and the functions with their names.
#[derive(Debug, Clone)]
pub struct Program {
    pub entry: u32,
    pub segments: Vec<Segment>,
    /// Functions by their addresses, sorted.
    pub functions: Vec<Symbol>,
    pub objects: BTreeMap<String, Symbol>,
}

/// Bytes at an address; what follows them in memory is zero.
#[derive(Debug, Clone)]
pub struct Segment {
    pub address: u32,
    pub bytes: Vec<u8>,
    pub is_executable: bool,
}

/// A name for a part of memory.
#[derive(Debug, Clone)]
pub struct Symbol {
    pub name: String,
    pub address: u32,
    /// In bytes; 0 if the file does not say.
    pub size: u32,
}

/// The reason why a file is no program for the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// The file is no ELF file of 32-bit words that start with their low byte, or it is damaged.
    Unreadable(String),
    /// The file is for another machine.
    OtherMachine(u16),
    /// The file is not linked.
    NotLinked,
    /// A segment of this size in bytes lies where there is no memory.
    Outside { address: u32, size: usize },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(reason) => write!(f, "this is no ELF file for a 32-bit machine: {reason}"),
            Self::OtherMachine(machine) => {
                write!(f, "the file is for ELF machine {machine}; RISC-V is {}", elf::EM_RISCV)
            }
            Self::NotLinked => f.write_str("the file is not linked: it is no executable"),
            Self::Outside { address, size } => write!(
                f,
                "{size} bytes at {address:#010x} are neither in flash ({:#x}) nor in RAM ({:#x}); `--ram` makes RAM larger",
                crate::memory::FLASH,
                crate::memory::RAM
            ),
        }
    }
}

impl std::error::Error for LoadError {}

impl Program {
    /// Reads an ELF file.
    ///
    /// # Errors
    ///
    /// The file is no linked program for RISC-V of 32 bits.
    pub fn read(file: &[u8]) -> Result<Self, LoadError> {
        let unreadable = |error: object::Error| LoadError::Unreadable(error.to_string());
        let file: ElfFile32<'_, LittleEndian> = ElfFile32::parse(file).map_err(unreadable)?;
        let (header, endian) = (file.elf_header(), file.endian());
        if header.e_machine(endian) != elf::EM_RISCV {
            return Err(LoadError::OtherMachine(header.e_machine(endian)));
        }
        if header.e_type(endian) != elf::ET_EXEC {
            return Err(LoadError::NotLinked);
        }
        let mut segments = Vec::new();
        for segment in file.elf_program_headers().iter().filter(|s| s.p_type(endian) == elf::PT_LOAD) {
            let bytes = segment
                .data(endian, file.data())
                .map_err(|()| LoadError::Unreadable("a segment is not in the file".to_owned()))?;
            let is_executable = segment.p_flags(endian) & elf::PF_X != 0;
            segments.push(Segment { address: segment.p_paddr(endian), bytes: bytes.to_vec(), is_executable });
        }
        let (mut functions, mut objects) = (Vec::new(), BTreeMap::new());
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            let [Ok(address), Ok(size)] = [symbol.address(), symbol.size()].map(u32::try_from) else { continue };
            let entry = Symbol { name: name.to_owned(), address, size };
            match symbol.kind() {
                SymbolKind::Text if !name.is_empty() => functions.push(entry),
                SymbolKind::Data => drop(objects.insert(name.to_owned(), entry)),
                _ => {}
            }
        }
        functions.sort_by_key(|function| function.address);
        functions.dedup_by_key(|function| function.address);
        Ok(Self { entry: header.e_entry(endian), segments, functions, objects })
    }

    /// The place in `functions` of the function that an address is in.
    #[must_use]
    pub fn function_at(&self, address: u32) -> Option<usize> {
        let place = self.functions.partition_point(|function| function.address <= address).checked_sub(1)?;
        (address < self.end(place)).then_some(place)
    }

    /// The address after the function at a place of `functions`, which ends before the next one begins, and with its segment at the latest.
    pub(crate) fn end(&self, place: usize) -> u32 {
        let function = &self.functions[place];
        let next = self.functions.get(place + 1).map_or(u32::MAX, |next| next.address);
        let offset = |segment: &Segment| function.address.wrapping_sub(segment.address) as usize;
        let own = self.segments.iter().find(|segment| offset(segment) < segment.bytes.len());
        let next = own.map_or(next, |own| next.min(own.address.saturating_add(own.bytes.len() as u32)));
        if function.size == 0 { next } else { function.address.saturating_add(function.size).min(next) }
    }

    /// The function of a name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Symbol> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The number of bytes of code, and of everything else that is not zero at the start.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize) {
        let of = |is_code| self.segments.iter().filter(|s| s.is_executable == is_code).map(|s| s.bytes.len()).sum();
        (of(true), of(false))
    }
}
