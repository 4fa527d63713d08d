//! Programs that the C library is linked into: glibc has several functions `memcpy` and `memset`, and chooses one of each when the program starts.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::loaded::*;
use support::proving::compile;
use support::{directory, write};

const MAIN: &str = "int main(void) { return 0; }\n";

/// `f` calls by a variable that a program may change; it is right as long as nothing does.
const BY_VARIABLE: &str = "#include <stdint.h>\n#include <string.h>\n\
                           void *(*copy)(void *, const void *, size_t) = memcpy;\n\
                           void f(uint64_t *out, const uint64_t *a) { uint64_t b; copy(&b, a, 8); *out = b + 7; }\n";

/// Every way to link such a program: linkers, how code calls, whether it moves.
const KINDS: [(&str, &[&str]); 6] = [
    ("gcc-12", &["-static", "-no-pie", "-fno-pie"]),
    ("gcc-12", &["-static", "-no-pie", "-fno-pie", "-fno-plt"]),
    ("gcc-12", &["-static", "-no-pie", "-fno-pie", "-fuse-ld=gold"]),
    ("clang-19", &["-static", "-fno-pie"]),
    ("gcc-12", &["-static-pie", "-fPIE"]),
    ("gcc-12", &["-static-pie", "-fPIE", "-fno-plt"]),
];

fn linked(c: &str, (compiler, flags): (&str, &[&str])) -> Elf {
    let directory = directory();
    write(directory.path(), "f.c", format!("{c}{MAIN}"));
    let link = ["-O1", "-fno-builtin", "f.c", "-o", "f"];
    compile(compiler, &[], directory.path(), &[&link, flags].concat());
    Elf(std::fs::read(directory.path().join("f")).expect("a program"))
}

#[test]
fn functions_that_are_chosen_at_the_start_are_those_of_their_names() {
    for kind in KINDS {
        linked(COPY, kind).proved();
    }
}

/// A slot is taken for what is there if the name of the function that chooses is one function's, and nothing else fills it in.
#[test]
fn slots_that_may_hold_something_else_are_refused() {
    const SHT_RELA: u64 = 4;
    const CHANGES: &str = "what the loader or the program may change";
    let right = linked(COPY, KINDS[0]);
    let (start, size) = {
        let header = right.section(SHT_RELA);
        (right.place(right.word(header + 16)), right.word(header + 32) as usize)
    };
    // Another type, two relocations of one slot, and half of another one; a place that is no memory of the program's.
    right.changed(|elf| elf.set(start + 8, 4, RELATIVE)).refused(CHANGES);
    let last = start + size - 24;
    right.changed(|elf| elf.set(last, 8, right.word(start))).refused(CHANGES);
    right.changed(|elf| elf.set(last, 8, right.word(start) + 4)).refused(CHANGES);
    right.changed(|elf| elf.set(last, 8, 1 << 40)).refused(CHANGES);
    // The function of that name is another one.
    let other = right.changed(|elf| {
        let (memcpy, memset) = (elf.symbol(SHT_SYMTAB, "memcpy").1, elf.symbol(SHT_SYMTAB, "memset").1);
        let (of_memcpy, of_memset) = (elf.word(memcpy + 8), elf.word(memset + 8));
        elf.set(memcpy + 8, 8, of_memset);
        elf.set(memset + 8, 8, of_memcpy);
    });
    other.refused("memory is filled with a byte that is not known");
    // A program whose symbols are gone has nothing by which such a function is known.
    for kind in [KINDS[0], KINDS[4]] {
        let nameless = linked(COPY, kind).changed(|elf| {
            for name in ["memcpy", "memset"] {
                let at = elf.symbol(SHT_SYMTAB, name).1;
                elf.set(at, 4, 0);
            }
        });
        nameless.refused("prove the program before it is stripped");
    }
    // The program may change a variable.
    linked(BY_VARIABLE, KINDS[4]).refused(CHANGES);
}
