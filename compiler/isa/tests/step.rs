//! Single steps on known values, and instructions without a meaning.

use culet_isa::x86_64::{self, Flags, Memory, Next, State, Stop};
use culet_isa::{Concrete512, Wide};

/// Memory that refuses everything.
struct Nothing;

impl Memory<Concrete512> for Nothing {
    type Fault = ();

    fn load(&mut self, _: &mut Concrete512, _: &Wide, _: u32, _: u32) -> Result<Wide, ()> {
        Err(())
    }

    fn store(&mut self, _: &mut Concrete512, _: &Wide, _: u32, _: u32, _: &Wide) -> Result<(), ()> {
        Err(())
    }
}

fn state() -> State<Wide> {
    State {
        general: [Wide::default(); 16],
        vectors: [Wide::default(); 32],
        masks: [Wide::default(); 8],
        flags: Flags::undefined(),
    }
}

fn step(state: &mut State<Wide>, bytes: &[u8]) -> Result<Next<Wide>, Stop<()>> {
    let instruction = x86_64::decode(bytes, 0x1000).expect("an instruction");
    x86_64::step(&mut Concrete512::default(), state, &mut Nothing, &instruction)
}

#[test]
fn a_sum_and_its_carry() {
    let mut state = state();
    state.general[0] = Wide::from_limbs(&[u64::MAX]);
    state.general[3] = Wide::from_limbs(&[2]);
    step(&mut state, &[0x48, 0x01, 0xd8]).expect("add rax, rbx");
    assert_eq!(state.general[0].low(), 1);
    let carry = state.flags.carry.value(&mut Concrete512::default()).expect("defined");
    assert_eq!(carry.low(), 1);
}

#[test]
fn undefined_flags_are_not_read() {
    let outcome = step(&mut state(), &[0x48, 0x11, 0xd8]);
    assert!(matches!(outcome, Err(Stop::UndefinedRead(x86_64::FlagName::Carry))), "adc without a carry");
}

#[test]
fn faults_come_through() {
    assert!(matches!(step(&mut state(), &[0x48, 0x8b, 0x03]), Err(Stop::Fault(()))), "mov rax, [rbx]");
}

#[test]
fn what_the_table_lacks_is_unsupported() {
    for (bytes, name) in [
        (&[0x48, 0xf7, 0xf3][..], "div rbx"),
        (&[0x0f, 0x05], "syscall"),
        (&[0xf2, 0xae], "repne scasb"),
        (&[0xf0, 0x48, 0x01, 0x03], "lock add [rbx], rax"),
        (&[0x64, 0x48, 0x8b, 0x03], "mov rax, fs:[rbx]"),
        (&[0x0f, 0xfc, 0xc1], "paddb mm0, mm1"),
        (&[0x66, 0x53], "push bx"),
        (&[0xd9, 0xe8], "fld1"),
    ] {
        let outcome = step(&mut state(), bytes);
        assert!(matches!(outcome, Err(Stop::Unsupported { .. } | Stop::SegmentBase { .. })), "{name}: {outcome:?}");
    }
}

#[test]
fn bytes_that_are_no_instruction() {
    assert_eq!(x86_64::decode(&[], 7), Err(x86_64::DecodeError::Truncated { address: 7 }));
    assert_eq!(x86_64::decode(&[0x48, 0x8b], 7), Err(x86_64::DecodeError::Truncated { address: 7 }));
    assert_eq!(x86_64::decode(&[0x06; 15], 7), Err(x86_64::DecodeError::Invalid { address: 7 }));
}

/// Decoders read `f3 49 90` as `pause`, processors as `xchg`.
#[test]
fn prefixes_that_no_assembler_writes() {
    for (bytes, name) in [
        (&[0xf3, 0x49, 0x90][..], "pause, with a bit of a register's number"),
        (&[0x66, 0x66, 0x01, 0xd8], "add ax, bx, with its size twice"),
        (&[0xf3, 0x48, 0x01, 0xd8], "add rax, rbx, repeated"),
        (&[0x67, 0x48, 0x01, 0xd8], "add rax, rbx, with an address size"),
        (&[0x4a, 0x01, 0xd8], "add rax, rbx, with the bit of an index"),
        (&[0x40, 0x48, 0x01, 0xd8], "add rax, rbx, with two REX prefixes"),
    ] {
        assert_eq!(x86_64::decode(bytes, 7), Err(x86_64::DecodeError::Prefixes { address: 7 }), "{name}");
    }
    for (bytes, text) in [
        (&[0xf3, 0x90][..], "pause"),
        (&[0xf3, 0xc3], "rep ret"),
        (&[0x49, 0x90], "xchg r8,rax"),
        (&[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0], "nop [rax+rax]"),
        (&[0x67, 0xe8, 0, 0, 0, 0], "call 000000000000000Dh"),
        (&[0x66, 0x48, 0x01, 0xd8], "add rax,rbx"),
        (&[0x2e, 0x48, 0x01, 0xd8], "add rax,rbx"),
        (&[0x40, 0x88, 0xd8], "mov al,bl"),
        (&[0x48, 0x83, 0xc0, 0x01], "add rax,1"),
        (&[0x48, 0x05, 1, 0, 0, 0], "add rax,1"),
    ] {
        let decoded = x86_64::decode(bytes, 7).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(decoded.length(), bytes.len());
        assert_eq!(decoded.to_string(), text);
    }
}
