//! Machines for which the library is tested under an emulator.

use std::env;
use std::path::Path;
use std::process::Command;

/// A machine, how Rust calls it, and the linker and the emulator for its programs.
pub struct Emulated {
    pub target: &'static str,
    /// The linker, where it is not rustc's own.
    linker: Option<&'static str>,
    /// The emulator, and what it is told before a program's name: the paths among that must exist.
    emulator: &'static [&'static str],
}

/// AArch64 with Linux, and WebAssembly, which has words of 32 bits.
const MACHINES: [Emulated; 2] = [
    Emulated {
        target: "aarch64-unknown-linux-gnu",
        linker: Some("aarch64-linux-gnu-gcc-12"),
        emulator: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    },
    Emulated {
        target: "wasm32-wasip1",
        linker: None,
        emulator: &["node", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/package/wasi.mjs")],
    },
];

/// Whether Rust's library for a target is installed.
pub fn has_std(target: &str) -> bool {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    printed.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

impl Emulated {
    /// The machines whose linker, emulator and libraries are installed.
    pub fn installed() -> impl Iterator<Item = &'static Emulated> {
        MACHINES.iter().filter(|machine| machine.is_installed())
    }

    /// Those of them with Linux, whose programs are files of ELF.
    #[allow(dead_code)] // Some tests run on all machines.
    pub fn with_linux() -> impl Iterator<Item = &'static Emulated> {
        Emulated::installed().filter(|machine| machine.target.contains("linux"))
    }

    /// All machines, of which none may be missing where the tests require compilers.
    #[allow(dead_code)] // Some tests are content with what there is.
    pub fn required() -> impl Iterator<Item = &'static Emulated> {
        let is_required = env::var_os("CULET_REQUIRE_COMPILERS").is_some();
        let missing = MACHINES.iter().find(|machine| is_required && !machine.is_installed());
        if let Some(machine) = missing {
            panic!("`./test --all` installs what {} needs", machine.target);
        }
        Emulated::installed()
    }

    fn is_installed(&self) -> bool {
        let runs = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
        let mut paths = self.emulator.iter().map(Path::new).filter(|word| word.is_absolute());
        self.linker.is_none_or(runs) && runs(self.emulator[0]) && paths.all(Path::exists) && has_std(self.target)
    }

    /// Lets cargo build for this machine, and run what it builds.
    pub fn choose(&self, cargo: &mut Command) {
        let target = self.target;
        cargo.args(["--target", target]);
        cargo.arg("--config").arg(format!("target.{target}.runner = {:?}", self.emulator));
        if let Some(linker) = self.linker {
            cargo.arg("--config").arg(format!("target.{target}.linker = {linker:?}"));
        }
    }

    /// Lets rustc compile and link for this machine.
    #[allow(dead_code)] // Some tests only run cargo.
    pub fn choose_for_rustc(&self, rustc: &mut Command) {
        rustc.args(["--target", self.target]).args(self.linker.map(|linker| format!("-Clinker={linker}")));
    }
}
