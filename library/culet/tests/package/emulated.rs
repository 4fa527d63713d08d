//! Machines for which the library is tested under an emulator.

use std::path::Path;
use std::process::Command;

/// A machine, how Rust calls it, and the linker and the emulator for its programs.
pub struct Emulated {
    pub target: &'static str,
    linker: &'static str,
    emulator: &'static str,
    libraries: &'static str,
}

const MACHINES: [Emulated; 1] = [Emulated {
    target: "aarch64-unknown-linux-gnu",
    linker: "aarch64-linux-gnu-gcc-12",
    emulator: "qemu-aarch64",
    libraries: "/usr/aarch64-linux-gnu",
}];

/// Whether Rust's library for a target is installed.
pub fn has_std(target: &str) -> bool {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    printed.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

impl Emulated {
    /// The machines whose linker, emulator and libraries are installed.
    pub fn installed() -> impl Iterator<Item = &'static Emulated> {
        let runs = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
        MACHINES.iter().filter(move |machine| {
            runs(machine.linker)
                && runs(machine.emulator)
                && Path::new(machine.libraries).is_dir()
                && has_std(machine.target)
        })
    }

    /// Lets cargo build for this machine, and run what it builds.
    pub fn choose(&self, cargo: &mut Command) {
        let name = self.target.to_uppercase().replace('-', "_");
        cargo
            .args(["--target", self.target])
            .env(format!("CARGO_TARGET_{name}_LINKER"), self.linker)
            .env(format!("CARGO_TARGET_{name}_RUNNER"), format!("{} -L {}", self.emulator, self.libraries));
    }

    /// Lets rustc compile and link for this machine.
    #[allow(dead_code)] // Some tests only run cargo.
    pub fn choose_for_rustc(&self, rustc: &mut Command) {
        rustc.args(["--target", self.target]).arg(format!("-Clinker={}", self.linker));
    }
}
