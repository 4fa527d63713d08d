//! Shared objects that tell loaders one thing and readers of section headers another, or that loaders change. The proof
//! is about the code that runs in a program that loads them.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::loaded::*;
use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// By a name, callers reach the function that the loader finds. The table for debuggers does not count.
#[test]
fn functions_are_those_that_the_loader_finds() {
    let wrong = Elf::linked(C, &["-DADDED=8"]);
    let right = Elf::linked(C, &["-DADDED=7"]);
    right.proved();
    wrong.refused("out = a + 7 mod 2^64");
    type Change = fn(&mut Elf);
    // Section headers that hide the dynamic symbols, end before the function, point elsewhere, or are missing.
    let hidden: Change = |elf| {
        let at = elf.section(SHT_DYNSYM) + 4;
        elf.set(at, 4, 1);
    };
    let cut: Change = |elf| {
        let at = elf.section(SHT_DYNSYM) + 32;
        elf.set(at, 8, 24);
    };
    let moved: Change = |elf| {
        let at = elf.section(SHT_DYNSYM) + 24;
        elf.set(at, 8, 64);
    };
    let missing: Change = |elf| {
        elf.set(40, 8, 0);
        elf.set(60, 4, 0);
    };
    for lie in [hidden, cut, moved] {
        right.changed(lie).proved();
        wrong.changed(lie).refused("out = a + 7 mod 2^64");
        wrong.changed(|elf| elf.rename(SHT_SYMTAB, "f", "good")).changed(lie).refused(SEVERAL);
    }
    right.changed(missing).proved();
    wrong.changed(missing).refused("out = a + 7 mod 2^64");
    // A name that only debuggers find, and a local one.
    let unnamed = |elf: &mut Elf| {
        let at = elf.symbol(SHT_DYNSYM, "f").1;
        elf.0.copy_within(at + 25..at + 28, at + 1);
        elf.set(at, 4, 0);
    };
    right.changed(unnamed).refused("no loader finds that name");
    let local = |elf: &mut Elf| {
        elf.rename(SHT_SYMTAB, "f", "good");
        let at = elf.symbol(SHT_SYMTAB, "f").1 + 4;
        elf.set(at, 1, 2);
    };
    wrong.changed(local).refused("out = a + 7 mod 2^64");
    // An address that does not move with the file, and one name for two places.
    let absolute = |elf: &mut Elf| {
        let at = elf.symbol(SHT_DYNSYM, "f").1 + 6;
        elf.set(at, 2, 0xfff1);
    };
    right.changed(absolute).refused("does not move with the file");
    let twice = |elf: &mut Elf| {
        let (f, room) = (elf.symbol(SHT_DYNSYM, "f").1, elf.symbol(SHT_DYNSYM, "room").1);
        elf.0.copy_within(f..f + 4, room);
    };
    right.changed(twice).refused(SEVERAL);
}

/// Functions that only their own file calls can be proved, too, as can those of programs.
#[test]
fn functions_that_no_loader_finds_are_proved() {
    let c = C
        .replace("void f(", "static void f(")
        .replace("good(out", "f(out")
        .replace("static void f", "__attribute__((noinline)) static void f");
    Elf::linked(&c, &["-DADDED=7"]).proved();
    let directory = directory();
    write(directory.path(), "f.c", format!("{C}int main(void) {{ return 0; }}\n"));
    let shapes =
        [&["-pie"][..], &["-no-pie"], &["-static"], &["-static-pie"], &["-rdynamic"], &["-fuse-ld=gold", "-pie"]];
    for (compiler, flags) in
        ["gcc-12", "clang-19"].into_iter().flat_map(|compiler| shapes.map(|flags| (compiler, flags)))
    {
        compile(compiler, &["-DADDED=7"], directory.path(), &[&["-O1", "f.c", "-o", "f"], flags].concat());
        let (code, said) = said(&directory.path().join("f"));
        assert!(code == 0 && said.contains("proved      f"), "{compiler} {flags:?}: {said}");
    }
    // Without a loader, nobody fills in the addresses of the functions that it calls.
    write(directory.path(), "copy.c", format!("{COPY}int main(void) {{ return 0; }}\n"));
    for flags in BINDINGS {
        for kind in ["-pie", "-no-pie"] {
            let file = directory.path().join("copy");
            compile(
                "gcc-12",
                &["-O1", "-fno-builtin", kind],
                directory.path(),
                &[&["copy.c", "-o", "copy"], flags].concat(),
            );
            let right = Elf(std::fs::read(&file).expect("a program"));
            right.proved();
            let alone = right.changed(|elf| {
                let header = elf.program_headers(PT_INTERP)[0];
                elf.set(header, 4, 0);
            });
            alone.refused("what the loader or the program may change");
        }
    }
    // A shared object that can also be started is no program to those that load it.
    let interpreter =
        "const char interpreter[] __attribute__((section(\".interp\"))) = \"/lib64/ld-linux-x86-64.so.2\";\n";
    let right = Elf::linked(&format!("{C}{interpreter}"), &["-DADDED=7"]);
    assert_eq!(right.program_headers(PT_INTERP).len(), 1);
    right.proved();
    let unnamed = right.changed(|elf| {
        let at = elf.symbol(SHT_DYNSYM, "f").1;
        elf.set(at, 4, 0);
    });
    unnamed.refused("no loader finds that name");
}

/// Some loaders take the first of two equal tags, some the last; and loaders read memory, not the file.
#[test]
fn dynamic_sections_are_what_is_in_memory() {
    let wrong = Elf::linked(C, &["-DADDED=8"]);
    let right = Elf::linked(C, &["-DADDED=7"]);
    // The true symbols are in `room`; both tables that section headers point to are wrong.
    let lie = |elf: &mut Elf| {
        let (from, to) = (elf.place(elf.value(DT_SYMTAB)), elf.place(elf.room()));
        elf.0.copy_within(from..from + 24 * 20, to);
        elf.rename(SHT_SYMTAB, "f", "good");
        elf.rename(SHT_DYNSYM, "f", "good");
    };
    wrong.changed(lie).proved();
    let second = |elf: &mut Elf| {
        let (at, room) = (elf.entry(DT_RELACOUNT), elf.room());
        elf.set(at, 8, DT_SYMTAB);
        elf.set(at + 8, 8, room);
    };
    wrong.changed(lie).changed(second).refused("the tag 0x6 twice");
    let elsewhere = |elf: &mut Elf| {
        let header = elf.program_headers(PT_DYNAMIC)[0];
        let (offset, size) = (elf.word(header + 8) as usize, elf.word(header + 32) as usize);
        let (entry, room, end) = (elf.entry(DT_SYMTAB), elf.room(), elf.0.len() as u64);
        elf.0.extend_from_within(offset..offset + size);
        elf.set(entry + 8, 8, room);
        elf.set(header + 8, 8, end);
    };
    wrong.changed(lie).changed(elsewhere).refused(SEVERAL);
    let two = |elf: &mut Elf| {
        let (from, to) = (elf.program_headers(PT_DYNAMIC)[0], elf.program_headers(PT_GNU_STACK)[0]);
        elf.0.copy_within(from..from + 56, to);
    };
    right.changed(two).refused("two dynamic sections");
    let endless = |elf: &mut Elf| {
        let header = elf.program_headers(PT_DYNAMIC)[0];
        elf.set(header + 16, 8, 1 << 40);
    };
    right.changed(endless).refused("are in no segment");
    for (tag, to, words) in [
        (DT_SYMENT, (DT_SYMENT, 32), "not 24"),
        (DT_RELAENT, (DT_RELAENT, 48), "not 24"),
        (DT_GNU_HASH, (DT_SYMENT, 24), "twice"),
        (DT_GNU_HASH, (0x1000, 0), "by what the loader finds symbols"),
        (DT_RELACOUNT, (17, 0), "only some loaders"),
        (DT_RELACOUNT, (0x6000_000f, 0), "only some loaders"),
        (DT_RELACOUNT, (DT_RELACOUNT, 4), "the first relocations are others"),
        (DT_RELACOUNT, (0x7fff_ffff, 0), "another file first"),
        (DT_RELACOUNT, (0xffff_fffd, 0), "another file first"),
        (DT_RELACOUNT, (1 << 32 | 6, 0), "the tag 0x100000006"),
        (DT_RELACOUNT, (0x7000_0000, 0), "nomark-plt"),
    ] {
        let changed = right.changed(|elf| {
            let at = elf.entry(tag);
            elf.set(at, 8, to.0);
            elf.set(at + 8, 8, to.1);
        });
        changed.refused(words);
    }
    // Chains that lead to a number that is no symbol of the table, or to a symbol that is not counted. The changed word
    // is after the head, and in GNU's table one word later.
    let plain = Elf::linked(C, &["-DADDED=7", "-Wl,--hash-style=sysv"]);
    plain.proved();
    for (elf, tag, distance, value) in
        [(&plain, DT_HASH, 8, 1000), (&plain, DT_HASH, 4, 1), (&right, DT_GNU_HASH, 24, 1)]
    {
        let table = elf.place(elf.value(tag)) + distance;
        elf.changed(|elf| elf.set(table, 4, value)).refused("lead to none");
    }
    right.changed(|elf| elf.set(56, 2, 0xffff)).refused("program headers");
    right.changed(|elf| elf.set(5, 1, 2)).refused("the highest byte first");
}

/// Bytes that are filled in twice hold the last value, or the sum.
#[test]
fn bytes_that_loaders_fill_in_twice_are_refused() {
    for flags in BINDINGS {
        let right = Elf::linked(COPY, flags);
        right.proved();
        let (slot, spare) = (right.word(right.relocation("memcpy")), right.relocation("variable"));
        let evil = right.symbol(SHT_DYNSYM, "evil").0;
        let fills = |place: u64, r_type: u64| {
            right.changed(|elf| {
                elf.set(spare, 8, place);
                elf.set(spare + 8, 8, evil << 32 | r_type);
            })
        };
        for r_type in [1, GLOB_DAT, RELATIVE] {
            fills(slot, r_type).refused("twice");
        }
        fills(slot - 4, 1).refused("twice");
        fills(slot + 4, 10).refused("twice");
        fills(slot, 99).refused("no relocation of type 99");
        fills(right.word(right.symbol(SHT_SYMTAB, "f").1 + 8), 1).refused("may not be written");
        let header = right.program_headers(PT_DYNAMIC)[0];
        let entry = right.entry(DT_SYMTAB) as u64 - right.word(header + 8) + right.word(header + 16);
        fills(entry + 8, 1).refused("by which it goes");
        // A packed table of relocations fills in one place again.
        if flags.len() == 1 {
            fills(right.value(DT_PLTGOT) + 16, 1).refused("twice");
            for words in [&[slot][..], &[slot - 16, 0b101]] {
                let packed = right.changed(|elf| {
                    let room = elf.room();
                    for (tag, value) in [(DT_RELR, room), (DT_RELRSZ, 8 * words.len() as u64), (DT_RELRENT, 8)] {
                        let at = elf.entry(DT_NULL);
                        elf.set(at, 8, tag);
                        elf.set(at + 8, 8, value);
                    }
                    for (at, &word) in (elf.place(room)..).step_by(8).zip(words) {
                        elf.set(at, 8, word);
                    }
                });
                packed.refused("twice");
            }
        }
    }
}

/// Loaders need some tags together, or fail. With one of them missing, one loader may apply relocations that another
/// leaves out.
#[test]
fn tags_that_belong_together_are_all_there() {
    const OTHER: u64 = 0x6fff_fef0;
    let right = Elf::linked(COPY, &["-Wl,-z,lazy"]);
    let packed = Elf::linked(COPY, BINDINGS[3]);
    right.proved();
    let without = |elf: &Elf, tag: u64, other: u64| elf.changed(|elf| elf.set(elf.entry(tag), 8, other));
    for tag in
        [DT_RELA, DT_RELASZ, DT_RELAENT, DT_JMPREL, DT_PLTREL, DT_PLTRELSZ, DT_SYMTAB, DT_SYMENT, DT_STRTAB, DT_STRSZ]
    {
        without(&right, tag, OTHER).refused("without the tag");
    }
    for tag in [DT_RELR, DT_RELRSZ, DT_RELRENT] {
        without(&packed, tag, OTHER).refused("without the tag");
    }
    packed.changed(|elf| elf.set(elf.entry(DT_RELRSZ) + 8, 8, 12)).refused("take 12 bytes");
    without(&right, DT_VERSYM, OTHER).refused("not of which symbols");
    for auditor in [0x6fff_fefb, 0x6fff_fefc] {
        without(&right, DT_RELACOUNT, auditor).refused("another file may change what the loader finds");
    }
}

/// A slot that is filled in at the first call holds one address before that call and another after it, so that code may
/// only jump through it.
#[test]
fn slots_change_with_the_first_call() {
    let c = "#include <stdint.h>\n#include <string.h>\n\
             void f(uint64_t *out, const uint64_t *a) {\n\
             uint64_t before, after; __asm__ volatile(READ : \"=r\"(before)); memcpy(out, a, 8); __asm__ volatile(READ : \"=r\"(after));\n\
             *out += 7 + before - after; }\n";
    for read in ["mov _GLOBAL_OFFSET_TABLE_+24(%%rip), %0", "lea _GLOBAL_OFFSET_TABLE_+16(%%rip), %0\\n mov 8(%0), %0"]
    {
        let linked = |flag: &str| Elf::linked(c, &[&format!("-DREAD=\"{read}\""), flag]);
        linked("-Wl,-z,now").proved();
        linked("-Wl,-z,lazy").refused("changes with the first call of `memcpy`");
    }
}

/// Memory that loaders make read-only after relocation cannot be filled in later, and cannot be executed.
#[test]
fn memory_that_is_read_only_in_the_end() {
    for flags in BINDINGS {
        let right = Elf::linked(COPY, flags);
        let header = right.program_headers(PT_GNU_RELRO)[0];
        let (start, size) = (right.word(header + 16), right.word(header + 40));
        let slot = right.word(right.relocation("memcpy"));
        let up_to = |end: u64| right.changed(|elf| elf.set(header + 40, 8, end - start));
        for changed in [up_to(slot - 7), up_to(slot + 8), up_to((slot | 4095) + 1)] {
            match slot >= start + size && flags.contains(&"-Wl,-z,lazy") {
                true => changed.refused("until its first call, `memcpy`"),
                false => changed.proved(),
            }
        }
        let code = right.program_headers(PT_LOAD)[1];
        let executed = right.changed(|elf| elf.0.copy_within(code + 8..code + 48, header + 8));
        executed.refused("takes the right to execute from code");
        let two = right.changed(|elf| {
            let stack = elf.program_headers(PT_GNU_STACK)[0];
            elf.0.copy_within(header..header + 56, stack);
        });
        two.refused("read-only in the end");
    }
}

/// Segments, and sections of objects, may share the same bytes of a file. Each of them would take memory.
#[test]
fn parts_that_are_the_same_bytes_are_refused() {
    const AGAIN: &str = "the same bytes again and again";
    const SHT_PROGBITS: u64 = 1;
    // A program that consists of its headers only.
    let count = 100;
    let mut program = Elf(vec![0; 64 + 56 * count]);
    program.0[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0");
    for (at, length, value) in [(20, 4, 1), (32, 8, 64), (52, 2, 64), (54, 2, 56), (56, 2, count as u64), (58, 2, 64)] {
        program.set(at, length, value);
    }
    for index in 0..count {
        let (at, size) = (64 + 56 * index, program.0.len() as u64);
        for (at, value) in [(at + 16, 0x2000 * index as u64), (at + 32, size), (at + 40, size), (at + 48, 4096)] {
            program.set(at, 8, value);
        }
        program.set(at, 4, PT_LOAD);
        program.set(at + 4, 4, 4);
    }
    program.refused(AGAIN);
    let directory = directory();
    let sections = (0..100).map(|n| format!(".section .s{n}, \"a\"\n.byte {n}\n")).collect::<String>();
    write(directory.path(), "f.s", sections);
    compile("gcc-12", &[], directory.path(), &["-c", "f.s", "-o", "f.o"]);
    let mut object = Elf(std::fs::read(directory.path().join("f.o")).expect("an object"));
    let (start, count, size) = (object.word(40) as usize, object.get(60, 2) as usize, object.0.len() as u64);
    for header in (0..count).map(|index| start + 64 * index) {
        if object.get(header + 4, 4) == SHT_PROGBITS && object.word(header + 8) == 2 {
            object.set(header + 24, 8, 0);
            object.set(header + 32, 8, size);
        }
    }
    object.refused(AGAIN);
}

/// The prover makes up addresses for other files' functions. No file may use these addresses itself.
#[test]
fn files_have_no_addresses_that_are_made_up() {
    let made_up = 0xffff_8000_0000_0000;
    let right = Elf::linked(COPY, &[]);
    for address in [made_up, made_up + 16, 1 << 40] {
        let elsewhere = right.changed(|elf| {
            for table in [SHT_SYMTAB, SHT_DYNSYM] {
                let at = elf.symbol(table, "f").1 + 8;
                elf.set(at, 8, address);
            }
        });
        elsewhere.refused("in no segment of the file");
    }
    for start in [made_up, made_up - 0x2000, 1 << 56] {
        Elf::linked(COPY, &[&format!("-Wl,-Ttext-segment={start:#x}")]).refused("addresses that no program has");
    }
}

/// A slot holds the address of another file's function only if the loader looks the function up in other files.
#[test]
fn functions_of_this_file_are_not_taken_for_those_of_others() {
    for flags in BINDINGS {
        let right = Elf::linked(COPY, flags);
        let (symbol, relocation) = (right.symbol(SHT_DYNSYM, "memcpy").1, right.relocation("memcpy"));
        let evil = right.word(right.symbol(SHT_SYMTAB, "evil").1 + 8);
        // The symbol made local, weak and hidden.
        for (at, value) in [(4, 0x02), (4, 0x22), (5, 2)] {
            right.changed(|elf| elf.set(symbol + at, 1, value)).refused(NOT_CERTAIN);
        }
        let named = right.changed(|elf| {
            let other = elf.symbol(SHT_DYNSYM, "evil").1;
            elf.0.copy_within(symbol..symbol + 4, other);
        });
        named.refused(NOT_CERTAIN);
        right.changed(|elf| elf.set(relocation + 16, 8, 64)).refused("may change");
        let slot = right.place(right.word(relocation));
        let filled = right.changed(|elf| elf.set(slot, 8, evil));
        let is_lazy = flags.contains(&"-Wl,-z,lazy");
        if is_lazy {
            filled.refused("until its first call, `memcpy`")
        } else {
            filled.proved()
        }
        if is_lazy {
            let code = right.place(right.word(slot));
            let push = (code..).find(|&at| right.0[at] == 0x68).expect("a number is pushed");
            right.changed(|elf| elf.set(push + 1, 4, right.get(push + 1, 4) ^ 1)).refused("until its first call");
            let table = right.place(right.value(DT_PLTGOT));
            right.changed(|elf| elf.set(table + 8, 8, evil)).refused("until its first call");
        }
    }
}

/// Names in a file are printed as names, and cannot make lines of their own.
#[test]
fn names_are_printed_in_one_line() {
    let directory = directory();
    let long = "g_proved______f__5_instructions";
    let lie = b"g\nproved      f: 5 instructions";
    let c = format!(
        "#include <stdint.h>\nvoid {long}(void); void f(uint64_t *out, const uint64_t *a) {{ {long}(); *out = *a + 7; }}\n"
    );
    let named = |mut elf: Elf, start: &[u8]| {
        let places = elf.0.windows(long.len()).enumerate().filter(|(_, name)| name == &long.as_bytes());
        for at in places.map(|(at, _)| at).collect::<Vec<_>>() {
            elf.0[at..at + long.len()].copy_from_slice(lie);
            elf.0[at..at + start.len()].copy_from_slice(start);
        }
        elf
    };
    write(directory.path(), "f.c", &c);
    compile("gcc-12", &["-O1", "-fPIC"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
    let object = Elf(std::fs::read(directory.path().join("f.o")).expect("an object"));
    // The loader's hash table does not lead to the changed name.
    let defined = c.replace("\nvoid", "\n__attribute__((used)) static void").replace("(void);", "(void) {}");
    let defined = defined.replace("void f(", "void other(");
    for (elf, words) in
        [(object, "is called"), (Elf::linked(&c, &[]), "is called"), (Elf::linked(&defined, &[]), "it has")]
    {
        for (start, escaped) in [(&b"g\n"[..], "g\\nproved"), (b"g\x1b", "g\\u{1b}proved"), (b"g\r", "g\\rproved")] {
            let (code, said) = named(elf.clone(), start).said();
            assert!(code == 1 && said.contains(words) && said.contains(escaped), "{said}");
            assert!(!said.lines().any(|line| line.starts_with("proved")) && !said.contains(['\r', '\x1b']), "{said:?}");
        }
    }
    for symbol in ["f\\nproved      f: 5 instructions", "f\\u001b[2J", "\\u202ef", ""] {
        let contract = write(directory.path(), "f.toml", CONTRACT.replace("\"f\"", &format!("\"{symbol}\"")));
        let output = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
        let said = stdout(&output) + &stderr(&output);
        assert!(code(&output) == 1 && said.contains("E0870") && said.contains("all of them are visible"), "{said}");
    }
}
