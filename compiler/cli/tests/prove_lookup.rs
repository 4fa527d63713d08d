//! Names for which loaders find nothing in a shared object, or something else than its symbols seem to say, and
//! functions that are not the C library's. The proof is about the code that runs in a program that loads the object.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::loaded::*;

/// A name leads through the loader's hash table to one symbol that the loader accepts.
#[test]
fn names_lead_to_what_loaders_find() {
    const NOT_FOUND: &str = "no loader finds that name";
    let c = &format!("{C}void *h(void *to, void *from) {{ return memcpy(to, from, 8); }}\n");
    let gnu = Elf::linked(c, &["-DADDED=7"]);
    let both = Elf::linked(c, &["-DADDED=7", "-Wl,--hash-style=both"]);
    for right in [&gnu, &both, &Elf::linked(c, &["-DADDED=7", "-Wl,--hash-style=sysv"])] {
        right.proved();
        let (index, symbol) = right.symbol(SHT_DYNSYM, "f");
        // Kinds, bindings, visibilities, a value of zero, and versions that no loader accepts for a name; and one
        // binding that all files share.
        for (at, length, value, words) in [
            (4, 1, 0x13, NOT_FOUND),
            (4, 1, 0xd2, NOT_FOUND),
            (4, 1, 0xa2, "chosen when the program is loaded"),
            (5, 1, 1, NOT_FOUND),
            (5, 1, 2, NOT_FOUND),
            (8, 8, 0, NOT_FOUND),
        ] {
            right.changed(|elf| elf.set(symbol + at, length, value)).refused(words);
        }
        let version = right.place(right.value(DT_VERSYM)) + 2 * index as usize;
        for hidden in [0, 0x8001, 0x8002] {
            right.changed(|elf| elf.set(version, 2, hidden)).refused(NOT_FOUND);
        }
        // Two symbols of one name at one place, and an undefined symbol that has a value.
        let other = right.symbol(SHT_DYNSYM, "g").1;
        let twice = right.changed(|elf| elf.0.copy_within(symbol..symbol + 24, other));
        twice.refused(SEVERAL);
        for (at, info) in [(symbol, 0x1a), (other, 0x1a)] {
            twice.changed(|elf| elf.set(at + 4, 1, info)).refused(SEVERAL);
        }
        twice.changed(|elf| elf.set(other + 6, 2, 0)).refused("is another file's and has an address in this one");
    }
    // The Bloom filter, the hash, and the bucket.
    for right in [&gnu, &both] {
        let table = right.place(right.value(DT_GNU_HASH));
        let [buckets, first, words] = [0, 4, 8].map(|at| right.get(table + at, 4) as usize);
        let start = table + 16 + 8 * words;
        let index = right.symbol(SHT_DYNSYM, "f").0 as usize;
        let hash = start + 4 * (buckets + index - first);
        right.changed(|elf| elf.0[table + 16..start].fill(0)).refused(NOT_FOUND);
        right.changed(|elf| elf.set(hash, 4, elf.get(hash, 4) ^ 2)).refused(NOT_FOUND);
        right.changed(|elf| elf.0[start..start + 4 * buckets].fill(0)).refused(NOT_FOUND);
        for (at, value) in [(8, 0), (8, 3), (12, 32)] {
            right.changed(|elf| elf.set(table + at, 4, value)).refused("a filter that loaders do not read");
        }
    }
    let table = both.place(both.value(DT_HASH));
    let buckets = both.get(table, 4) as usize;
    both.changed(|elf| elf.0[table + 8..table + 8 + 4 * buckets].fill(0)).refused(NOT_FOUND);
    let round = both.changed(|elf| {
        for index in 1..elf.get(table + 4, 4) {
            let at = table + 8 + 4 * (buckets + index as usize);
            elf.set(at, 4, index);
        }
    });
    round.refused("in circles");
}

/// A version may belong to another library.
#[test]
fn functions_of_the_c_library_are_of_its_versions() {
    for flags in BINDINGS {
        let right = Elf::linked(COPY, flags);
        let needed = right.place(right.value(DT_VERNEED));
        let version = right.place(right.value(DT_VERSYM)) + 2 * right.symbol(SHT_DYNSYM, "memcpy").0 as usize;
        let entry = needed + right.get(needed + 8, 4) as usize;
        right.changed(|elf| elf.set(version, 2, 1)).proved();
        right.changed(|elf| elf.set(version, 2, 9)).refused(NOT_CERTAIN);
        // Another file's name, versions that may be absent, and a version number that matches no symbol.
        right.changed(|elf| elf.set(needed + 4, 4, elf.get(needed + 4, 4) + 1)).refused(NOT_CERTAIN);
        let needs = |change: &dyn Fn(&mut Elf, usize)| {
            right.changed(|elf| {
                let (mut at, mut distance) = (entry, 1);
                while distance != 0 {
                    change(elf, at);
                    distance = elf.get(at + 12, 4) as usize;
                    at += distance;
                }
            })
        };
        needs(&|elf, at| elf.set(at + 4, 2, 2)).refused(NOT_CERTAIN);
        needs(&|elf, at| elf.set(at + 6, 2, 7)).refused(NOT_CERTAIN);
    }
}

/// Loaders map all bytes that a segment has in the file, even if its size in memory is zero.
#[test]
fn segments_take_no_less_memory_than_in_the_file() {
    let right = Elf::linked(C, &["-DADDED=7"]);
    let (code, spare) = (right.program_headers(PT_LOAD)[1], right.program_headers(PT_GNU_STACK)[0]);
    // Program headers are sorted by address.
    let put = |file_size: u64| {
        right.changed(|elf| {
            elf.0.copy_within(code + 56..spare, code + 112);
            elf.0.copy_within(code..code + 56, code + 56);
            elf.set(code + 56 + 32, 8, file_size);
            elf.set(code + 56 + 40, 8, 0);
        })
    };
    put(right.word(code + 32)).refused("shares a page");
    put(0).refused("shares a page");
    right.changed(|elf| elf.set(code + 40, 8, 0)).refused("more bytes in the file");
}

/// Symbols that share the bytes of one name, chains that all lead over all symbols, and lists that overlap are read in
/// time that is linear in the length of the file.
#[test]
fn tables_that_lead_over_the_same_bytes_again_and_again_are_refused() {
    const AGAIN: &str = "over the same bytes again and again";
    let names = (0..2000).map(|n| format!(".globl g{n}\\n.type g{n}, @function\\ng{n}:\\n")).collect::<String>();
    let long = format!(".globl {0}\\n{0}:\\n", "long".repeat(20_000));
    let copy = "void *h(void *to, void *from) { return memcpy(to, from, 8); }\n";
    let c = format!("{C}{copy}__asm__(\"{names}{long} ret\\n\");\nconst uint8_t large[8192] = {{1}};\n");
    let right = Elf::linked(&c, &["-DADDED=7", "-Wl,--hash-style=sysv"]);
    right.proved();
    let one_bucket = right.changed(|elf| {
        let table = elf.place(elf.value(DT_HASH));
        let count = elf.get(table + 4, 4);
        elf.set(table, 4, 1);
        for index in 0..=count {
            let next = if index == 1 || index == count { 0 } else { index.max(1) };
            elf.set(table + 8 + 4 * index as usize, 4, next);
        }
    });
    one_bucket.refused(AGAIN);
    for table in [SHT_SYMTAB, SHT_DYNSYM] {
        let shared = right.changed(|elf| {
            let name = elf.get(elf.symbol(table, &"long".repeat(20_000)).1, 4);
            for index in 0..1000 {
                let at = elf.symbol(table, &format!("g{index}")).1;
                elf.set(at, 4, name);
            }
        });
        shared.refused(AGAIN);
    }
    let overlapping = right.changed(|elf| {
        let address = elf.word(elf.symbol(SHT_SYMTAB, "large").1 + 8);
        let table = elf.place(address);
        for index in 0..512 {
            let distance = if index < 511 { 16 } else { 0 };
            for (at, value) in [(0, 1), (4, 0), (8, distance), (12, distance)] {
                elf.set(table + 16 * index + at, 4, value);
            }
        }
        let entry = elf.entry(DT_VERNEED) + 8;
        elf.set(entry, 8, address);
    });
    overlapping.refused("more than 32768 versions");
}
