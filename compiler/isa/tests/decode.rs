//! Decoding any bytes ends in an instruction or an error, for both decoders, and executing a decoded instruction ends
//! in a state, a fault or an error; nothing panics. `CULET_FUZZ_ITERATIONS` sets the number of byte strings.

use culet_isa::x86_64::cosim::Window;
use culet_isa::x86_64::{self, Flag, Flags, Instruction, State};
use culet_isa::{Concrete512, Wide};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    fn pick(&mut self, choices: &[&[u8]]) -> Vec<u8> {
        choices[self.next() as usize % choices.len()].to_vec()
    }
}

/// Prefixes of all kinds, followed by any bytes.
fn bytes(random: &mut Random) -> Vec<u8> {
    let prefixes: [&[u8]; 12] = [
        &[],
        &[],
        &[0x66],
        &[0xf2],
        &[0xf3],
        &[0x67],
        &[0x64],
        &[0xf0],
        &[0x48],
        &[0x66, 0x4f],
        &[0x2e, 0x3e, 0x36],
        &[0x66, 0x66, 0xf3, 0x41],
    ];
    let maps: [&[u8]; 9] = [&[], &[], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a], &[0xc5], &[0xc4], &[0x62], &[0x62, 0xf1]];
    let mut bytes = random.pick(&prefixes);
    bytes.extend(random.pick(&maps));
    bytes.extend((0..random.next() % 16).map(|_| random.next() as u8));
    bytes
}

fn execute(instruction: &Instruction, random: &mut Random) {
    let base = 0x10_0000;
    let word = |random: &mut Random| match random.next() % 4 {
        0 => Wide::from_limbs(&[base + random.next() % 512]),
        1 => Wide::default(),
        _ => Wide::from_limbs(&[random.next() << 32 | random.next()]),
    };
    let mut state = State {
        general: std::array::from_fn(|_| word(random)),
        vectors: std::array::from_fn(|_| Wide::from_limbs(&[random.next(); 8])),
        masks: std::array::from_fn(|_| word(random)),
        flags: Flags { carry: Flag::Bit(Wide::default()), ..Flags::undefined() },
    };
    for hides_values in [false, true] {
        let mut values = Concrete512 { hides_values, undefined_is_ones: false };
        let mut memory = Window { base, bytes: vec![7; 512] };
        let _ = x86_64::step(&mut values, &mut state, &mut memory, instruction);
    }
}

#[test]
fn any_bytes_are_decoded_or_refused() {
    let iterations = std::env::var("CULET_FUZZ_ITERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000u64);
    let mut random = Random(1);
    let (mut decoded, mut agreed) = (0, 0);
    for _ in 0..iterations {
        let bytes = bytes(&mut random);
        let Ok(instruction) = x86_64::decode(&bytes, 0x1000) else { continue };
        decoded += 1;
        assert!(instruction.length() <= bytes.len().min(15), "{instruction}: {bytes:02x?}");
        let (_, _) = (x86_64::timing(&instruction), x86_64::extensions(&instruction).count());
        agreed += u64::from(x86_64::agreement(&instruction, &bytes).is_ok());
        execute(&instruction, &mut random);
    }
    assert!(10 * decoded > iterations && 2 * agreed > decoded, "{decoded} decoded, {agreed} by both of {iterations}");
}
