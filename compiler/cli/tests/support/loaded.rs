//! Shared objects that tests change by hand.
#![allow(dead_code)] // Each test uses a part of it.

use std::path::Path;

use super::proving::compile;
use super::{code, culet, directory, stderr, stdout, text, write};

/// `void f(uint64_t *out, const uint64_t *a)` adds seven to a word.
pub const CONTRACT: &str = "symbol = \"f\"\nequation = \"out = a + 7 mod 2^64\"\n\
                        [[argument]]\nname = \"out\"\ndirection = \"out\"\nlimbs = 1\nradix = 64\n\
                        [[argument]]\nname = \"a\"\ndirection = \"in\"\nlimbs = 1\nradix = 64\n";

/// `f` adds `ADDED`; `good`, which is not visible to other files, adds seven.
pub const C: &str = "#include <stdint.h>\n#include <string.h>\n\
                 __attribute__((noinline)) static void good(uint64_t *out, const uint64_t *a) { *out = *a + 7; }\n\
                 void f(uint64_t *out, const uint64_t *a) { *out = *a + ADDED; }\n\
                 void g(uint64_t *out, const uint64_t *a) { good(out, a); *out += 1; }\n\
                 const uint8_t room[2048] = {1};\n";

/// `f` is right if `memcpy` is the function of the C standard.
pub const COPY: &str = "#include <stdint.h>\n#include <string.h>\n\
                    void *evil(uint64_t *out, const uint64_t *a, size_t n) { *out = *a + n; return out; }\n\
                    void f(uint64_t *out, const uint64_t *a) { uint64_t b[20]; memcpy(b, a, 8); memset(b + 1, 7, 152); *out = b[0] + (b[9] & 7); }\n\
                    const uint8_t room[2048] = {1};\n\
                    uint64_t variable = 1; uint64_t *pointer = &variable;\n";

pub const PT_LOAD: u64 = 1;
pub const PT_DYNAMIC: u64 = 2;
pub const PT_INTERP: u64 = 3;
pub const PT_GNU_RELRO: u64 = 0x6474_e552;
pub const PT_GNU_STACK: u64 = 0x6474_e551;
pub const SHT_SYMTAB: u64 = 2;
pub const SHT_DYNSYM: u64 = 11;
pub const DT_NULL: u64 = 0;
pub const DT_PLTRELSZ: u64 = 2;
pub const DT_PLTGOT: u64 = 3;
pub const DT_HASH: u64 = 4;
pub const DT_SYMTAB: u64 = 6;
pub const DT_RELA: u64 = 7;
pub const DT_RELASZ: u64 = 8;
pub const DT_STRTAB: u64 = 5;
pub const DT_STRSZ: u64 = 10;
pub const DT_SYMENT: u64 = 11;
pub const DT_RELAENT: u64 = 9;
pub const DT_PLTREL: u64 = 20;
pub const DT_JMPREL: u64 = 23;
pub const DT_RELRSZ: u64 = 35;
pub const DT_RELRENT: u64 = 37;
pub const DT_RELR: u64 = 36;
pub const DT_GNU_HASH: u64 = 0x6fff_fef5;
pub const DT_VERSYM: u64 = 0x6fff_fff0;
pub const DT_VERNEED: u64 = 0x6fff_fffe;
pub const DT_RELACOUNT: u64 = 0x6fff_fff9;
pub const GLOB_DAT: u64 = 6;
pub const RELATIVE: u64 = 8;

/// An ELF file that tests change by hand. Places are offsets of bytes in it.
#[derive(Clone)]
pub struct Elf(pub Vec<u8>);

impl Elf {
    pub fn linked(c: &str, flags: &[&str]) -> Elf {
        let directory = directory();
        write(directory.path(), "f.c", c);
        let link = ["-O1", "-shared", "-fPIC", "-fno-builtin", "-Wl,--hash-style=gnu", "f.c", "-o", "f.so"];
        compile("gcc-12", &[], directory.path(), &[&link, flags].concat());
        Elf(std::fs::read(directory.path().join("f.so")).expect("a shared object"))
    }

    pub fn get(&self, at: usize, length: usize) -> u64 {
        self.0[at..at + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    pub fn set(&mut self, at: usize, length: usize, value: u64) {
        self.0[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
    }

    pub fn word(&self, at: usize) -> u64 {
        self.get(at, 8)
    }

    pub fn program_headers(&self, p_type: u64) -> Vec<usize> {
        let (start, count) = (self.word(32) as usize, self.get(56, 2) as usize);
        (0..count).map(|index| start + 56 * index).filter(|&header| self.get(header, 4) == p_type).collect()
    }

    pub fn section(&self, sh_type: u64) -> usize {
        let (start, count) = (self.word(40) as usize, self.get(60, 2) as usize);
        let mut headers = (0..count).map(|index| start + 64 * index);
        headers.find(|&header| self.get(header + 4, 4) == sh_type).expect("a section")
    }

    /// The file offset of the byte at an address.
    pub fn place(&self, address: u64) -> usize {
        let headers = self.program_headers(PT_LOAD);
        let mut distances = headers.iter().map(|&header| {
            (self.word(header + 8), address.wrapping_sub(self.word(header + 16)), self.word(header + 32))
        });
        let (offset, distance, _) = distances.find(|&(_, distance, bytes)| distance < bytes).expect("a segment");
        (offset + distance) as usize
    }

    /// The offset of an entry of the dynamic section.
    pub fn entry(&self, tag: u64) -> usize {
        let start = self.word(self.program_headers(PT_DYNAMIC)[0] + 8) as usize;
        (0..64).map(|index| start + 16 * index).find(|&at| self.word(at) == tag).expect("an entry")
    }

    pub fn value(&self, tag: u64) -> u64 {
        self.word(self.entry(tag) + 8)
    }

    /// The index of a symbol in a table, and its offset.
    pub fn symbol(&self, sh_type: u64, name: &str) -> (u64, usize) {
        let header = self.section(sh_type);
        let (start, size) = (self.word(header + 24) as usize, self.word(header + 32));
        let names = self.word(self.word(40) as usize + 64 * self.get(header + 40, 4) as usize + 24) as usize;
        let is_name = |&(_, at): &(u64, usize)| {
            self.0[names + self.get(at, 4) as usize..].strip_prefix(name.as_bytes()).is_some_and(|rest| rest[0] == 0)
        };
        let mut symbols = (0..size / 24).map(|index| (index, start + 24 * index as usize));
        symbols.find(is_name).expect("a symbol")
    }

    /// Gives a symbol of a table the address and size of another symbol, from the table for debuggers.
    pub fn rename(&mut self, sh_type: u64, name: &str, other: &str) {
        let (to, from) = (self.symbol(sh_type, name).1, self.symbol(SHT_SYMTAB, other).1);
        self.0.copy_within(from + 8..from + 24, to + 8);
    }

    /// The offset of a symbol's relocation.
    pub fn relocation(&self, name: &str) -> usize {
        let symbol = self.symbol(SHT_DYNSYM, name).0;
        let tables = [(DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)];
        let mut all = tables.iter().flat_map(|&(start, size)| {
            let start = self.place(self.value(start));
            (0..self.value(size) as usize / 24).map(move |index| start + 24 * index)
        });
        all.find(|&at| self.get(at + 12, 4) == symbol).expect("a relocation")
    }

    pub fn room(&self) -> u64 {
        self.word(self.symbol(SHT_SYMTAB, "room").1 + 8)
    }

    pub fn said(&self) -> (i32, String) {
        let directory = directory();
        said(&write(directory.path(), "f.so", &self.0))
    }

    pub fn proved(&self) {
        let (code, said) = self.said();
        assert!(code == 0 && said.contains("proved      f"), "{said}");
    }

    /// Asserts that it is not proved, for a reason that contains these words.
    pub fn refused(&self, words: &str) {
        let (code, said) = self.said();
        assert!(code == 1 && said.contains(words), "{words}: {said}");
    }

    pub fn changed(&self, change: impl FnOnce(&mut Elf)) -> Elf {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }
}

pub fn said(file: &Path) -> (i32, String) {
    let directory = directory();
    let contract = write(directory.path(), "f.toml", CONTRACT);
    let output = culet(&["prove", text(file), "--contract", text(&contract)]);
    (code(&output), stdout(&output) + &stderr(&output))
}

pub const BINDINGS: [&[&str]; 4] = [
    &["-Wl,-z,lazy"],
    &["-Wl,-z,now"],
    &["-Wl,-z,lazy", "-Wl,-z,ibtplt"],
    &["-fno-plt", "-Wl,-z,pack-relative-relocs"],
];
pub const NOT_CERTAIN: &str = "which the loader may take from another file";

pub const SEVERAL: &str = "stands for several functions";
