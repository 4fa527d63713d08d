//! Objects and programs for RV32 and for a Cortex-M4: the C of one step, by each compiler, for each instruction set and level.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::recipe::Step;
use super::sources;

/// A C compiler with the flags that make code for a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiler {
    pub name: &'static str,
    command: &'static str,
    flags: &'static [&'static str],
    board: Board,
}

/// The board that a compiler's code is for: what a program begins with, and where its memories are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Board {
    HiFive1,
    Mps2An386,
}

impl Board {
    const ALL: [Board; 2] = [Board::HiFive1, Board::Mps2An386];

    /// The sources that other boards do not have.
    const fn sources(self) -> &'static [&'static str] {
        match self {
            Self::HiFive1 => &["start.s"],
            Self::Mps2An386 => &["cortex_m4.s", "cortex_m4.c"],
        }
    }

    /// The linker's script.
    const fn script(self) -> &'static str {
        match self {
            Self::HiFive1 => "board.ld",
            Self::Mps2An386 => "cortex_m4.ld",
        }
    }
}

pub const CLANG: Compiler = Compiler {
    name: "clang 19",
    command: "clang-19",
    flags: &["--target=riscv32-unknown-elf", "-mtune=sifive-e31", "-mabi=ilp32"],
    board: Board::HiFive1,
};
pub const GCC: Compiler = Compiler {
    name: "gcc",
    command: "riscv64-unknown-elf-gcc",
    flags: &["-mtune=sifive-3-series", "-mabi=ilp32"],
    board: Board::HiFive1,
};
pub const CLANG_FOR_ARM: Compiler = Compiler {
    name: "clang 19",
    command: "clang-19",
    flags: &["--target=thumbv7em-none-eabi", "-mcpu=cortex-m4", "-mfloat-abi=soft"],
    board: Board::Mps2An386,
};

impl Compiler {
    pub fn is_installed(&self) -> bool {
        Command::new(self.command).arg("--version").output().is_ok_and(|output| output.status.success())
    }
}

/// How C becomes instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    pub compiler: Compiler,
    /// `rv32im`, `rv32imc` or `armv7e-m`.
    pub march: &'static str,
    pub level: &'static str,
}

impl Way {
    /// The library of functions that gcc calls where instructions are missing; clang calls none here.
    fn compiler_library(&self) -> Result<Option<PathBuf>, String> {
        if self.compiler != GCC {
            return Ok(None);
        }
        let mut command = Command::new(self.compiler.command);
        command.arg(format!("-march={}", self.march)).args(["-mabi=ilp32", "-print-libgcc-file-name"]);
        let output = command.output().map_err(|error| error.to_string())?;
        Ok(Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())))
    }
}

/// The memory that holds constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constants {
    Flash,
    Ram,
}

impl Constants {
    const ALL: [Constants; 2] = [Constants::Flash, Constants::Ram];

    const fn region(self) -> &'static str {
        match self {
            Self::Flash => "FLASH",
            Self::Ram => "RAM",
        }
    }
}

/// RAM of the programs, in bytes: more than the board's 16 KiB, so that large builds run, too. The figures say how much is used.
pub const RAM_BYTES: usize = 256 << 10;

/// The sources of one step, and where its objects are kept.
pub struct Builder {
    directory: PathBuf,
    sources: Vec<PathBuf>,
}

impl Builder {
    /// Generates a step's kernels into a directory.
    ///
    /// # Errors
    ///
    /// A kernel that is not generated, or a file that is not written.
    pub fn new(step: &Step, primitives: &Path, directory: &Path) -> Result<Self, String> {
        fs::create_dir_all(directory).map_err(|error| error.to_string())?;
        let mut sources: Vec<PathBuf> = ["memory.c", "hash.c", "sign.c", "sign_open.c", "box.c", "aead.c", "p256.c"]
            .map(|name| sources().join(name))
            .into();
        if step.is_compact {
            sources.push(super::sources().join("compact.c"));
        }
        let mut header = "#include <stddef.h>\n#include <stdint.h>\n".to_owned();
        for recipe in step.recipes() {
            let kernel = recipe.kernel(primitives)?;
            let path = directory.join(format!("{}.c", recipe.symbol));
            write(&path, kernel.text())?;
            write(&path.with_extension("h"), kernel.header())?;
            let _ = writeln!(header, "#include \"{}.h\"", recipe.symbol);
            sources.push(path);
        }
        if step.is_compact {
            header += "void ed25519_reduce(uint8_t r[32], const uint8_t hash[64]);\n";
            header +=
                "void ed25519_sign(uint8_t S[32], const uint8_t r[32], const uint8_t k[32], const uint8_t s[32]);\n";
        }
        write(&directory.join("kernels.h"), &header)?;
        for (board, constants) in
            Board::ALL.into_iter().flat_map(|board| Constants::ALL.map(|constants| (board, constants)))
        {
            let script =
                fs::read_to_string(super::sources().join(board.script())).map_err(|error| error.to_string())?;
            let script =
                script.replace("CONSTANTS_IN", constants.region()).replace("RAM_BYTES", &RAM_BYTES.to_string());
            write(&directory.join(script_name(board, constants)), &script)?;
        }
        Ok(Self { directory: directory.to_owned(), sources })
    }

    /// Compiles all sources, unless that is done.
    fn objects(&self, way: &Way) -> Result<Vec<PathBuf>, String> {
        let folder = self.directory.join(format!("{} {} {}", way.compiler.command, way.march, way.level));
        let object = |source: &PathBuf| folder.join(format!("{}.o", source.file_name().unwrap_or_default().display()));
        let own = way.compiler.board.sources().iter().map(|name| sources().join(name));
        let sources: Vec<PathBuf> = own.chain(self.sources.iter().cloned()).collect();
        let objects: Vec<PathBuf> = sources.iter().map(object).collect();
        if !folder.exists() {
            fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            for (source, object) in sources.iter().zip(&objects) {
                self.compile(way, source, object)?;
            }
        }
        Ok(objects)
    }

    fn compile(&self, way: &Way, source: &Path, object: &Path) -> Result<(), String> {
        let mut command = Command::new(way.compiler.command);
        command.args(way.compiler.flags).arg(format!("-march={}", way.march)).arg(way.level);
        command.args(["-std=c11", "-ffreestanding", "-fno-builtin", "-ffunction-sections", "-fdata-sections", "-I"]);
        command.arg(super::sources()).arg("-I").arg(&self.directory);
        done(command.arg("-c").arg(source).arg("-o").arg(object))
    }

    /// Links a program, whose `main` is C text.
    ///
    /// # Errors
    ///
    /// The compiler's or the linker's message.
    pub fn program(&self, way: &Way, constants: Constants, main: &str) -> Result<PathBuf, String> {
        let objects = self.objects(way)?;
        let source = self.directory.join("main.c");
        write(&source, main)?;
        let (object, program) = (self.directory.join("main.o"), self.directory.join("program"));
        self.compile(way, &source, &object)?;
        let mut command = Command::new("ld.lld-19");
        command.args(["--gc-sections", "-T"]).arg(self.directory.join(script_name(way.compiler.board, constants)));
        done(command.args(objects).arg(object).args(way.compiler_library()?).arg("-o").arg(&program))?;
        Ok(program)
    }
}

/// The name of a linker's script among the files of a build.
fn script_name(board: Board, constants: Constants) -> String {
    format!("{} {}", board.script(), constants.region())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn done(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let message = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(()).ok_or_else(|| message.lines().take(5).collect::<Vec<_>>().join("\n"))
}
