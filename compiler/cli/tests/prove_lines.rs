//! For objects with debug information, `culet prove` names the line of source that causes a violation or a wrong
//! result.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::Path;
use std::process::Command;

use culet_image::Image;
use support::proving::{Kernel, ONE_GROUP, compile};
use support::{directory, text, write};

/// The body of `rules_sliced` is on lines of its own, from [`FIRST`] on.
const FIRST: usize = 5;

fn c(statements: &[&str]) -> String {
    let before = "#include <stdint.h>\nstatic const uint32_t table[4] = {7, 1, 9, 4};\n\
                  void rules_sliced(uint32_t *b, const uint32_t *a)\n{\n";
    format!("{before}{}\n    (void)table;\n}}\n", statements.join("\n"))
}

fn kernel(directory: &Path) -> Kernel {
    let program = "node rules (a : u<V>32x2) returns (b : u<V>32x2)\nlet\n  b = (a[0] + a[1], a[0] ^ a[1])\ntel\n";
    let source = write(directory, "rules.ua", program);
    Kernel { source, node: "rules", slice: "v", target: "c64", more: ONE_GROUP }
}

/// The reason given for the rejection.
fn reason(compiler: &str, flags: &[&str], statements: &[&str], kind: &str) -> String {
    let directory = directory();
    let kernel = kernel(directory.path());
    write(directory.path(), "kernel.c", c(statements));
    let object = directory.path().join("kernel.out");
    compile(compiler, &["-O1"], directory.path(), &[flags, &["kernel.c", "-o", text(&object)]].concat());
    let found = kernel.prove(&object, "sliced");
    let verdict = found.rejected(kind);
    let reason = verdict["reason"].as_str().expect("a reason").to_owned();
    // The place is said in words and to programs.
    let place = &verdict["place"];
    if let (Some(file), Some(line)) = (place["file"].as_str(), place["line"].as_u64()) {
        assert!(reason.contains(&format!("({file}:{line})")), "{verdict}");
    }
    assert_eq!(place["line"].is_u64(), reason.contains(".c:"), "{verdict}");
    assert_eq!(place["offset"].is_u64(), reason.contains("rules_sliced+0x"), "{verdict}");
    assert_eq!(place["function"], "rules_sliced", "{verdict}");
    reason
}

const GOOD: [&str; 3] = ["    uint32_t x = a[0], y = a[1];", "    b[0] = x + y;", "    b[1] = x ^ y;"];

/// A wrong statement that is added after the right ones, and the kind of rejection that it leads to.
const VIOLATIONS: [(&str, &str); 5] = [
    ("branch", "    if (x & 1) __asm__ volatile(\"nop\");"),
    ("address", "    b[0] += table[y & 3];"),
    ("memory", "    b[2] = 0;"),
    ("memory", "    ((uint32_t *)a)[0] = x;"),
    ("time", "    b[1] = x / y;"),
];

/// Debug sections are long enough here for compilers to compress them. For those in an unsupported format, the message
/// says why there is no line.
#[test]
fn compressed_debug_sections() {
    let statements = [&GOOD[..], &["    __asm__ volatile(\"nop\");"; 400], &["    b[2] = 0;"]].concat();
    let named = |flag| {
        let directory = directory();
        write(directory.path(), "kernel.c", c(&statements));
        compile("clang-19", &["-O1", "-g", flag, "-c"], directory.path(), &["kernel.c", "-o", "kernel.o"]);
        let sections =
            Command::new("readelf").args(["-t", text(&directory.path().join("kernel.o"))]).output().expect("readelf");
        assert!(String::from_utf8_lossy(&sections.stdout).contains("COMPRESSED"), "{sections:?}");
        reason("clang-19", &["-g", flag, "-c"], &statements, "memory")
    };
    let line = format!("(kernel.c:{})", FIRST + statements.len() - 1);
    assert!(named("-gz=zlib").contains(&line), "{}", named("-gz=zlib"));
    let unread = named("-gz=zstd");
    assert!(unread.contains("its line of source is not known") && unread.contains("zlib"), "{unread}");
}

#[test]
fn violations_name_their_line() {
    for compiler in ["gcc-12", "clang-19"] {
        for (kind, statement) in VIOLATIONS {
            let statements = [&GOOD[..], &["", statement]].concat();
            let line = FIRST + GOOD.len() + 1;
            let named = reason(compiler, &["-g", "-c"], &statements, kind);
            assert!(named.contains(&format!("(kernel.c:{line})")), "{compiler}: {statement}: {named}");
            let plain = reason(compiler, &["-c"], &statements, kind);
            assert!(plain.contains("rules_sliced+0x") && !plain.contains("kernel.c"), "{plain}");
        }
    }
}

#[test]
fn wrong_results_name_the_line_that_wrote_them() {
    let statements = ["    uint32_t x = a[0], y = a[1];", "    b[0] = x + y;", "", "    b[1] = x | y;"];
    let line = format!("(kernel.c:{})", FIRST + 3);
    let shapes: [&[&str]; 5] = [
        &["-g", "-c"],
        &["-gdwarf-4", "-c"],
        &["-gdwarf-5", "-c"],
        &["-g", "-fPIC", "-shared"],
        &["-g", "-nostdlib", "-Wl,-e,rules_sliced"],
    ];
    for compiler in ["gcc-12", "clang-19"] {
        for flags in shapes {
            let named = reason(compiler, flags, &statements, "different");
            assert!(named.starts_with("byte ") && named.contains(" of block 0 is wrong"), "{named}");
            assert!(
                named.contains(&line) && named.contains("written at rules_sliced+0x"),
                "{compiler} {flags:?}: {named}"
            );
        }
    }
    let never = reason("gcc-12", &["-g", "-c"], &statements[..2], "different");
    assert!(never.contains("nothing was written there"), "{never}");
}

/// Files may share the bytes of one name. The name is read as often as there is room, and not at all if there is no
/// room for any file.
#[test]
fn names_of_files_take_no_more_memory_than_there_is_room_for() {
    let number = |mut value: u64| {
        let mut bytes = Vec::new();
        while value >= 128 {
            bytes.push(value as u8 | 128);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    };
    let image = |files: u64, length: usize| {
        let entry = |count: u64| [&[1, 1, 0x1f][..], &number(count), &vec![0; 4 * count as usize]].concat();
        let lengths = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
        let rest = [&[1, 1, 1, 251, 14, 13][..], &lengths, &entry(1), &entry(files)].concat();
        // The line-number program: from address zero on, a row for each file, one byte apart.
        let row = |file: u64| [&[4][..], &number(file), &[2, 1, 1]].concat();
        let start = [&[0, 9, 2][..], &[0; 8]].concat();
        let program = [start, (0..files).flat_map(row).collect(), vec![0, 1, 1]].concat();
        let head = [&[5, 0, 8, 0][..], &(rest.len() as u32).to_le_bytes()].concat();
        let table = [head, rest, program].concat();
        let table = [&(table.len() as u32).to_le_bytes()[..], &table].concat();
        let directory = directory();
        write(directory.path(), "line.bin", table);
        write(directory.path(), "str.bin", "a".repeat(length) + "\0");
        let sections =
            ".text\nret\n.section .debug_line\n.incbin \"line.bin\"\n.section .debug_line_str\n.incbin \"str.bin\"\n";
        write(directory.path(), "f.s", sections);
        compile("gcc-12", &[], directory.path(), &["-c", "f.s", "-o", "f.o"]);
        Image::read(&std::fs::read(directory.path().join("f.o")).expect("an object")).expect("an image")
    };
    let few = image(100, 3000);
    assert_eq!(few.line(100).map(|(name, _)| name.len()), Some(3000));
    let many = image(10_000, 3000);
    let all: usize = (1..=10_000).filter_map(|address| many.line(address)).map(|(name, _)| name.len()).sum();
    assert!(many.line(100).is_some_and(|(name, _)| name.len() == 3000) && all <= 1 << 24, "{all}");
    assert_eq!(image(100, 100_000).line(100), Some(("", 1)));
}
