//! The board's operations have the published answers, in the simulator and in QEMU alike, and take the same time whatever the secrets are.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use culet_rv32sim::{Machine, Options, Program, Trace};
use culet_testing::draw;
use culet_testing::{Rng, report};

use super::build::{Builder, CLANG, Compiler, Constants, GCC, RAM_BYTES, Way};
use super::cortex_m4;
use super::figures::{USUAL, figure, options, run};
use super::programs::{Call, OPERATIONS, Operation, text};
use super::recipe::STEPS;
use super::sources;

fn has_tools() -> bool {
    let is_there =
        |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    let is_complete = CLANG.is_installed() && ["ld.lld-19", "qemu-riscv32"].into_iter().all(is_there);
    assert!(
        is_complete || std::env::var_os("CULET_REQUIRE_COMPILERS").is_none(),
        "clang, lld or QEMU is not installed"
    );
    if !is_complete {
        report("UNTESTED: clang-19, lld-19 or qemu-user is not installed");
    }
    is_complete
}

/// The program's output on a whole machine in QEMU, whose flash and RAM are where the board has them; none if that is not installed.
fn on_a_machine(program: &Path) -> Option<String> {
    const MACHINE: &str = "qemu-system-riscv32";
    if Command::new(MACHINE).arg("--version").output().is_err() {
        report("UNTESTED: qemu-system-misc is not installed");
        return None;
    }
    // A program that traps before it says so never ends.
    let mut command = Command::new("timeout");
    command.args([
        "120", MACHINE, "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none", "-serial", "none",
    ]);
    command.args(["-semihosting-config", "enable=on,target=native", "-device"]);
    let output = command.arg(format!("loader,file={},cpu-num=0", program.display())).output().expect("QEMU runs");
    assert!(output.status.success(), "{MACHINE}: {}", output.status);
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn primitives() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../primitives")
}

fn bytes(digits: &str) -> Vec<u8> {
    let digits = digits.trim_start_matches('-');
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect()
}

/// Calls and their published answers, as digits.
fn answers() -> Vec<(Call, String)> {
    let file = fs::read_to_string(sources().join("answers.tsv")).expect("a table");
    let row = |line: &str| {
        let [name, _, parameters, answer] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let operation = OPERATIONS.iter().find(|operation| operation.name == name).expect("an operation");
        (Call { operation, parameters: parameters.split(' ').map(bytes).collect() }, answer.to_owned())
    };
    file.lines().skip(1).map(row).collect()
}

#[test]
fn published_answers_are_found_here_and_in_qemu() {
    if !has_tools() {
        return;
    }
    let mut ways = Vec::new();
    for compiler in [CLANG, GCC].into_iter().filter(super::build::Compiler::is_installed) {
        for march in ["rv32im", "rv32imc"] {
            ways.extend(["-O0", "-O1", "-O2", "-O3", "-Os"].map(|level| Way { compiler, march, level }));
        }
    }
    let mut cases: Vec<_> = ways.into_iter().flat_map(|way| (0..STEPS.len()).map(move |step| (way, step))).collect();
    // Large kernels, and those that are not optimised, take long to compile and to run.
    if !draw::wants_all() {
        cases.retain(|(way, step)| way.level != "-O0" && *step == STEPS.len() - 1);
    }
    let name =
        |(way, step): &(Way, usize)| format!("{} {} {} {}", way.compiler.name, way.march, way.level, STEPS[*step].name);
    let directory = tempfile::tempdir().expect("a directory");
    let answers = answers();
    let calls: Vec<Call> = answers.iter().map(|(call, _)| call.clone()).collect();
    assert!(OPERATIONS.iter().all(|operation| calls.iter().any(|call| call.operation == operation)));
    let expected: String = answers.iter().map(|(_, answer)| format!("{answer}\n")).collect();
    for (way, step) in draw::some("board: answers", cases, 1, name) {
        let builder =
            Builder::new(&STEPS[step], &primitives(), &directory.path().join(name(&(way, step)))).expect("kernels");
        let program = builder.program(&way, Constants::Flash, &text(&calls, false)).expect("it is built");
        let (_, here) = run(&program, options("main", true)).expect("it runs");
        assert_eq!(String::from_utf8_lossy(&here.output), expected, "{}", name(&(way, step)));
        let qemu = Command::new("qemu-riscv32").arg(&program).output().expect("QEMU runs");
        assert_eq!(String::from_utf8_lossy(&qemu.stderr), expected, "{} in QEMU", name(&(way, step)));
        if let Some(found) = on_a_machine(&program) {
            assert_eq!(found, expected, "{} on a machine in QEMU", name(&(way, step)));
        }
    }
}

/// The cells of the first row of a table that begins with these.
fn row(page: &str, first: &str) -> Vec<String> {
    let is_it = |line: &&str| line.starts_with(&format!("| {first} |"));
    let line = page.lines().find(is_it).unwrap_or_else(|| panic!("no row `{first}`"));
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn the_three_numbers_for_embedded_users_are_those_of_the_board() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let [readme, page] = ["README.md", "docs/board.md"].map(|name| fs::read_to_string(root.join(name)).expect(name));
    let sign = row(&page, "`sign`");
    assert_eq!(row(&readme, "cycles, with the misses of the instruction cache")[1], sign[1]);
    assert_eq!(row(&readme, "code, bytes")[1], sign[5]);
    let [constants, stack] = [6, 7].map(|cell| sign[cell].parse::<u32>().expect("a number"));
    assert_eq!(
        row(&readme, "RAM, bytes: stack, and constants that are copied there")[1],
        (constants + stack).to_string()
    );
}

#[test]
fn operations_fit_the_board() {
    if !has_tools() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let builder = Builder::new(&STEPS[STEPS.len() - 1], &primitives(), directory.path()).expect("kernels");
    // Most cycles with the cache, and bytes of code: a little more than what was measured.
    let most = [
        ("sign", 1_450_000, 18_500),
        ("sign_open", 4_500_000, 28_500),
        ("x25519", 2_950_000, 10_500),
        ("box", 3_100_000, 17_500),
        ("sha512", 82_000, 4_200),
        ("p256_sign", 3_300_000, 24_000),
        ("p256_verify", 7_600_000, 36_500),
    ];
    for (name, cycles, code) in most {
        let operation = OPERATIONS.iter().find(|operation| operation.name == name).expect("an operation");
        let found = figure(&builder, USUAL, Constants::Ram, operation, &mut HashMap::new()).expect("it runs");
        assert!(found.cycles <= cycles && found.code <= code, "{name}: {} cycles, {} bytes", found.cycles, found.code);
    }
}

/// The trace of a call with other secrets: those of `places` among the parameters.
fn trace(program: &Arc<Program>, places: &[usize], secrets: &[Vec<u8>]) -> Option<Trace> {
    let options = Options { is_traced: true, ram_bytes: RAM_BYTES, ..Options::default() };
    let mut machine = Machine::new(Arc::clone(program), options).expect("it fits");
    for (place, secret) in places.iter().zip(secrets) {
        machine.object_mut(&format!("p{place}")).expect("the secret").copy_from_slice(secret);
    }
    machine.run().expect("it runs").trace
}

/// Traces of calls with secrets, without the end of the program: results are written with a table of digits.
fn traces(builder: &Builder, way: Way, operation: &'static Operation, main: &str, count: usize) -> Vec<Option<Trace>> {
    let path = builder.program(&way, Constants::Ram, main).expect("it is built");
    let program = Arc::new(Program::read(&fs::read(path).expect("a program")).expect("an ELF file"));
    let mut rng = Rng::new(35);
    let places = operation.secrets;
    let mut drawn = |number: usize, size: usize| match number {
        0 => vec![0; size],
        1 => vec![255; size],
        _ => rng.bytes(size),
    };
    let mut secrets = |number| places.iter().map(|&place| drawn(number, operation.sizes[place])).collect::<Vec<_>>();
    (0..count).map(|number| trace(&program, places, &secrets(number))).collect()
}

fn without_output(main: &str) -> String {
    main.lines().filter(|line| !line.contains("write_hex")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn traces_of_twenty_secrets_are_equal_and_a_leak_is_found() {
    if !has_tools() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let last = &STEPS[STEPS.len() - 1];
    let builder = Builder::new(last, &primitives(), directory.path()).expect("kernels");
    let levels = ["-O0", "-O1", "-O2", "-O3", "-Os"];
    let of_compiler = |compiler: Compiler| levels.map(|level| Way { compiler, march: "rv32imc", level });
    let installed = [CLANG, GCC].into_iter().filter(Compiler::is_installed);
    let mut ways: Vec<Way> = installed.flat_map(of_compiler).collect();
    // Without optimisation, gcc's code takes a hundred million cycles a call.
    ways.retain(|way| way.compiler != GCC || way.level != "-O0");
    for way in draw::some("board: traces", ways, 1, |way| format!("{} {}", way.compiler.name, way.level)) {
        let level = way.level;
        for operation in OPERATIONS.iter().filter(|operation| !operation.secrets.is_empty()) {
            let main = without_output(&text(&[Call::measured(operation)], true));
            let found = traces(&builder, way, operation, &main, 20);
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{} {level}: {found:x?}", operation.name);
        }
        let operation = &OPERATIONS[0];
        let main = without_output(&text(&[Call::measured(operation)], true));
        // A branch on one bit of the secret, an address that depends on it, and a division of a negative number that does.
        for leak in [
            "if (p0[7] & 4)\n        out[0] ^= 1;",
            "out[p0[7] & 1] ^= ((volatile uint8_t *)p1)[p0[7] & 3];",
            "out[0] ^= (uint8_t)((-1 - (int32_t)p0[7]) / (7 + (int32_t)((volatile uint8_t *)p1)[0]));",
        ] {
            let main = main.replace("    return 0;", &format!("    {leak}\n    return 0;"));
            assert!(main.contains(leak));
            let found = traces(&builder, way, operation, &main, 20);
            assert!(found.windows(2).any(|pair| pair[0] != pair[1]), "{level}: {leak}");
        }
    }
}

#[test]
fn cortex_m4_has_the_published_answers_and_counts_every_instruction() {
    if !has_tools() {
        return;
    }
    if !cortex_m4::is_installed() {
        report("UNTESTED: qemu-system-arm is not installed");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let builder = Builder::new(&STEPS[STEPS.len() - 1], &primitives(), directory.path()).expect("kernels");
    let answers = answers();
    let calls: Vec<Call> = answers.iter().map(|(call, _)| call.clone()).collect();
    let expected: String = answers.iter().map(|(_, answer)| format!("{answer}\n")).collect();
    for level in draw::some("board: Cortex-M4", cortex_m4::LEVELS.to_vec(), 1, |level| (*level).to_owned()) {
        let way = cortex_m4::way(level);
        let program = builder.program(&way, Constants::Flash, &text(&calls, false)).expect("it is built");
        assert_eq!(cortex_m4::run(&program).expect("it runs"), expected, "{level}");
        let count = |turns: u32| {
            // 512 instructions a turn, and 400 bytes of stack, the lowest of which is written.
            let main = format!(
                "#include \"board.h\"\n#include \"counts.h\"\nstatic void call(void)\n{{\n    __asm__ volatile(\"lsl r3, %0, #8\\n1: subs r3, #1\\n\
                 bne 1b\\nsub sp, #400\\nstr r3, [sp]\\nadd sp, #400\" : : \"r\"({turns}) : \"r3\", \"cc\", \"memory\");\n}}\n\
                 int main(void)\n{{\n    write_counts(call);\n    write_text(\"-\\n\");\n    return 0;\n}}\n"
            );
            let program = builder.program(&way, Constants::Flash, &main).expect("it is built");
            let said = cortex_m4::run(&program).expect("it runs");
            let ([instructions, stack, ..], _) = cortex_m4::counts(&said).expect("counts");
            (instructions, stack)
        };
        let (short, stack) = count(100);
        assert!((400..440).contains(&stack), "{level}: {stack}");
        for turns in [101, 1000, 60_000] {
            assert_eq!(count(turns), (short + 512 * (turns - 100), stack), "{level}: {turns}");
        }
    }
}
