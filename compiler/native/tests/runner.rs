//! Kernels that a runner executes, and runners that misbehave. The working runner is `env`, so that no emulator is
//! needed.
#![allow(unsafe_code)] // Kernels are called.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use culet_ir::Target;
use culet_native::{
    BuildError, CCompiler, CallError, Callable, CompileError, Extent, Job, KernelSource, RunError, Runner,
};

/// Adds a byte to all bytes, and counts the bytes.
const KERNEL: &str = "#include <stddef.h>
#include <stdint.h>
void add(uint8_t *const *out, const uint8_t *const *in, size_t count);
void add(uint8_t *const *out, const uint8_t *const *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[0][i] = (uint8_t)(in[0][i] + in[1][0]);
    out[1][0] = (uint8_t)count;
}
";

fn kernel_with(runner: Option<Runner>) -> Callable {
    let compiler = CCompiler::find(None).expect("a C compiler").with_runner(runner);
    let (each, one) = (Extent { fixed: 0, per_count: 1 }, Extent { fixed: 1, per_count: 0 });
    let source = KernelSource { files: &[("add.c", KERNEL)], symbol: "add" };
    // SAFETY: the function has the signature and the extents.
    let kernel = unsafe { compiler.kernel(source, Target::C64, &["-O1"], (vec![each, one], vec![each, one])) };
    kernel.expect("it compiles")
}

fn call(kernel: &Callable, bytes: &[u8]) -> Result<(Vec<u8>, u8), CallError> {
    let (mut sums, mut count) = (vec![0; bytes.len()], [0]);
    kernel.call(&mut [&mut sums, &mut count], &[bytes, &[7]], bytes.len())?;
    Ok((sums, count[0]))
}

/// A runner that is a script. The script's first argument is the kernel's program.
fn script(folder: &Path, text: &str) -> Runner {
    let path = folder.join("runner");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may be executed");
    // The script is run by the shell, so that it does not matter if another process still holds the file open.
    Runner::new(&format!("sh {}", path.display()))
}

#[test]
fn loaded_and_executed_kernels_give_the_same() {
    let (loaded, executed) = (kernel_with(None), kernel_with(Some(Runner::new("env"))));
    assert!(matches!(loaded, Callable::Loaded(_)) && matches!(executed, Callable::Executed(_)));
    for bytes in [&[][..], &[1, 2, 255_u8], &[9; 200_000]] {
        let expected: Vec<u8> = bytes.iter().map(|b: &u8| b.wrapping_add(7)).collect();
        for kernel in [&loaded, &executed] {
            assert_eq!(call(kernel, bytes).expect("it runs"), (expected.clone(), bytes.len() as u8));
        }
    }
}

#[test]
fn runners_that_fail_are_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let error = |runner: Runner| call(&kernel_with(Some(runner)), &[1, 2, 3]).expect_err("the runner fails");
    let missing = error(Runner::new("/no/such/runner -x"));
    assert!(matches!(missing.error, RunError::NotStarted { .. }), "{missing}");
    assert!(missing.to_string().contains("`/no/such/runner -x`"), "{missing}");
    assert!(missing.to_string().contains("`/no/such/runner` cannot be started"), "{missing}");
    assert!(matches!(error(Runner::new(" ")).error, RunError::NotStarted { .. }));

    let dead = error(script(folder.path(), "echo no such machine >&2\nexit 5"));
    assert!(matches!(dead.error, RunError::Died { .. }), "{dead}");
    assert!(dead.to_string().ends_with("exit status: 5: no such machine"), "{dead}");
    let killed = error(script(folder.path(), "kill -9 $$"));
    assert!(matches!(killed.error, RunError::Died { .. }) && killed.to_string().contains("SIGKILL"), "{killed}");
    // Without its input, the kernel's program fails.
    let deaf = error(script(folder.path(), "$1 </dev/null"));
    assert!(deaf.to_string().contains("its input does not begin as it should"), "{deaf}");
}

#[test]
fn rubbish_is_no_result() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (text, shown) in [
        ("echo hello", "hello"),
        ("true", "nothing"),
        ("echo Welcome; $1", "Welcome"),
        ("$1; echo bye", "results"),
        ("$1 | head -c 10", "results"),
        ("$1 | tr a-z A-Z", "CULET"),
        ("exec yes", "y"),
    ] {
        let kernel = kernel_with(Some(script(folder.path(), text)));
        let error = call(&kernel, &[1, 2, 3]).expect_err("that is rubbish");
        assert!(
            matches!(error.error, RunError::Rubbish { .. }) && error.to_string().contains(shown),
            "{text}: {error}"
        );
    }
}

/// Runs a shell command as a program, here if there is no runner.
fn run(runner: Option<&Runner>, command: &str, time_limit: Duration) -> Result<Vec<u8>, RunError> {
    let arguments = ["-c".to_owned(), command.to_owned()];
    let (input, output_limit) = (b"hello", 1000);
    Job { program: Path::new("/bin/sh"), arguments: &arguments, input, time_limit, output_limit }.run(runner)
}

#[test]
fn programs_run_here_or_through_a_command() {
    let env = Runner::new("env -i");
    for runner in [None, Some(&env)] {
        let long = Duration::from_secs(60);
        assert_eq!(run(runner, "tr a-z A-Z; echo not this >&2", long).expect("it runs"), b"HELLO");
        let fails = |command: &str| run(runner, command, long).expect_err("it fails");
        let died = fails("echo out of cheese >&2; exit 3");
        assert!(matches!(died, RunError::Died { .. }));
        assert_eq!(died.to_string(), "it died: exit status: 3: out of cheese");
        let crashed = fails("kill -SEGV $$");
        assert!(matches!(crashed, RunError::Died { .. }) && crashed.to_string().contains("SIGSEGV"), "{crashed}");
        let hung = run(runner, "exec sleep 100", Duration::from_millis(500)).expect_err("it hangs");
        assert!(matches!(hung, RunError::Hung { .. }));
        assert_eq!(hung.to_string(), "it did not end within 0.5 s");
        assert!(matches!(fails("exec yes"), RunError::Rubbish { .. }));
    }
    let (arguments, time_limit) = ([], Duration::from_secs(60));
    let program = Path::new("/no/such/program");
    let missing = Job { program, arguments: &arguments, input: &[], time_limit, output_limit: 1 };
    let (here, through) =
        (missing.run(None).expect_err("no program"), missing.run(Some(&env)).expect_err("no program"));
    assert!(matches!(here, RunError::NotStarted { .. }) && here.to_string().contains("/no/such/program"), "{here}");
    // The runner does not find the program.
    assert!(matches!(through, RunError::Died { .. }) && through.to_string().contains("/no/such/program"), "{through}");
}

#[test]
fn who_is_stopped_leaves_nobody_behind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let note = folder.path().join("id");
    let command = format!("sleep 100 & echo $! >{0}.new; mv {0}.new {0}; wait", note.display());
    let hung = run(None, &command, Duration::from_secs(2)).expect_err("it hangs");
    assert!(matches!(hung, RunError::Hung { .. }), "{hung}");
    let id = fs::read_to_string(note).expect("the shell wrote whom it started");
    // A signal takes a moment to arrive, and a killed process may still be in the list of processes as a zombie.
    let state = || fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    let is_gone = || state().is_empty() || state().contains(") Z ");
    let start = Instant::now();
    while !is_gone() {
        assert!(start.elapsed() < Duration::from_secs(30), "{}", state());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn compilers_for_another_machine_are_refused() {
    let compiler = CCompiler::find(None).expect("a C compiler");
    let machine = compiler.machine.clone().expect("it says what it compiles for");
    let other = if compiler.fits(Target::Neon) { Target::Vsx } else { Target::Neon };
    let source = KernelSource { files: &[("add.c", KERNEL)], symbol: "add" };
    // SAFETY: the compilation is refused.
    let refused = unsafe { compiler.kernel(source, other, &[], (Vec::new(), Vec::new())) };
    let Err(BuildError::Compile(error @ CompileError::WrongArchitecture { .. })) = refused else {
        panic!("{} makes {}", compiler.name(), other.name())
    };
    assert!(error.to_string().contains(&machine) && error.to_string().contains(other.name()), "{error}");

    let mut foreign = compiler;
    foreign.machine = Some("s390x-linux-gnu".into());
    assert!(matches!(foreign.check(Target::C64), Err(CompileError::NoRunner { .. })));
    assert!(foreign.with_runner(Some(Runner::new("qemu-s390x"))).check(Target::C64).is_ok());
}
