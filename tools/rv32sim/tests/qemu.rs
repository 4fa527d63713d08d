//! Random sequences of instructions leave the same registers and memory here as in QEMU.
//!
//! `CULET_SEQUENCES=1000000 cargo test --release -p culet-rv32sim --test qemu` compares a million of them.
//!
//! Sequences are made by filling the free bits of encodings at random, so that QEMU decodes them, too. Every table's row occurs.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use culet_rv32sim::{COMPRESSED, ENCODINGS, Instruction, Machine, Operation, Options};
use culet_testing::Rng;
use culet_testing::draw::wants_all;

/// Registers that sequences do not write: the bases of memory, the place of the state, and the way back.
const KEPT: [u8; 4] = [2, 3, 4, 8];
/// Instructions of one sequence.
const LENGTH: usize = 48;
/// Sequences of one program.
const LARGEST: usize = 1050;

/// An encoding of 2 or 4 bytes.
#[derive(Clone, Copy)]
struct Encoded {
    bits: u32,
    length: u32,
}

impl Encoded {
    fn decoded(self) -> Instruction {
        Instruction::decode(self.bits)
    }
}

/// Instructions without jumps, and what they are.
struct Generator {
    rng: Rng,
    seen: BTreeSet<(Operation, u32)>,
}

impl Generator {
    /// An instruction that goes on to the next one.
    fn plain(&mut self) -> Encoded {
        use Operation as O;
        loop {
            let encoded = self.candidate();
            let i = encoded.decoded();
            let is_plain = !matches!(
                i.operation,
                O::Illegal | O::Csr | O::Ecall | O::Ebreak | O::Jal | O::Jalr | O::Beq | O::Bne | O::Blt | O::Bge
            ) && !matches!(i.operation, O::Bltu | O::Bgeu);
            let is_memory = (O::Lb as u8..=O::Sw as u8).contains(&(i.operation as u8));
            let size = match i.operation {
                O::Lw | O::Sw => 4,
                O::Lh | O::Lhu | O::Sh => 2,
                _ => 1,
            };
            let is_placed = !is_memory || matches!(i.rs1, 2 | 8) && i.immediate % size == 0;
            if is_plain && is_placed && !KEPT.contains(&i.rd) {
                self.seen.insert((i.operation, encoded.length));
                return encoded;
            }
        }
    }

    /// Random bits in one row of the tables, with the bases of memory more often than not.
    fn candidate(&mut self) -> Encoded {
        let random = self.rng.draw() as u32;
        if self.rng.chance(50) {
            let row = self.rng.pick(&COMPRESSED);
            return Encoded { bits: (random & !row.mask | row.bits) & 0xffff, length: 2 };
        }
        let row = self.rng.pick(&ENCODINGS);
        let is_memory = (Operation::Lb as u8..=Operation::Sw as u8).contains(&(row.operation as u8));
        let base = if is_memory { 0x1f << 15 } else { 0 };
        let bits = random & !base | u32::from(*self.rng.pick(&[2u8, 8])) << 15 & base;
        Encoded { bits: bits & !row.mask | row.bits, length: 4 }
    }

    /// Some instructions and a way to jump over them.
    fn jump(&mut self) -> Vec<Encoded> {
        let skipped: Vec<Encoded> = (0..self.rng.below(4)).map(|_| self.plain()).collect();
        let size: u32 = skipped.iter().map(|encoded| encoded.length).sum();
        let free = [1u8, 5, 6, 7, 9, 10, 15, 20, 31];
        let (rd, base) = (u32::from(*self.rng.pick(&free)), u32::from(*self.rng.pick(&free)));
        let register = self.rng.below(32) << 15 | self.rng.below(32) << 20;
        let short = self.rng.below(8) << 7;
        let auipc = Encoded { bits: 0x17 | base << 7, length: 4 };
        let add = |offset: u32| Encoded { bits: 0x13 | base << 7 | base << 15 | offset << 20, length: 4 };
        let branch = *self.rng.pick(&[0u32, 1, 4, 5, 6, 7]);
        let mut way = match self.rng.below(8) {
            0 | 1 => vec![Encoded { bits: 0x63 | branch << 12 | register | branch_offset(4 + size), length: 4 }],
            2 => vec![Encoded { bits: 0x6f | rd << 7 | (4 + size) << 20, length: 4 }],
            3 => vec![auipc, Encoded { bits: 0x67 | rd << 7 | base << 15 | (8 + size) << 20, length: 4 }],
            4 => vec![Encoded { bits: 0xc001 | (branch & 1) << 13 | short | short_branch(2 + size), length: 2 }],
            5 => vec![Encoded { bits: [0xa001, 0x2001][branch as usize & 1] | short_jump(2 + size), length: 2 }],
            6 => vec![auipc, add(10 + size), Encoded { bits: 0x8002 | base << 7, length: 2 }],
            _ => vec![auipc, add(10 + size), Encoded { bits: 0x9002 | base << 7, length: 2 }],
        };
        self.seen.extend(way.iter().map(|encoded| (encoded.decoded().operation, encoded.length)));
        way.extend(skipped);
        way
    }
}

/// The bits of a small offset, in a branch.
fn branch_offset(offset: u32) -> u32 {
    (offset >> 1 & 15) << 8 | (offset >> 5 & 63) << 25
}

/// The bits of an offset below 32, in a compressed branch.
fn short_branch(offset: u32) -> u32 {
    (offset >> 3 & 3) << 10 | (offset >> 1 & 3) << 3
}

/// As that, in a compressed jump.
fn short_jump(offset: u32) -> u32 {
    (offset >> 4 & 1) << 11 | (offset >> 1 & 7) << 3
}

/// Sequences with the code that loads registers before each and writes a hash of registers and memory after it.
fn program(generator: &mut Generator, sequences: usize) -> String {
    let mut text = ".text\n.globl start\nstart:\n    la gp, state\n".to_owned();
    for _ in 0..sequences {
        text += "    jal tp, restore\n";
        let mut count = 0;
        while count < LENGTH {
            let part = if generator.rng.chance(15) { generator.jump() } else { vec![generator.plain()] };
            count += part.len();
            for encoded in part {
                let _ = writeln!(text, "    .{}byte {:#x}", encoded.length, encoded.bits);
            }
        }
        text += "    jal tp, save\n";
    }
    text += "    jal zero, finish\n";
    for (label, instruction) in [("restore", "lw"), ("save", "sw")] {
        let _ = writeln!(text, "{label}:");
        for register in (1..32).filter(|register| ![3, 4].contains(register)) {
            let _ = writeln!(text, "    {instruction} x{register}, 4 * {register}(gp)");
        }
        text +=
            if label == "save" { "    mv s0, tp\n    la sp, stack_end\n    mv a0, gp\n    call check\n" } else { "" };
        text += if label == "save" { "    la gp, state\n    jr s0\n" } else { "    jr tp\n" };
    }
    text += "finish:\n    li t0, 0\n";
    text += support::EXIT;
    text += "    .globl write_text\nwrite_text:\n    mv a1, a0\n    li a0, 4\n    .balign 4\n    .option norvc\n";
    text +=
        "    slli zero, zero, 0x1f\n    ebreak\n    srai zero, zero, 7\n    ret\n    .data\n    .balign 4\nstate:\n";
    for register in 0..32 {
        let _ = match register {
            2 | 8 => writeln!(text, "    .word memory + 2048"),
            _ => writeln!(text, "    .word {:#x}", generator.rng.word(32)),
        };
    }
    text += "memory:\n";
    for _ in 0..1024 {
        let _ = writeln!(text, "    .word {:#x}", generator.rng.draw() as u32);
    }
    text + "    .zero 512\nstack_end:\n"
}

/// Writes a hash of the state and the memory after it. A sequence may have stored its own address in a register, which both machines have.
const CHECK: &str = "
void write_text(const char *text);
void check(const unsigned *words)
{
    unsigned hash = 0;
    char text[10];
    for (int i = 0; i < 32 + 1024; i++)
        hash = (hash ^ words[i]) * 0x01000193 + (hash >> 15);
    for (int i = 0; i < 8; i++)
        text[i] = \"0123456789abcdef\"[hash >> 28 - 4 * i & 15];
    text[8] = '\\n';
    text[9] = 0;
    write_text(text);
}
";

#[test]
fn random_sequences_do_the_same_here_and_in_qemu() {
    if !support::has_tools() {
        return;
    }
    // A million instructions in all, of which the suite takes some thousands.
    let asked = std::env::var("CULET_SEQUENCES").ok().map(|text| text.parse().expect("a number of sequences"));
    let all = asked.unwrap_or(if wants_all() { 20 * LARGEST } else { 150 });
    let (programs, sequences) = (all.div_ceil(LARGEST), all.min(LARGEST));
    let mut generator = Generator { rng: Rng::new(35), seen: BTreeSet::new() };
    for number in 0..programs {
        let text = program(&mut generator, sequences);
        let built = support::link(&[("program.s", &text), ("check.c", CHECK)]);
        let run = Machine::new(support::load(&built.path), Options::default()).expect("it fits").run();
        let here = String::from_utf8(run.expect("it ends").output).expect("digits");
        let qemu = Command::new("qemu-riscv32").arg(&built.path).output().expect("QEMU runs");
        // Its console is on stderr.
        let there = String::from_utf8(qemu.stderr).expect("digits");
        assert_eq!(there.lines().count(), sequences, "program {number}: QEMU stopped: {:?}", qemu.status);
        for (sequence, (here, there)) in here.lines().zip(there.lines()).enumerate() {
            assert_eq!(here, there, "program {number}, sequence {sequence}");
        }
        assert_eq!(here.lines().count(), sequences, "program {number}");
    }
    // Every operation in every length that the tables have, but for those that end a program.
    let is_run =
        |operation| !matches!(operation, Operation::Illegal | Operation::Csr | Operation::Ecall | Operation::Ebreak);
    let long = ENCODINGS.iter().map(|row| (row.operation, 4));
    let short = COMPRESSED.iter().map(|row| (Instruction::decode(row.bits | 1 << 7 | 1 << 2).operation, 2));
    let expected: BTreeSet<_> = long.chain(short).filter(|(operation, _)| is_run(*operation)).collect();
    let missing: Vec<_> = expected.difference(&generator.seen).collect();
    assert!(missing.is_empty(), "{missing:?} did not occur");
}
