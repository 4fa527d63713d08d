//! Finding a C compiler, and the machine for which it compiles.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use culet_ir::Target;

use crate::{CompileError, Runner, architecture_here, cpu_runs};

/// An installed C compiler, and the way in which its programs are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CCompiler {
    /// The command, with leading arguments if it had any (`CC="ccache gcc"`).
    command: Vec<String>,
    /// The first line of `--version`.
    pub version: String,
    /// The machine for which it compiles, such as `aarch64-linux-gnu`; `None` if it does not say.
    pub machine: Option<String>,
    /// The runner that executes its programs; without one, kernels are loaded into this process.
    pub runner: Option<Runner>,
    /// Time limit for the compilation of a kernel, after which it is stopped.
    pub time_limit: Duration,
}

/// Default time limit for one compilation.
const TIME_LIMIT: Duration = Duration::from_secs(600);

const USUAL: [&str; 5] = ["clang-19", "clang", "gcc-12", "gcc", "cc"];

impl CCompiler {
    /// The compiler with this name; without a name `$CC`, then the usual ones.
    pub fn find(name: Option<&str>) -> Result<CCompiler, CompileError> {
        let candidates: Vec<String> = match name {
            Some(name) => vec![name.to_owned()],
            None => env::var("CC")
                .ok()
                .filter(|cc| !cc.trim().is_empty())
                .into_iter()
                .chain(USUAL.map(str::to_owned))
                .collect(),
        };
        for candidate in &candidates {
            let command: Vec<String> = candidate.split_whitespace().map(str::to_owned).collect();
            let Some((program, arguments)) = command.split_first() else { continue };
            let output = Command::new(program).args(arguments).arg("--version").stdin(Stdio::null()).output();
            if let Ok(output) = output
                && output.status.success()
            {
                let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_owned();
                let machine = machine(program, arguments);
                return Ok(CCompiler { command, version, machine, runner: None, time_limit: TIME_LIMIT });
            }
        }
        Err(CompileError::NotFound { tried: candidates })
    }

    /// All of the usual compilers that are installed, each once.
    pub fn installed() -> Vec<CCompiler> {
        let mut found: Vec<CCompiler> = Vec::new();
        // The version line starts with the name by which the compiler was called.
        let release = |compiler: &CCompiler| compiler.version.split_once(' ').map(|(_, rest)| rest.to_owned());
        for compiler in USUAL.iter().filter_map(|name| CCompiler::find(Some(name)).ok()) {
            if found.iter().all(|other| release(other) != release(&compiler)) {
                found.push(compiler);
            }
        }
        found
    }

    /// The command as it would be typed.
    pub fn name(&self) -> String {
        self.command.join(" ")
    }

    /// The compiler's command. Its temporary files are put in a directory, so that they are removed with it.
    pub(crate) fn command(&self, directory: &Path) -> Command {
        let (program, leading) = self.command.split_first().expect("`find` refuses empty commands");
        let mut command = Command::new(program);
        command.args(leading).env("TMPDIR", directory);
        command
    }

    pub fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// This compiler, with a runner for its programs.
    pub fn with_runner(self, runner: Option<Runner>) -> CCompiler {
        CCompiler { runner, ..self }
    }

    /// Whether it compiles for a target's architecture, as far as that is known.
    pub fn fits(&self, target: Target) -> bool {
        let architecture = self.machine.as_deref().map(architecture);
        match (target.architecture(), architecture) {
            (None, _) | (_, None) => true,
            // These are the same instructions with 32-bit pointers.
            (Some("x86_64"), Some("i386" | "i486" | "i586" | "i686")) => true,
            (Some(needed), Some(architecture)) => needed == architecture,
        }
    }

    /// Whether this machine executes its programs, as far as that is known.
    pub fn is_for_this_machine(&self) -> bool {
        self.machine.as_deref().is_none_or(|machine| architecture(machine) == architecture_here())
    }

    /// The targets whose kernels run on this CPU, or with the runner as far as that is known.
    pub fn targets(&self) -> Vec<Target> {
        let runs = |target: &Target| self.runner.is_some() && !self.is_for_this_machine() || cpu_runs(*target);
        Target::ALL.into_iter().filter(|target| self.fits(*target) && runs(target)).collect()
    }

    /// The widest of [`Self::targets`]; if there are none, the widest that this CPU runs.
    pub fn best_target(&self) -> Target {
        crate::widest(self.targets()).unwrap_or_else(crate::best_target)
    }

    /// Checks that it makes kernels for the target that can be run, by a runner or in this process on the right CPU.
    pub fn check(&self, target: Target) -> Result<(), CompileError> {
        let compiler = self.name();
        let machine = self.machine.clone().unwrap_or_default();
        if !self.fits(target) {
            return Err(CompileError::WrongArchitecture { compiler, machine, target });
        }
        if self.runner.is_none() && !self.is_for_this_machine() {
            return Err(CompileError::NoRunner { compiler, machine });
        }
        Ok(())
    }
}

/// The architecture of a target triple.
fn architecture(machine: &str) -> &str {
    match machine.split('-').next().unwrap_or_default() {
        "arm64" => "aarch64",
        "amd64" => "x86_64",
        "ppc64le" => "powerpc64le",
        other => other,
    }
}

/// The machine for which a compiler says that it compiles.
fn machine(program: &str, arguments: &[String]) -> Option<String> {
    let output = Command::new(program).args(arguments).arg("-dumpmachine").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let name = text.trim();
    let is_triple = name.contains('-') && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    (output.status.success() && is_triple).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiler(machine: Option<&str>) -> CCompiler {
        let machine = machine.map(str::to_owned);
        CCompiler { command: vec!["cc".into()], version: String::new(), machine, runner: None, time_limit: TIME_LIMIT }
    }

    #[test]
    fn compilers_fit_the_targets_of_their_architecture() {
        let fitting = |machine| -> Vec<&str> {
            Target::ALL.into_iter().filter(|&t| compiler(machine).fits(t)).map(Target::name).collect()
        };
        assert_eq!(
            fitting(Some("x86_64-linux-gnu")),
            ["c32", "c64", "sse", "ssesha", "avx2", "avx512", "avx512ifma", "avx512vaes"]
        );
        assert_eq!(fitting(Some("aarch64-unknown-linux-gnu")), ["c32", "c64", "neon"]);
        assert_eq!(fitting(Some("arm64-apple-darwin23")), ["c32", "c64", "neon"]);
        assert_eq!(fitting(Some("powerpc64le-linux-gnu")), ["c32", "c64", "vsx"]);
        assert_eq!(fitting(Some("powerpc64-linux-gnu")), ["c32", "c64"]);
        assert_eq!(fitting(None).len(), Target::ALL.len());
    }
}
