//! Nothing of a secret is left on the dead stack: the library's programs run in C on a stack of their own, which is then
//! searched for their inputs, as bytes, as bits and as digits in arrays. Registers that compilers spill are out of reach of C.
//! To tell the two apart, vectors of words are turned off: registers then hold single words, of which a few are too short to be found.
#![cfg(target_os = "linux")]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

use culet_testing::draw::singles;

use support::{code, culet, directory, primitives, stderr, stdout, text, write};

/// Programs with secrets, from their folder in `primitives`, their nodes, and a parameter that is public.
const PROGRAMS: [(&str, &str, &str); 12] = [
    ("curves/x25519.ua", "x25519", "u"),
    ("curves/x25519_base.ua", "x25519_base", ""),
    ("signatures/ed25519_base.ua", "ed25519_base", ""),
    ("signatures/ed25519_scalar.ua", "ed25519_sign", ""),
    ("signatures/ed25519_scalar.ua", "ed25519_expand", ""),
    ("curves/p256.ua", "p256_agree", "p"),
    ("curves/p256.ua", "p256_public", ""),
    ("signatures/ecdsa_p256.ua", "p256_sign", ""),
    ("macs/poly1305.ua", "poly1305_absorb", ""),
    ("macs/poly1305.ua", "poly1305_absorb_padded", ""),
    ("macs/poly1305.ua", "poly1305_finish", ""),
    ("macs/ghash.ua", "ghash", ""),
];

/// The programs that are tried at every commit, each with a compiler that is drawn.
const ALWAYS: [&str; 5] = ["x25519", "x25519_base", "p256_agree", "p256_sign", "poly1305_absorb"];

const SEARCH: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { STACK = 1 << 20 };
static unsigned char *stack;
static size_t found;

static uint64_t state = 0x9e3779b97f4a7c15;
static void fill(void *memory, size_t size)
{
    unsigned char *byte = memory;
    for (size_t i = 0; i < size; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        byte[i] = (unsigned char)(state >> 32);
    }
}

static void find(const char *what, const char *name, const unsigned char *part, size_t size)
{
    for (size_t at = 0; at + size <= STACK; at++)
        if (memcmp(stack + at, part, size) == 0) {
            printf("%s of %s at %zu below the top\n", what, name, STACK - at);
            found++;
            return;
        }
}

/* So many bytes of a secret, sixty-four of its bits and thirty-two of its digits of four bits, in either order. */
static void search(const char *name, const void *secret, size_t size, size_t window)
{
    const unsigned char *byte = secret;
    unsigned char part[64];
    for (size_t at = 0; at + window <= size; at += 8) {
        find("bytes", name, byte + at, window);
        for (size_t i = 0; i < window; i++)
            part[i] = byte[at + window - 1 - i];
        find("bytes backwards", name, part, window);
    }
    for (size_t at = 0; at + 8 <= size; at += 8) {
        for (int i = 0; i < 64; i++)
            part[i] = byte[at + (size_t)i / 8] >> i % 8 & 1;
        find("bits", name, part, 64);
        for (int i = 0; i < 64; i++)
            part[i] = byte[at + (size_t)i / 8] >> (7 - i % 8) & 1;
        find("bits", name, part, 64);
    }
    for (size_t at = 0; at + 16 <= size; at += 16) {
        for (int i = 0; i < 32; i++)
            part[i] = byte[at + (size_t)i / 2] >> i % 2 * 4 & 15;
        find("digits", name, part, 32);
        for (int i = 0; i < 32; i++)
            part[i] = byte[at + (size_t)i / 2] >> (4 - i % 2 * 4) & 15;
        find("digits", name, part, 32);
    }
}

static void program(void);
static void *run(void *none)
{
    /* What ends the thread uses the stack above this. */
    volatile unsigned char gap[1 << 15];
    gap[0] = 0;
    program();
    gap[1] = gap[0];
    return none;
}

static int on_own_stack(void)
{
    stack = aligned_alloc(1 << 16, STACK);
    memset(stack, 0xa5, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, STACK) || pthread_create(&thread, &attributes, run, NULL))
        return 2;
    pthread_join(thread, NULL);
    return 0;
}
"#;

/// A parameter of a prototype in C.
struct Parameter<'a> {
    ty: &'a str,
    name: &'a str,
    /// Number of elements of an array; none for a value.
    length: Option<usize>,
    is_const: bool,
}

/// Reads the prototype of a header.
fn parameters<'a>(header: &'a str, symbol: &str) -> Vec<Parameter<'a>> {
    let start = header.find(&format!("void {symbol}(")).expect("the prototype") + symbol.len() + 6;
    let list = &header[start..start + header[start..].find(");").expect("its end")];
    let read = |text: &'a str| {
        let text = text.trim();
        let is_const = text.starts_with("const ");
        let (ty, name) = text.trim_start_matches("const ").rsplit_once([' ', '*']).expect("a type and a name");
        let (name, length) = match name.split_once('[') {
            Some((name, length)) => (name, Some(length.trim_end_matches(']').parse().expect("a length"))),
            // A stream.
            None => (name, ty.contains('*').then_some(0).or(text.contains('*').then_some(0))),
        };
        Parameter { ty: ty.trim_end_matches([' ', '*']), name, length, is_const }
    };
    list.split(',').map(read).collect()
}

/// Bytes of streams: whole blocks and a rest.
const STREAM: usize = 16 * 21 + 5;

/// A program that calls the function on random arguments, and then looks for them.
fn main_of(symbol: &str, header: &str, public: &str) -> String {
    let (mut declared, mut filled, mut searched) = (String::new(), String::new(), String::new());
    let mut arguments = Vec::new();
    for Parameter { ty, name, length, is_const } in parameters(header, symbol) {
        match length {
            None if ty == "size_t" => arguments.push(STREAM.to_string()),
            None => arguments.push("1".to_owned()),
            Some(length) => {
                // The rest of a stream is in a short array; words of other inputs may be side by side by chance.
                let window = if length == 0 { 16 } else { 32 };
                let length = if length == 0 { STREAM } else { length };
                let _ = writeln!(declared, "static {ty} of_{name}[{length}];");
                if is_const {
                    let _ = writeln!(filled, "    fill(of_{name}, sizeof of_{name});");
                }
                if is_const && name != public {
                    let _ = writeln!(searched, "    search(\"{name}\", of_{name}, sizeof of_{name}, {window});");
                }
                arguments.push(format!("of_{name}"));
            }
        }
    }
    let call = arguments.join(", ");
    format!(
        "#include \"{symbol}.h\"\n{SEARCH}\n{declared}\nstatic void program(void) {{ {symbol}({call}); }}\n\
         int main(void)\n{{\n{filled}    if (on_own_stack())\n        return 2;\n{searched}    return found != 0;\n}}\n"
    )
}

/// Compiles the program with its search, and runs both.
fn searched(folder: &Path, symbol: &str, compiler: &str, level: &str) -> Output {
    let made = Command::new(compiler)
        .args([
            "-std=gnu11",
            level,
            "-fno-tree-vectorize",
            "-fno-tree-slp-vectorize",
            "-Wall",
            "-o",
            "program",
            "main.c",
            &format!("{symbol}.c"),
            "-lpthread",
        ])
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(made.status.success(), "{symbol} {compiler}: {}", stderr(&made));
    Command::new("./program").current_dir(folder).output().expect("it starts")
}

fn written(folder: &Path, (program, node, public): (&str, &str, &str)) {
    let program = primitives().join(program);
    let output = culet(&["compile", text(&program), "--node", node, "--target", "c64", "-o", text(folder)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let header = std::fs::read_to_string(folder.join(format!("{node}.h"))).expect("a header");
    write(folder, "main.c", main_of(node, &header, public));
}

#[test]
fn no_array_of_a_secret_is_left() {
    let mut cases = Vec::new();
    for program in PROGRAMS {
        for compiler in ["gcc-12", "clang-19"] {
            cases.push((program, compiler));
        }
    }
    let features = |((_, node, _), _): &((&str, &str, &str), &str)| {
        let node = if ALWAYS.contains(node) { *node } else { "any other" };
        vec![node.to_owned()]
    };
    let mut left = String::new();
    for (program, compiler) in singles("arrays of secrets on dead stacks", cases, features, |_| 1) {
        let folder = directory();
        written(folder.path(), program);
        let found = searched(folder.path(), program.1, compiler, "-O2");
        if code(&found) != 0 {
            let _ = writeln!(left, "{program:?} {compiler}:\n{}", stdout(&found));
        }
    }
    assert!(left.is_empty(), "{left}");
}

/// The search finds what is left if arrays are not overwritten.
#[test]
fn an_array_that_is_left_is_found() {
    let folder = directory();
    written(folder.path(), ("curves/x25519.ua", "x25519", "u"));
    let file = folder.path().join("x25519.c");
    let c = std::fs::read_to_string(&file).expect("C");
    let erased = "        ((volatile uint8_t *)bit)[at] = 0;\n";
    assert!(c.contains(erased), "the bits of the scalar are overwritten");
    std::fs::write(&file, c.replace(erased, "        (void)bit;\n")).expect("a file");
    let found = searched(folder.path(), "x25519", "clang-19", "-O1");
    assert!(code(&found) == 1 && stdout(&found).contains("bits of k"), "{}", stdout(&found));
}
