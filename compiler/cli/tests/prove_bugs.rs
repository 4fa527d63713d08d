//! Bugs of each kind, at random places of a C compiler's output: `culet prove` rejects all of them for the right
//! reason.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use support::proving::{Kernel, ONE_GROUP, compile, flags};
use support::{directory, write};

/// Number of bugs of each kind.
const BUGS: usize = 50;

const MIX: &str = "node mix (a : u<V>32x4, k : u<V>32x4) returns (b : u<V>32x4)
vars r : u<V>32x4[4]
let
  r[0] = a;
  _unroll forall i in [0, 2] {
    r[i + 1][0] = (r[i][0] + k[0]) ^ (r[i][1] <<< 7);
    r[i + 1][1] = (r[i][1] ^ k[1]) + (r[i][2] <<< 9);
    r[i + 1][2] = (r[i][2] + k[2]) ^ (r[i][3] <<< 13);
    r[i + 1][3] = (r[i][3] ^ k[3]) + (r[i][0] <<< 18)
  }
  b = r[3]
tel
";

const SUM: &str = "node sum (a : u<V>32x8, c : u<V>32x8) returns (b : u<V>32x8)\nlet\n  b = a + c\ntel\n";

/// SplitMix64, a deterministic generator: the places are random and reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as usize % limit
    }

    fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// A program, its function on registers in assembly (AT&T syntax), and the rest of the assembly.
struct Subject {
    directory: tempfile::TempDir,
    kernel: Kernel,
    rest: String,
    instructions: Vec<String>,
}

/// `mix` as GCC compiles it.
fn mix(target: &'static str) -> Subject {
    let directory = directory();
    let source = write(directory.path(), "mix.ua", MIX);
    let kernel = Kernel { source, node: "mix", slice: "v", target, more: ONE_GROUP };
    write(directory.path(), "kernel.c", kernel.c(directory.path()));
    let options = ["-S", "-fno-asynchronous-unwind-tables", "kernel.c", "-o", "mix.s"];
    compile("gcc-12", flags(target), directory.path(), &options);
    let rest = std::fs::read_to_string(directory.path().join("mix.s")).expect("assembly");
    let body =
        rest.split_once("mix_sliced:\n").and_then(|(_, after)| after.split_once("\t.size\tmix_sliced")).expect("it");
    let is_instruction = |line: &&str| line.starts_with('\t') && !line.starts_with("\t.");
    let instructions: Vec<String> = body.0.lines().filter(is_instruction).map(str::to_owned).collect();
    assert!(instructions.len() > 40 && !body.0.contains("(%rsp)"), "{rest}");
    Subject { directory, kernel, rest, instructions }
}

impl Subject {
    /// Proves versions of the subject with these instructions in place of its own, with options. Returns the kind of
    /// rejection and the reason for each.
    fn verdicts(&self, versions: &[Vec<String>], options: &[&str]) -> Vec<(Option<String>, String)> {
        let mut text = self.rest.clone() + "\t.text\n";
        for (number, version) in versions.iter().enumerate() {
            let name = format!("bug{number}_sliced");
            let _ = writeln!(text, "\t.globl {name}\n\t.type {name}, @function\n{name}:\n{}", version.join("\n"));
            let _ = writeln!(text, "\t.size {name}, .-{name}");
        }
        let object = assemble(self.directory.path(), &text);
        let verdict = |number: usize| {
            let stem = format!("bug{number}");
            let found = self.kernel.prove_with(&object, &[&["--symbol", "sliced", "--name", &stem], options].concat());
            let [verdict] = &found.verdicts[..] else { panic!("{found:?}") };
            (verdict["kind"].as_str().map(str::to_owned), verdict["reason"].to_string())
        };
        (0..versions.len()).map(verdict).collect()
    }

    /// Asserts that all versions that `bug` makes are rejected for this kind of reason, and the subject itself is not.
    fn assert_rejected(&self, kind: &str, options: &[&str], mut bug: impl FnMut(&mut Random) -> Vec<String>) {
        let mut random = Random(kind.bytes().map(u64::from).sum());
        let mut versions = vec![self.instructions.clone()];
        versions.extend((0..BUGS).map(|_| bug(&mut random)));
        let verdicts = self.verdicts(&versions, options);
        assert_eq!(verdicts[0].0, None, "{verdicts:?}");
        for (number, (found, reason)) in verdicts.iter().enumerate().skip(1) {
            let text = versions[number].join("\n");
            assert_eq!(found.as_deref(), Some(kind), "{kind} {number}: {reason}\n{text}");
        }
    }

    /// The instructions, with others inserted before one of them.
    fn with(&self, before: usize, others: &[String]) -> Vec<String> {
        let (first, rest) = self.instructions.split_at(before);
        [first, others, rest].concat()
    }

    /// Places after instructions with these mnemonics whose result is in a register, each with the register's name
    /// without `%`.
    fn results(&self, mnemonics: &[&str], register: &str) -> Vec<(usize, String)> {
        let result = |(at, line): (usize, &String)| {
            let mut words = line.split_whitespace();
            let mnemonic = words.next()?;
            let last = words.next_back()?.strip_prefix('%')?;
            let is_one = mnemonics.contains(&mnemonic) && last.starts_with(register);
            is_one.then(|| (at + 1, last.to_owned()))
        };
        self.instructions.iter().enumerate().filter_map(result).collect()
    }

    /// Places at which a general register holds data that is not a result yet, each with the register's name.
    fn secrets(&self) -> Vec<(usize, String)> {
        let mut secrets = self.results(&["xorl", "roll", "rorl"], "");
        secrets.retain(|(at, _)| 2 * at < self.instructions.len());
        assert!(secrets.len() > 5, "{secrets:?}");
        secrets
    }
}

fn assemble(directory: &Path, text: &str) -> PathBuf {
    write(directory, "bugs.s", text);
    compile("gcc-12", &[], directory, &["-c", "bugs.s", "-o", "bugs.o"]);
    directory.join("bugs.o")
}

/// The full name of a general register that is named by its low half.
fn whole(register: &str) -> String {
    match register.strip_prefix('e') {
        Some(rest) => format!("r{rest}"),
        None => register.trim_end_matches('d').to_owned(),
    }
}

#[test]
fn secret_branches() {
    let subject = mix("c64");
    let secrets = subject.secrets();
    subject.assert_rejected("branch", &[], |random| {
        let (at, register) = random.one(&secrets);
        let condition = random.one(&["js", "jne", "jp", "jle"]);
        subject.with(*at, &[format!("\ttestl %{register}, %{register}\n\t{condition} 1f\n\tnop\n1:")])
    });
}

#[test]
fn secret_addresses() {
    let subject = mix("c64");
    let secrets = subject.secrets();
    subject.assert_rejected("address", &[], |random| {
        let (at, register) = random.one(&secrets);
        let (base, whole) = (random.one(&["rsi", "rsp", "rdi"]), whole(register));
        subject.with(*at, &[format!("\tmovl -64(%{base},%{whole}), %{register}")])
    });
}

#[test]
fn reads_out_of_bounds() {
    let subject = mix("c64");
    let reads = |line: &String| {
        let (source, target) = line.rsplit_once(", ")?;
        let (before, base) = source.split_once('(')?;
        let displacement = before.rsplit(['\t', ' ']).next()?;
        let is_read = target.starts_with('%') && base.starts_with("%r") && !base.contains(',') && !line.contains("lea");
        is_read.then(|| {
            (
                before[..before.len() - displacement.len()].to_owned(),
                displacement.parse().unwrap_or(0),
                format!("({base}, {target}"),
            )
        })
    };
    let places: Vec<(usize, (String, i64, String))> =
        subject.instructions.iter().enumerate().filter_map(|(at, line)| Some((at, reads(line)?))).collect();
    assert!(places.len() >= 8, "{:?}", subject.instructions);
    subject.assert_rejected("memory", &[], |random| {
        let (at, (before, displacement, after)) = random.one(&places);
        // Each argument has 16 bytes.
        let distance = 13 + random.below(4000) as i64;
        let other = if random.below(2) == 0 { 0.max(*displacement) + distance } else { -distance };
        let mut version = subject.instructions.clone();
        version[*at] = format!("{before}{}{after}", if other < 0 { other } else { 0.max(other) });
        version
    });
}

#[test]
fn clobbered_registers() {
    let subject = mix("c64");
    let text = subject.instructions.join("\n");
    let names = [("rbx", "ebx"), ("rbp", "ebp"), ("r12", "r12"), ("r13", "r13"), ("r14", "r14"), ("r15", "r15")];
    let unused: Vec<&str> =
        names.iter().filter(|(a, b)| !text.contains(a) && !text.contains(b)).map(|(a, _)| *a).collect();
    assert!(!unused.is_empty(), "{text}");
    subject.assert_rejected("abi", &[], |random| {
        let register = random.one(&unused);
        let one = ["notq %REG", "incq %REG", "movq %rsp, %REG", "bswapq %REG", "leaq 8(%REG), %REG"];
        let instruction = random.one(&one).replace("REG", register);
        subject.with(random.below(subject.instructions.len()), &[format!("\t{instruction}")])
    });
}

#[test]
fn variable_time() {
    let subject = mix("c64");
    let instructions = [
        "divl %ecx",
        "idivq %rsi",
        "divb %al",
        "pextl %eax, %ecx, %eax",
        "pdepq %rax, %rcx, %rax",
        "bsr %eax, %eax",
        "rcl %eax",
        "sqrtsd %xmm0, %xmm0",
        "divps %xmm1, %xmm0",
        "vdivpd %ymm0, %ymm1, %ymm2",
        "pdep %rax, %rcx, %rdx",
        "vsqrtps %xmm1, %xmm1",
    ];
    subject.assert_rejected("time", &[], |random| {
        let instruction = format!("\t{}", random.one(&instructions));
        subject.with(random.below(subject.instructions.len()), &[instruction])
    });
}

#[test]
fn keys_left_behind() {
    let mut subject = mix("c64");
    // All registers that the caller may read are cleared before the return, so that nothing is left.
    let all = ["eax", "ecx", "edx", "esi", "edi", "r8d", "r9d", "r10d", "r11d"];
    let at = subject.instructions.len() - 1;
    assert!(subject.instructions[at].contains("ret"));
    subject.instructions = subject.with(at, &all.map(|register| format!("\txorl %{register}, %{register}")));
    let secrets = subject.secrets();
    subject.assert_rejected("erasure", &["--erasure"], |random| {
        let (at, register) = random.one(&secrets);
        // The rest of the function uses neither these registers nor that part of the stack.
        let bug = match random.below(3) {
            0 => format!("\tmovd %{register}, %xmm{}", 8 + random.below(8)),
            _ => format!("\tmovl %{register}, {}(%rsp)", -128 + 4 * random.below(16) as i64),
        };
        subject.with(*at, &[bug])
    });
    // The old contents of the result's memory are data of the caller.
    let old = subject.with(0, &["\tmovd (%rdi), %xmm9".to_owned()]);
    assert_eq!(subject.verdicts(std::slice::from_ref(&old), &["--erasure"])[0].0.as_deref(), Some("erasure"));
    // Without the option, the same version is proved, and the remains are counted.
    let (at, register) = &secrets[0];
    let left = subject.with(*at, &[format!("\tmovl %{register}, -64(%rsp)")]);
    assert_eq!(subject.verdicts(std::slice::from_ref(&left), &[])[0].0, None);
    // The remains that GCC itself leaves in registers are found, too.
    let plain = mix("c64");
    assert_eq!(
        plain.verdicts(std::slice::from_ref(&plain.instructions), &["--erasure"])[0].0.as_deref(),
        Some("erasure")
    );
}

#[test]
fn swapped_lanes() {
    let subject = mix("avx2");
    let places = subject.results(&["vpaddd", "vpxor", "vpor", "vpslld", "vpsrld", "vpshufb"], "ymm");
    assert!(places.len() > 20, "{:?}", subject.instructions);
    subject.assert_rejected("different", &[], |random| {
        let (at, register) = random.one(&places);
        let bug = match random.below(3) {
            0 => format!("vperm2i128 $1, %{register}, %{register}, %{register}"),
            1 => format!("vpermq ${}, %{register}, %{register}", random.below(0xe4)),
            _ => format!("vpshufd ${}, %{register}, %{register}", random.below(0xe4)),
        };
        subject.with(*at, &[format!("\t{bug}")])
    });
}

/// Sums of words byte by byte, with the carry from each to the next.
#[test]
fn wrong_carries() {
    let directory = directory();
    let source = write(directory.path(), "sum.ua", SUM);
    let kernel = Kernel { source, node: "sum", slice: "v", target: "c64", more: ONE_GROUP };
    let mut instructions = Vec::new();
    for byte in 0..32 {
        let add = if byte % 4 == 0 { "addb" } else { "adcb" };
        instructions.push(format!("\tmovb {byte}(%rsi), %al"));
        instructions.push(format!("\t{add} {byte}(%rdx), %al"));
        instructions.push(format!("\tmovb %al, {byte}(%rdi)"));
    }
    instructions.push("\tret".to_owned());
    let carries: Vec<usize> = (0..instructions.len()).filter(|&at| instructions[at].contains("adcb")).collect();
    let subject = Subject { directory, kernel, rest: String::new(), instructions };
    subject.assert_rejected("different", &[], |random| {
        let at = *random.one(&carries);
        let other = |to: &str| {
            let mut version = subject.instructions.clone();
            version[at] = version[at].replace("adcb", to);
            version
        };
        match random.below(5) {
            0 => other("addb"),
            1 => other("sbbb"),
            2 => subject.with(at, &["\ttestb %al, %al".to_owned()]),
            3 => subject.with(at, &["\tcmpb $-1, %al".to_owned()]),
            // The carry of this byte is added to the next byte but one.
            _ => subject
                .with(at, &["\tsetc %cl\n\tshrb %cl".to_owned()])
                .into_iter()
                .map(|line| line.replace("shrb %cl", "addb $0, %cl"))
                .collect(),
        }
    });
}
