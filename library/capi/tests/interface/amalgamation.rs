//! The library in C, `library/c/culet.c`: the programs of the other tests with it, its symbols, and what options leave out.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::exports::{declared, symbols};
use crate::library::{STRICT, path, run};
use crate::package::seed;
use crate::programs::{NO_RANDOMNESS, RANDOMNESS};

/// A way to build the file.
#[derive(Debug, Clone, Copy)]
pub struct Build {
    pub name: &'static str,
    compiler: &'static str,
    options: &'static [&'static str],
    /// Objects and options that programs are linked with.
    linked: &'static [&'static str],
    /// The emulator of the machine that it is for, and what it is told before a program's name.
    runner: &'static [&'static str],
}

const PLAIN: Build = Build { name: "64", compiler: "gcc-12", options: &["-O0"], linked: &[], runner: &[] };

/// Kernels for words of 64 bits, and those for words of 32 bits. Compilers are fastest without optimizations.
pub const NATIVE: [Build; 2] = [PLAIN, Build { name: "32", options: &["-O0", "-DCULET_WORDS_OF_32"], ..PLAIN }];

/// RISC-V without an operating system, and without a C library.
const BARE: Build = Build {
    name: "bare",
    compiler: "clang-19",
    options: &["--target=riscv32-unknown-elf", "-march=rv32imc", "-mabi=ilp32", "-ffreestanding", "-O0"],
    ..PLAIN
};

/// Another compiler, and sanitizers.
const COMPILED: [Build; 2] = [
    Build { name: "clang", compiler: "clang-19", options: &["-O2"], ..PLAIN },
    Build { name: "sanitizers", options: &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], ..PLAIN },
];

const fn emulated(name: &'static str, compiler: &'static str, runner: &'static [&'static str]) -> Build {
    Build { name, compiler, options: &["-static"], linked: &[], runner }
}

/// Machines whose words have 64 bits, one whose most significant byte comes first among them, and machines whose words have 32 bits: Arm, RISC-V
/// without an operating system, and WebAssembly.
const MACHINES: [Build; 7] = [
    emulated("aarch64", "aarch64-linux-gnu-gcc-12", &["qemu-aarch64"]),
    emulated("ppc64le", "powerpc64le-linux-gnu-gcc-12", &["qemu-ppc64le"]),
    emulated("riscv64", "riscv64-linux-gnu-gcc-12", &["qemu-riscv64"]),
    emulated("s390x", "s390x-linux-gnu-gcc-12", &["qemu-s390x"]),
    emulated("arm", "arm-linux-gnueabihf-gcc-12", &["qemu-arm"]),
    Build {
        options: &[
            "-march=rv32imac",
            "-mabi=ilp32",
            "-DCULET_WITHOUT_RANDOM",
            "-nostdlib",
            "-isystem/usr/lib/picolibc/riscv64-unknown-elf/include",
            "-L/usr/lib/picolibc/riscv64-unknown-elf/lib/rv32imac/ilp32",
        ],
        linked: &["tests/interface/riscv32.c", "-lc", "-lgcc"],
        ..emulated("riscv32", "riscv64-unknown-elf-gcc", &["qemu-riscv32"])
    },
    Build {
        options: &["--target=wasm32-wasi"],
        linked: &["-Wl,-z,stack-size=1048576"],
        ..emulated(
            "wasm32",
            "clang-19",
            &["node", concat!(env!("CARGO_MANIFEST_DIR"), "/../culet/tests/package/wasi.mjs")],
        )
    },
];

/// Whether all builds are asked for, which take minutes.
pub fn wants_all() -> bool {
    std::env::var_os("CULET_ALL").is_some()
}

impl Build {
    /// Where everything about the file is.
    fn directory() -> PathBuf {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("amalgamation");
        fs::create_dir_all(&directory).expect("a directory");
        directory
    }

    fn compile(self) -> Command {
        let mut command = Command::new(self.compiler);
        command.args(["-std=c11", "-Wshadow"]).args(STRICT).args(self.options).arg("-I").arg(path("../c"));
        command
    }

    /// The file as an object, which is made once.
    fn object(self) -> PathBuf {
        static MADE: Mutex<BTreeMap<&str, PathBuf>> = Mutex::new(BTreeMap::new());
        let mut made = MADE.lock().expect("no compiler failed");
        made.entry(self.name)
            .or_insert_with(|| {
                let object = Build::directory().join(format!("culet-{}.o", self.name));
                run(self.compile().arg("-c").arg(path("../c/culet.c")).arg("-o").arg(&object));
                object
            })
            .clone()
    }

    /// A program with the file, and the command that runs it.
    pub fn program(self, source: &str) -> Vec<OsString> {
        self.program_with(source, self.linked)
    }

    /// All emulated machines with `CULET_ALL`, and else one of those that are installed, which is drawn.
    pub fn emulated() -> Vec<Build> {
        if wants_all() {
            return MACHINES.into();
        }
        let installed: Vec<Build> = MACHINES.into_iter().filter(|machine| machine.is_installed()).collect();
        let drawn = installed.get(seed() % installed.len().max(1)).copied();
        let name = drawn.map_or("none", |machine| machine.name);
        writeln!(io::stdout(), "DRAWN an emulated machine for vectors: {name}").expect("standard output");
        drawn.into_iter().collect()
    }

    /// Whether the compiler links a program, and the emulator is there.
    fn is_installed(self) -> bool {
        let source = Build::directory().join("nothing.c");
        fs::write(&source, "int main(void) {\n    return 0;\n}\n").expect("a file");
        let mut compile = self.compile();
        compile.arg(&source).args(self.linked).arg("-o").arg(source.with_extension(self.name));
        let works = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        works(&mut compile) && works(Command::new(self.runner[0]).arg("--version"))
    }

    fn program_with(self, source: &str, libraries: &[&str]) -> Vec<OsString> {
        let stem = Path::new(source).file_stem().expect("a name").to_string_lossy();
        let program = Build::directory().join(format!("{stem}-{}", self.name));
        let version = concat!("-DCULET_EXPECTED_VERSION=\"", env!("CARGO_PKG_VERSION"), "\"");
        let mut compile = self.compile();
        compile.arg(version).arg(path(source)).arg(self.object()).args(libraries);
        run(compile.arg("-o").arg(&program));
        self.runner.iter().map(OsString::from).chain([program.into_os_string()]).collect()
    }

    fn passes(self) {
        let command = self.program("tests/interface/culet.c");
        run(Command::new(&command[0]).args(&command[1..]));
    }
}

#[test]
fn words_of_64_bits() {
    NATIVE[0].passes();
}

#[test]
fn words_of_32_bits() {
    NATIVE[1].passes();
}

/// The functions that no standard defines agree with libsodium's: secretstream, kdf, salted BLAKE2 and converted keys.
#[test]
fn streams_and_keys_are_those_of_libsodium() {
    for build in NATIVE {
        let command = build.program_with("tests/interface/sodium.c", &["-lsodium"]);
        run(Command::new(&command[0]).args(&command[1..]));
    }
}

#[cfg(target_os = "linux")] // It has `getrandom`.
#[test]
fn no_randomness() {
    let taken_away = path(NO_RANDOMNESS).display().to_string();
    let command = NATIVE[0].program_with(RANDOMNESS, &[&taken_away]);
    run(Command::new(&command[0]).args(&command[1..]));
}

#[test]
fn other_builds() {
    COMPILED.into_iter().chain(MACHINES).filter(|_| wants_all()).for_each(Build::passes);
}

/// Without an operating system, the file needs randomness and four functions that compilers call anyway; nothing else, as products of long words.
#[test]
fn a_bare_machine_needs_five_functions() {
    let needed = run(Command::new("nm").args(["--undefined-only", "--format=just-symbols"]).arg(BARE.object()));
    let needed: BTreeSet<&str> = needed.lines().collect();
    assert_eq!(needed, ["culet_random", "memcmp", "memcpy", "memmove", "memset"].into());
}

#[test]
fn the_functions_of_the_header_are_all_that_others_see() {
    assert_eq!(symbols(&NATIVE[0].object(), &[]), declared("culet.h"));
}

/// The parts of the page's table: the option that leaves one out, and the parts that it needs.
fn parts() -> BTreeMap<String, Vec<String>> {
    let page = fs::read_to_string(path("../c/README.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `CULET_WITHOUT_")?.split_once("` |"));
    let words = |text: &str| text.split('`').filter(|word| word.chars().all(is_of_name)).map(str::to_owned).collect();
    let needs = |row: &str| words(row.split('|').nth(1).unwrap_or_default());
    rows.map(|(name, row)| (name.to_owned(), needs(row))).collect()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

/// Together they have all functions of the header, without a warning when others are left out.
#[test]
fn parts_stand_alone() {
    let parts = parts();
    assert!(parts.len() > 20, "{parts:?}");
    let mut found = BTreeSet::new();
    // The largest ones have the symbols that are missing else.
    let is_small = |name: &str| wants_all() || !name.starts_with('P') && !["BIP340", "SECP256K1"].contains(&name);
    for (name, needs) in parts.iter().filter(|(name, _)| is_small(name)) {
        let others = parts.keys().filter(|other| *other != name && !needs.contains(other));
        let object = Build::directory().join(format!("{name}.o"));
        let mut compile = NATIVE[0].compile();
        compile.args(others.map(|other| format!("-DCULET_WITHOUT_{other}")));
        run(compile.arg("-c").arg(path("../c/culet.c")).arg("-o").arg(&object));
        let own = symbols(&object, &[]);
        assert!(own.len() > 3 || name == "RANDOM", "{name}: {own:?}");
        found.extend(own);
    }
    let missing: Vec<String> = declared("culet.h").difference(&found).cloned().collect();
    let is_left = |name: &String| {
        ["culet_p2", "culet_p384", "culet_p521", "culet_bip340", "culet_secp256k1"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    assert!(missing.iter().all(|name| !wants_all() && is_left(name)), "{missing:?}");
}

/// The page's program, as its lines say.
#[test]
fn the_page_is_true() {
    let page = fs::read_to_string(path("../c/README.md")).expect("the page");
    let (code, _) = page.split_once("```c\n").and_then(|(_, rest)| rest.split_once("```")).expect("a block of C");
    let source = Build::directory().join("page.c");
    fs::write(&source, code).expect("a file");
    let program = Build::directory().join("page");
    run(NATIVE[0].compile().arg(&source).arg(NATIVE[0].object()).arg("-o").arg(&program));
    assert_eq!(run(&mut Command::new(&program)), "the signature is good\n");
}
