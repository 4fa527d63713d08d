//! Whole ciphers: AES as compilers restructure it, ChaCha20 with other orders and rotations.

use culet_decide::bits::{Budget, Comparison, Verdict, compare, compare_instances};
use culet_meaning::Domain;
use culet_sbox::random::Random;
use culet_sbox::tower::{Choice, InversionBox, synthesise};
use culet_sbox::{Circuit, Gate, Signal};
use culet_term::{InputKind, Term, Terms};
use culet_types::program::Table;

fn assert_equal(comparison: &Comparison) {
    assert!(matches!(comparison.verdict, Verdict::Equal(_)), "{:?}", comparison.statistics);
}

/// Runs a circuit on words, gate by gate. With `fuse`, some pairs of gates become one function of three operands.
fn run_circuit(terms: &mut Terms, circuit: &Circuit, inputs: &[Term], fuse: Option<&mut Random>) -> Vec<Term> {
    let bits = terms.bits(inputs[0]);
    let mut fuse = fuse;
    let mut words: Vec<Term> = Vec::new();
    for &gate in &circuit.gates {
        let of = |terms: &mut Terms, words: &[Term], signal| match signal {
            Signal::Zero => terms.zero(bits),
            Signal::One => terms.ones(bits),
            Signal::Input(i) => inputs[i as usize],
            Signal::Gate(i) => words[i as usize],
        };
        let fused = fuse.as_mut().and_then(|random| fused(circuit, gate, random));
        let word = match (fused, gate) {
            (Some((table, operands)), _) => {
                let [a, b, c] = operands.map(|signal| of(terms, &words, signal));
                terms.tern(table, a, b, c)
            }
            (None, Gate::Not(a)) => {
                let a = of(terms, &words, a);
                terms.not(a)
            }
            (None, Gate::And(a, b) | Gate::Or(a, b) | Gate::Xor(a, b) | Gate::Andn(a, b)) => {
                let (a, b) = (of(terms, &words, a), of(terms, &words, b));
                match gate {
                    Gate::And(..) => terms.and(a, b),
                    Gate::Or(..) => terms.or(a, b),
                    Gate::Xor(..) => terms.xor(a, b),
                    _ => terms.andn(a, b),
                }
            }
        };
        words.push(word);
    }
    let output = |&signal: &Signal| match signal {
        Signal::Input(i) => inputs[i as usize],
        Signal::Gate(i) => words[i as usize],
        Signal::Zero | Signal::One => panic!("an S-box has no constant output"),
    };
    circuit.outputs.iter().map(output).collect()
}

/// Returns a gate and the gate of its first operand as one function of three operands, at random.
fn fused(circuit: &Circuit, gate: Gate, random: &mut Random) -> Option<(u8, [Signal; 3])> {
    let operands: Vec<Signal> = gate.operands().collect();
    let [Signal::Gate(inner), c] = operands[..] else { return None };
    let inner = circuit.gates[inner as usize];
    let inner_operands: Vec<Signal> = inner.operands().collect();
    let [a, b] = inner_operands[..] else { return None };
    if random.below(2) == 0 {
        return None;
    }
    // Bit 4a + 2b + c of each word is the value of that operand.
    let (wa, wb, wc) = (0b1111_0000u64, 0b1100_1100, 0b1010_1010);
    let value = inner.apply(|signal| if signal == a { wa } else { wb });
    let table = gate.apply(|signal| if signal == c { wc } else { value });
    (a != b && c != operands[0]).then_some((table as u8, [a, b, c]))
}

/// SubBytes, ShiftRows, MixColumns and AddRoundKey (FIPS 197, section 5.1) on bits: word 8i + j is bit j of byte i,
/// most significant bit first. `order` shuffles the sums of MixColumns.
fn aes(
    terms: &mut Terms,
    words: &[Term],
    keys: &[Vec<Term>],
    mut sub: impl FnMut(&mut Terms, &[Term]) -> Vec<Term>,
    mut order: Option<&mut Random>,
) -> Vec<Term> {
    let add_key = |terms: &mut Terms, words: &[Term], key: &[Term]| -> Vec<Term> {
        words.iter().zip(key).map(|(&word, &key)| terms.xor(word, key)).collect()
    };
    let mut state = add_key(terms, words, &keys[0]);
    for (round, key) in keys.iter().enumerate().skip(1) {
        let boxed: Vec<Term> = state.chunks(8).flat_map(|byte| sub(terms, byte)).collect();
        let byte = |i: usize| &boxed[8 * i..8 * i + 8];
        let shifted: Vec<Term> = (0..16).flat_map(|i| byte((i + 4 * (i % 4)) % 16).to_vec()).collect();
        state = if round + 1 == keys.len() { shifted } else { mix_columns(terms, &shifted, &mut order) };
        state = add_key(terms, &state, key);
    }
    state
}

fn mix_columns(terms: &mut Terms, state: &[Term], order: &mut Option<&mut Random>) -> Vec<Term> {
    let mut mixed = Vec::new();
    for i in 0..16 {
        let byte = |k: usize| &state[8 * (i / 4 * 4 + (i + k) % 4)..][..8];
        for j in 0..8 {
            // 2a + 3b + c + d, where doubling is a shift and adds 0x1b if a bit falls off.
            let mut sum = vec![byte(1)[j], byte(2)[j], byte(3)[j]];
            for k in 0..2 {
                if j < 7 {
                    sum.push(byte(k)[j + 1]);
                }
                if [3, 4, 6, 7].contains(&j) {
                    sum.push(byte(k)[0]);
                }
            }
            if let Some(random) = order {
                random.shuffle(&mut sum);
            }
            while sum.len() > 2 && order.is_some() {
                let (a, b, c) = (sum.remove(0), sum.remove(0), sum.remove(0));
                sum.push(terms.tern(0x96, a, b, c));
            }
            mixed.push(sum[1..].iter().fold(sum[0], |all, &word| terms.xor(all, word)));
        }
    }
    mixed
}

struct Aes {
    terms: Terms,
    pairs: Vec<(Term, Term)>,
    inputs: Vec<(Term, Term)>,
}

/// Builds an implementation on registers, with gates fused and sums in another order, and the circuit on single bits.
fn restructured_aes(rounds: usize, bits: u32, circuit: &Circuit, other: &Circuit) -> Aes {
    let mut terms = Terms::new();
    let mut random = Random::new(11);
    let mut inputs = Vec::new();
    for i in 0..128 * (rounds + 2) {
        inputs.push((
            terms.fresh(InputKind::Word, &format!("r{i}"), bits),
            terms.fresh(InputKind::Word, &format!("b{i}"), 1),
        ));
    }
    let side = |which: fn(&(Term, Term)) -> Term| -> Vec<Vec<Term>> {
        inputs.chunks(128).map(|words| words.iter().map(which).collect()).collect()
    };
    let (registers, single) = (side(|pair| pair.0), side(|pair| pair.1));
    let mut fuse = Random::new(5);
    let sub = |terms: &mut Terms, byte: &[Term]| run_circuit(terms, other, byte, Some(&mut fuse));
    let left = aes(&mut terms, &registers[0], &registers[1..], sub, Some(&mut random));
    let sub = |terms: &mut Terms, byte: &[Term]| run_circuit(terms, circuit, byte, None);
    let right = aes(&mut terms, &single[0], &single[1..], sub, None);
    Aes { terms, pairs: left.into_iter().zip(right).collect(), inputs }
}

fn aes_circuit() -> Circuit {
    let spec = InversionBox::aes().table();
    (*culet_sbox::circuit(&spec).expect("a table")).clone()
}

/// 10 rounds take some seconds without optimisation; `CULET_AES_ROUNDS` chooses another number.
#[test]
fn aes_restructured() {
    let rounds = std::env::var("CULET_AES_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let circuit = aes_circuit();
    let aes = restructured_aes(rounds, 256, &circuit, &circuit);
    let start = std::time::Instant::now();
    let found = compare_instances(&aes.terms, &aes.pairs, &aes.inputs, &Budget::default());
    let time = start.elapsed();
    assert_equal(&found);
    report(&format!("{rounds} rounds of AES, one circuit"), time, &found);
    let wrong = [(aes.pairs[5].0, aes.pairs[6].1)];
    let found = compare_instances(&aes.terms, &wrong, &aes.inputs, &Budget::default());
    assert!(matches!(found.verdict, Verdict::Different { output: 0, .. }), "{:?}", found.statistics);
}

/// Two circuits with different subfields and bases: nothing inside an S-box is equal.
#[test]
fn aes_with_another_circuit() {
    let aes_box = InversionBox::aes();
    let mut random = Random::new(1);
    let choice = Choice::random(&mut random);
    let other = synthesise(&aes_box, &choice, 1, &mut random);
    assert_eq!(other.check(&aes_box.table()), Ok(()));
    let aes = restructured_aes(2, 64, &aes_circuit(), &other);
    let start = std::time::Instant::now();
    let found = compare_instances(&aes.terms, &aes.pairs, &aes.inputs, &Budget::default());
    let time = start.elapsed();
    assert_equal(&found);
    report("2 rounds of AES, two circuits", time, &found);
}

/// An S-box circuit on registers of 64 bits against its table, in lanes that are found without help.
#[test]
fn s_box_against_table() {
    let mut terms = Terms::new();
    let spec = InversionBox::aes().table();
    let inputs: Vec<Term> = (0..8).map(|i| terms.fresh(InputKind::Word, &format!("x{i}"), 64)).collect();
    let left = run_circuit(&mut terms, &aes_circuit(), &inputs, Some(&mut Random::new(9)));
    let table = Table { inputs: 8, outputs: 8, values: spec.values };
    let right = terms.table(64, &table, &inputs);
    let mut pairs: Vec<_> = left.into_iter().zip(right).collect();
    let found = compare(&mut terms, &pairs, &Budget::default());
    assert_equal(&found);
    assert_eq!(found.statistics.outputs, 8, "one literal a word");
    pairs.swap(0, 1);
    let wrong = [(pairs[0].0, pairs[1].1)];
    let found = compare(&mut terms, &wrong, &Budget::default());
    assert!(matches!(found.verdict, Verdict::Different { output: 0, .. }), "{:?}", found.statistics);
}

/// The block function (RFC 8439, section 2.3) with operands swapped and rotations by shifts, on eight blocks side by
/// side.
#[test]
fn chacha20_by_structure_alone() {
    let mut terms = Terms::new();
    let state: Vec<Term> = (0..16).map(|i| terms.fresh(InputKind::Word, &format!("x{i}"), 256)).collect();
    let start = std::time::Instant::now();
    let mut pairs = Vec::new();
    let mut sides = [Vec::new(), Vec::new()];
    for (side, blocks) in sides.iter_mut().enumerate() {
        for lane in 0..8 {
            let words: Vec<Term> = state.iter().map(|&word| terms.extract(word, 32 * lane, 32)).collect();
            blocks.push(chacha20(&mut terms, &words, side == 1));
        }
    }
    for i in 0..16 {
        let [left, right] = [0, 1].map(|side| {
            let parts: Vec<Term> = sides[side].iter().map(|block: &Vec<Term>| block[i]).collect();
            terms.concat(&parts)
        });
        pairs.push((left, right));
    }
    let built = start.elapsed();
    let found = compare(&mut terms, &pairs, &Budget::default());
    let time = start.elapsed();
    assert_equal(&found);
    assert_eq!(found.statistics.solver_calls, 0);
    report(&format!("8 blocks of ChaCha20, {} terms in {built:?}", terms.len()), time, &found);
}

fn chacha20(terms: &mut Terms, words: &[Term], other_way: bool) -> Vec<Term> {
    let mut s = words.to_vec();
    let rounds = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
    let diagonals = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
    for quarter in (0..10).flat_map(|_| rounds.iter().chain(&diagonals)) {
        let &[a, b, c, d] = quarter;
        for (x, y, z, n) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            s[x] = if other_way { terms.add(s[y], s[x]) } else { terms.add(s[x], s[y]) };
            let mixed = if other_way { terms.xor(s[x], s[z]) } else { terms.xor(s[z], s[x]) };
            s[z] = if other_way {
                let (up, down) = (terms.shl(mixed, n), terms.shr(mixed, 32 - n));
                terms.or(up, down)
            } else {
                terms.rotl(mixed, n)
            };
        }
    }
    s.iter().zip(words).map(|(&x, &y)| terms.add(x, y)).collect()
}

/// Prints times and numbers, which `--nocapture` shows.
#[expect(clippy::print_stderr, reason = "tests may say how long they took")]
fn report(what: &str, time: std::time::Duration, found: &Comparison) {
    eprintln!("{what}: {time:?}, {:?}", found.statistics);
}
