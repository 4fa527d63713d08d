//! Faults are reported where they are, the model's costs are those of its table, and traces and counts tell programs apart.

mod support;

use culet_rv32sim::{Access, Costs, Fault, LoadError, Machine, Options, Program, Report, Run};
use support::EXIT;

fn fault(assembly: &str) -> Option<Report> {
    if !support::has_tools() {
        return None;
    }
    let code = format!("{assembly}\n    li t0, 0{EXIT}");
    let options = Options { limit: 10_000, ..Options::default() };
    Some(*support::run(&code, options).expect_err("the program cannot go on"))
}

/// The run of a program that ends.
fn good(assembly: &str, options: Options) -> Option<Run> {
    support::has_tools().then(|| support::run(&format!("{assembly}\n    li t0, 0{EXIT}"), options).expect("it ends"))
}

#[test]
fn each_fault_is_reported() {
    let unmapped = |access, address| Fault::Unmapped { access, address };
    let cases = [
        ("li a0, 0x40000000\nlw a1, 4(a0)", unmapped(Access::Load, 0x4000_0004)),
        ("li a0, 0x80004000\nlbu a1, 0(a0)", unmapped(Access::Load, 0x8000_4000)),
        ("li a0, 0x80003fff\nsb a1, 1(a0)", unmapped(Access::Store, 0x8000_4000)),
        ("li a0, 0x20010000\nsw a1, 0(a0)", unmapped(Access::Store, 0x2001_0000)),
        ("li a0, 0x10\njr a0", unmapped(Access::Execute, 0x10)),
        ("li a0, 0x80000002\nlw a1, 0(a0)", Fault::Misaligned { access: Access::Load, address: 0x8000_0002, size: 4 }),
        ("li a0, 0x80000001\nsh a1, 0(a0)", Fault::Misaligned { access: Access::Store, address: 0x8000_0001, size: 2 }),
        (".2byte 0", Fault::Illegal { word: 0 }),
        (".4byte 0x00000057", Fault::Illegal { word: 0x57 }),
        (".option arch, +zicsr\ncsrr a0, cycle", Fault::Csr { word: 0xc000_2573 }),
        ("ecall", Fault::Call),
        ("ebreak", Fault::Breakpoint),
        (
            "li a0, 9\n.balign 4\n.option norvc\nslli zero, zero, 31\nebreak\nsrai zero, zero, 7",
            Fault::Semihosting { operation: 9 },
        ),
        ("1: j 1b", Fault::Circle),
        ("1: beq zero, zero, 1b", Fault::Circle),
        (".option norvc\n1: bgeu a0, a0, 1b", Fault::Circle),
        ("1: addi a0, a0, 1\nj 1b", Fault::Limit { instructions: 10_000 }),
    ];
    for (assembly, expected) in cases {
        let Some(report) = fault(assembly) else { return };
        assert_eq!(report.fault, expected, "{assembly}");
    }
}

#[test]
fn a_report_has_the_place_the_function_and_the_registers() {
    let Some(report) = fault("li s1, 0x12345678\nnop\nli a0, 0\nlw a1, 0(a0)") else { return };
    assert_eq!(report.function, Some(("start".to_owned(), report.pc - 0x2001_0000)));
    assert_eq!(report.registers[9], 0x1234_5678);
    let text = report.to_string();
    let first = format!(
        "load from 0x00000000, where the program has no memory\nat {:#010x}, start + 0xc\n  zero 00000000",
        report.pc
    );
    assert!(text.starts_with(&first), "{text}");
    assert!(text.contains("  s1 12345678"), "{text}");
}

#[test]
fn a_report_of_a_place_in_no_function_says_which_ran_before() {
    let Some(report) = fault("li a0, 0x10\njr a0") else { return };
    assert_eq!((report.function.as_ref(), report.came_from.as_deref()), (None, Some("start")));
    assert!(report.to_string().contains("at 0x00000010, in no function; start ran before\n"), "{report}");
    // A function without a size ends with the code, not where memory does.
    let text = ".text\n.globl start\n.type start, @function\nstart: la a0, word\njr a0\n.data\nword: .word 0\n";
    let built = support::link(&[("program.s", text)]);
    let machine = Machine::new(support::load(&built.path), Options::default()).expect("it fits");
    let report = *machine.run().expect_err("no code is there");
    assert_eq!((report.pc, report.function, report.came_from.as_deref()), (0x8000_0000, None, Some("start")));
}

#[test]
fn a_file_that_is_no_program_is_refused() {
    assert!(matches!(Program::read(b"no ELF"), Err(LoadError::Unreadable(_))));
    assert!(matches!(Program::read(&[]), Err(LoadError::Unreadable(_))));
    if !support::has_tools() {
        return;
    }
    let built = support::link(&[("program.s", &format!(".globl start\nstart: li t0, 0{EXIT}"))]);
    let file = std::fs::read(&built.path).expect("a program");
    // Any damage is an error or another program, never a panic.
    for place in (0..file.len()).step_by(5) {
        let mut damaged = file.clone();
        damaged[place] ^= 0x55;
        if let Ok(program) = Program::read(&damaged)
            && let Ok(machine) = Machine::new(program.into(), Options { limit: 1000, ..Options::default() })
        {
            let _ = machine.run();
        }
        let _ = Program::read(&file[..place]);
    }
    let mut other = file;
    other[18] = 40;
    assert_eq!(Program::read(&other).err(), Some(LoadError::OtherMachine(40)));
}

/// Cycles of some instructions after `before`, beside those of `before` alone.
fn cycles(before: &str, measured: &str, costs: Costs) -> Option<u64> {
    let options = Options { costs, ..Options::default() };
    let start = "la s0, block\nnop\nnop\nnop\nnop\n.option norvc\n";
    let watched = vec!["measured".to_owned(), "nothing".to_owned()];
    let options = Options { watched, ..options };
    let function = |name: &str, body: &str| format!(".type {name}, @function\n{name}:\n{body}\nret\n");
    let measured = function("measured", &format!("{before}\n{measured}"));
    let nothing = function("nothing", before);
    let text = format!(
        "{start}call nothing\ncall measured\nj 9f\n{nothing}{measured}.type rest, @function\nrest: 9:\n.option rvc\n.balign 4"
    );
    let run = good(&text, options)?;
    Some(run.calls[1].counts.cycles - run.calls[0].counts.cycles)
}

#[test]
fn costs_are_those_of_the_table() {
    let cases = [
        // Independent instructions take a cycle each.
        ("", "addi t1, t1, 1\naddi t2, t2, 1", 2),
        ("", "lw t1, 0(s0)\naddi t2, t2, 1\naddi t2, t1, 1", 3),
        ("", "lw t1, 0(s0)\naddi t2, t1, 1", 3),
        ("", "lbu t1, 0(s0)\naddi t2, t1, 1", 4),
        ("", "lh t1, 0(s0)\naddi t2, t1, 1", 4),
        ("", "mul t1, t2, t3\naddi t2, t1, 1", 7),
        ("", "mul t1, t2, t3\nmul t4, t2, t3\naddi t5, t4, 0", 13),
        ("", "mul t1, t2, t3\naddi t2, t2, 1", 2),
        ("", "divu t1, t2, t3\naddi t2, t1, 1", 34),
        // A load right after a store to the same word waits, one of another word does not.
        ("", "sw t2, 0(s0)\nlw t1, 0(s0)", 7),
        ("", "sw t2, 0(s0)\nlw t1, 4(s0)", 2),
        ("", "sw t2, 0(s0)\nnop\nnop\nnop\nlw t1, 0(s0)", 5),
        // Constants in flash.
        ("la s1, start", "lw t1, 0(s1)", 99),
        // A jump that has not been seen is not predicted, a branch that is not taken is.
        ("", "j 1f\n1:", 4),
        ("", "bne zero, zero, 1f\n1:", 1),
        ("", "beq zero, zero, 1f\n1:", 4),
    ];
    for (before, measured, expected) in cases {
        let Some(found) = cycles(before, measured, Costs::E31) else { return };
        assert_eq!(found, expected, "{before}; {measured}");
    }
}

#[test]
fn a_loop_is_predicted_after_its_first_iteration() {
    // Three cycles to fill the buffer of targets, and three at the end. 221·history changes the place of the direction at first.
    let body = "li t1, 100\n1: addi t1, t1, -1\nbnez t1, 1b";
    let Some(found) = cycles("", body, Costs::E31) else { return };
    assert!((201 + 6..201 + 6 + 3 * 9).contains(&found), "{found}");
}

#[test]
fn a_target_that_the_boundary_of_a_word_cuts_costs_one_cycle() {
    let cut = ".option rvc\nc.nop\n.option norvc\nj 1f\nnop\n1: addi t1, t1, 1\n.option rvc\nc.nop\n.option norvc";
    let whole = "nop\nj 1f\nnop\n1: addi t1, t1, 1\nnop";
    let (Some(cut), Some(whole)) = (cycles("", cut, Costs::E31), cycles("", whole, Costs::E31)) else { return };
    assert_eq!(cut, whole + 1);
}

#[test]
fn the_cache_holds_two_lines_of_each_set() {
    // Three functions 8 KiB apart share a set; two of them do not push one another out.
    let calls = |count: u32| {
        let mut text = "la s1, far\nli s2, 0x2000\nli s3, 10\n1:\n".to_owned();
        for place in 0..count {
            text += &format!(
                "mv s4, s1\nli s5, {place}\n2: beqz s5, 3f\nadd s4, s4, s2\naddi s5, s5, -1\nj 2b\n3: jalr s4\n"
            );
        }
        text += "addi s3, s3, -1\nbnez s3, 1b\nj 9f\n.balign 8192\n.zero 4096\nfar: ret\n.zero 8190\nret\n.zero 8190\nret\n9:";
        text
    };
    let options = Options { costs: Costs { line_fill: Costs::LINE_FILL, ..Costs::E31 }, ..Options::default() };
    let misses = |count| good(&calls(count), options.clone()).map(|run| run.counts.cache_misses);
    let (Some(one), Some(two), Some(three)) = (misses(1), misses(2), misses(3)) else { return };
    assert!((1..=3).contains(&(two - one)), "{one} {two}");
    // Each of the three is fetched anew in all ten iterations.
    assert!((27..=33).contains(&(three - two)), "{two} {three}");
}

#[test]
fn calls_and_functions_are_counted() {
    let text = "la sp, block + 1024\ncall outer\nj 9f
        .type outer, @function\nouter: addi sp, sp, -64\nsw ra, 0(sp)\ncall inner\ncall inner\nlw ra, 0(sp)\naddi sp, sp, 64\nret
        .type inner, @function\ninner: addi sp, sp, -32\nmul t1, t2, t3\naddi sp, sp, 32\nret
        .type rest, @function\nrest: 9:";
    let options = Options { watched: ["outer", "inner"].map(str::to_owned).to_vec(), ..Options::default() };
    let Some(run) = good(text, options) else { return };
    let calls: Vec<_> =
        run.calls.iter().map(|call| (call.name.as_str(), call.counts.instructions, call.stack)).collect();
    assert_eq!(calls, [("inner", 4, 32), ("inner", 4, 32), ("outer", 17, 96)]);
    let function = |name: &str| run.functions.iter().find(|function| function.name == name).expect("it ran");
    assert_eq!((function("outer").counts.instructions, function("outer").stack), (9, 64));
    assert_eq!((function("inner").counts.multiplications, function("inner").stack), (2, 96));
    let all: u64 = run.functions.iter().map(|function| function.counts.cycles).sum();
    assert_eq!((all, run.stack), (run.counts.cycles, 96));
}

#[test]
fn a_trace_tells_addresses_and_branches_but_not_values() {
    let options = Options { is_traced: true, ..Options::default() };
    let trace = |text: &str| good(text, options.clone()).map(|run| run.trace);
    let Some(first) = trace("li a0, 4\nla a1, block\nadd a2, a0, a1\nlw a3, 0(a1)") else { return };
    assert_eq!(Some(first), trace("li a0, 8\nla a1, block\nadd a2, a0, a1\nlw a3, 0(a1)"));
    let address = |value: u32| trace(&format!("li a0, {value}\nla a1, block\nadd a2, a0, a1\nlw a3, 0(a2)"));
    assert_ne!(address(4), address(0));
    let branch = |value: u32| trace(&format!("li a0, {value}\nbeqz a0, 1f\nnop\n1:"));
    assert_ne!(branch(1), branch(0));
    assert_eq!(branch(1), branch(2));
    let division = |value: u32| trace(&format!("li a0, {value}\ndivu a0, a0, a0"));
    assert_ne!(division(1), division(100));
}

#[test]
fn code_that_a_program_writes_is_run() {
    // `li a0, 7; ret` is written over `li a0, 5; ret`, which has run before.
    let text = "la s0, code\njalr s0\nmv s1, a0\nlhu t1, 2(s0)\nli t0, 0x451d\nsh t0, 0(s0)\njalr s0\nslli a0, a0, 4\nor s1, s1, a0
        mv t0, s1\nj 9f\n.data\n.balign 4\ncode: li a0, 5\nret\n.text\n9: ";
    if !support::has_tools() {
        return;
    }
    let run = support::run(&format!("{text}{EXIT}"), Options::default()).expect("it ends");
    assert_eq!(run.exit_code, 0x75);
}
