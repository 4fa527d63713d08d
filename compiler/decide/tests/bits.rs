//! Tests of the equality of terms, against exhaustive evaluation and against rewritten copies.

use culet_decide::bits::{Budget, Comparison, Reason, Verdict, compare, compare_instances};
use culet_meaning::Domain;
use culet_sbox::random::Random;
use culet_term::{Assignment, InputKind, Term, Terms};

fn assert_equal(comparison: &Comparison) {
    assert!(matches!(comparison.verdict, Verdict::Equal(_)), "{comparison:?}");
}

/// Returns the output that differs, after evaluation has confirmed the difference.
fn assert_different(terms: &Terms, pairs: &[(Term, Term)], comparison: &Comparison) -> usize {
    let Verdict::Different { output, counterexample } = &comparison.verdict else { panic!("{comparison:?}") };
    let (a, b) = pairs[*output];
    let values = terms.evaluate(&[a, b], counterexample);
    assert_ne!(values[0], values[1]);
    *output
}

/// One step of a random program: an operation on words made before.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mux,
    Rotate(u32),
    Parity,
}

type Line = (Op, [usize; 4]);

fn random_program(random: &mut Random, inputs: usize, length: usize, bitwise: bool) -> Vec<Line> {
    (0..length)
        .map(|line| {
            let mut operand = || {
                let count = inputs + line;
                if random.below(2) == 0 { count - 1 - random.below(count.min(6)) } else { random.below(count) }
            };
            let operands = [operand(), operand(), operand(), operand()];
            let all = [Op::And, Op::Or, Op::Xor, Op::Mux, Op::Parity, Op::Add, Op::Sub, Op::Rotate(3)];
            (all[random.below(if bitwise { 5 } else { 8 })], operands)
        })
        .collect()
}

/// Makes the words of a program as it is written.
fn plain(terms: &mut Terms, words: &mut Vec<Term>, program: &[Line]) {
    for &(op, operands) in program {
        let [a, b, c, d] = operands.map(|i| words[i]);
        let word = match op {
            Op::And => terms.and(a, b),
            Op::Or => terms.or(a, b),
            Op::Xor => terms.xor(a, b),
            Op::Add => terms.add(a, b),
            Op::Sub => terms.sub(a, b),
            Op::Mux => terms.tern(0xca, a, b, c),
            Op::Rotate(n) => terms.rotl(a, n % terms.bits(a)),
            Op::Parity => [b, c, d].into_iter().fold(a, |sum, x| terms.xor(sum, x)),
        };
        words.push(word);
    }
}

/// Makes the words of a program in other ways: De Morgan, sums for choices, other brackets.
fn rewritten(terms: &mut Terms, words: &mut Vec<Term>, program: &[Line], random: &mut Random) {
    for &(op, operands) in program {
        let [a, b, c, d] = operands.map(|i| words[i]);
        let bits = terms.bits(a);
        let word = match (op, random.below(3)) {
            (Op::And, 0) => {
                let (either, differ) = (terms.or(a, b), terms.xor(a, b));
                terms.xor(either, differ)
            }
            (Op::And, 1) => terms.tern(0xc0, a, b, c),
            (Op::And, _) => {
                let (x, y) = (terms.not(a), terms.not(b));
                let none = terms.or(x, y);
                terms.not(none)
            }
            (Op::Or, 0) => {
                let (both, differ) = (terms.and(a, b), terms.xor(a, b));
                terms.or(both, differ)
            }
            (Op::Or, _) => {
                let (both, differ) = (terms.and(a, b), terms.xor(a, b));
                terms.xor(both, differ)
            }
            (Op::Xor, 0) => {
                let (either, both) = (terms.or(a, b), terms.and(a, b));
                terms.andn(either, both)
            }
            (Op::Xor, _) => {
                let (x, y) = (terms.andn(a, b), terms.andn(b, a));
                terms.or(x, y)
            }
            (Op::Mux, 0) => {
                let (x, y) = (terms.and(a, b), terms.andn(c, a));
                terms.or(x, y)
            }
            (Op::Mux, _) => {
                let differ = terms.xor(b, c);
                let chosen = terms.and(a, differ);
                terms.xor(chosen, c)
            }
            (Op::Parity, _) => {
                let mut order = [a, b, c, d];
                random.shuffle(&mut order);
                let (x, y) = (terms.xor(order[0], order[1]), terms.xor(order[2], order[3]));
                terms.xor(x, y)
            }
            // At large widths this needs an induction over carries, which the comparison does not make.
            (Op::Add, 0) if bits <= 16 => {
                let (both, differ) = (terms.and(a, b), terms.xor(a, b));
                let twice = terms.shl(both, 1);
                terms.add(twice, differ)
            }
            (Op::Add, _) => {
                let (sum, less) = (terms.add(b, c), terms.sub(a, c));
                terms.add(sum, less)
            }
            (Op::Sub, _) => {
                let (not_b, one) = (terms.not(b), terms.constant_u64(bits, 1));
                let sum = terms.add(a, not_b);
                terms.add(sum, one)
            }
            (Op::Rotate(n), _) => {
                let n = n % bits;
                let (x, y) = (terms.shl(a, n), terms.shr(a, bits - n));
                terms.add(x, y)
            }
        };
        words.push(word);
    }
}

#[test]
fn rewritten_copies_are_equal() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let bitwise = seed % 2 == 0;
        // Wider words with sums make identities that take the solver long: see the comment on `Op::Add` above.
        let bits = if bitwise { [1, 4, 8, 16, 64][random.below(5)] } else { [1, 4, 8, 16][random.below(4)] };
        let inputs: Vec<Term> = (0..6).map(|i| terms.fresh(InputKind::Word, &format!("x{i}"), bits)).collect();
        let program = random_program(&mut random, 6, if bitwise { 80 } else { 20 }, bitwise);
        let (mut left, mut right) = (inputs.clone(), inputs.clone());
        plain(&mut terms, &mut left, &program);
        rewritten(&mut terms, &mut right, &program, &mut random);
        let pairs: Vec<_> = left.into_iter().zip(right).rev().take(5).collect();
        let found = compare(&mut terms, &pairs, &Budget::default());
        assert!(matches!(found.verdict, Verdict::Equal(_)), "seed {seed}, {bits} bits: {found:?}");
    }
}

/// One operation or operand of a program is wrong: the verdict must be that of evaluation on all inputs.
#[test]
fn single_bugs_are_found() {
    let mut wrong = 0;
    for seed in 0..80 {
        let mut random = Random::new(1000 + seed);
        let mut terms = Terms::new();
        let inputs: Vec<Term> = (0..4).map(|i| terms.fresh(InputKind::Word, &format!("x{i}"), 3)).collect();
        let program = random_program(&mut random, 4, 25, seed % 2 == 0);
        let mut mutant = program.clone();
        let line = random.below(mutant.len());
        match random.below(2) {
            0 => mutant[line].0 = [Op::And, Op::Or, Op::Xor, Op::Add, Op::Sub, Op::Mux][random.below(6)],
            _ => mutant[line].1[random.below(2)] = random.below(4 + line),
        }
        let (mut left, mut right) = (inputs.clone(), inputs.clone());
        plain(&mut terms, &mut left, &program);
        rewritten(&mut terms, &mut right, &mutant, &mut random);
        let pair = (left[left.len() - 1], right[right.len() - 1]);
        let equal = (0..1u64 << 12).all(|values| {
            let mut assignment = Assignment::new();
            for (i, input) in terms.inputs().enumerate() {
                assignment.set(input, &[values >> (3 * i) & 7]);
            }
            let values = terms.evaluate(&[pair.0, pair.1], &assignment);
            values[0] == values[1]
        });
        let found = compare(&mut terms, &[pair], &Budget::default());
        if equal {
            assert_equal(&found);
        } else {
            assert_different(&terms, &[pair], &found);
            wrong += 1;
        }
    }
    assert!(wrong > 20, "{wrong} of the mutants differ");
}

/// Differences that no random pattern meets are found.
#[test]
fn rare_differences_are_found() {
    let mut terms = Terms::new();
    let (a, b) = (terms.fresh(InputKind::Word, "a", 40), terms.fresh(InputKind::Word, "b", 40));
    let sum = terms.add(a, b);
    let secret = terms.constant_u64(40, 0x12_3456_789a);
    let hit = terms.equal(sum, secret);
    let trap = terms.zero_extend(hit, 40);
    let wrong = terms.xor(a, trap);
    let pairs = [(b, b), (a, wrong)];
    let found = compare(&mut terms, &pairs, &Budget::default());
    assert_eq!(assert_different(&terms, &pairs, &found), 1);
    assert!(found.statistics.solver_calls > 0);
}

/// A question that the solver cannot answer in its budget is undecided, not equal.
#[test]
fn a_spent_budget_is_no_pass() {
    let mut terms = Terms::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| terms.fresh(InputKind::Word, name, 16));
    let (ab, bc) = (terms.mul(a, b), terms.mul(b, c));
    let pair = (terms.mul(ab, c), terms.mul(a, bc));
    let few = Budget { conflicts: 10, ..Budget::default() };
    let found = compare(&mut terms, &[(a, a), pair], &few);
    assert_eq!(found.verdict, Verdict::Undecided { output: 1, reason: Reason::TooManyConflicts });
    let small = Budget { gates: 100, ..Budget::default() };
    let found = compare(&mut terms, &[pair], &small);
    assert_eq!(found.verdict, Verdict::Undecided { output: 0, reason: Reason::TooManyGates });
    let narrow = terms.extract(a, 0, 8);
    let found = compare(&mut terms, &[(a, narrow)], &few);
    assert_eq!(found.verdict, Verdict::Undecided { output: 0, reason: Reason::Widths });
}

/// Sums are equal however they are bracketed, with no call of the solver.
#[test]
fn sums_in_any_order() {
    let mut terms = Terms::new();
    let mut random = Random::new(7);
    let inputs: Vec<Term> = (0..6).map(|i| terms.fresh(InputKind::Word, &format!("x{i}"), 32)).collect();
    let mut state = (inputs.clone(), inputs.clone());
    for round in 0..20 {
        let next = |terms: &mut Terms, words: &[Term], order: &[usize], swap: bool| {
            let sum = order.iter().skip(1).fold(words[order[0]], |sum, &i| terms.add(sum, words[i]));
            let mixed = if swap { terms.xor(words[5], sum) } else { terms.xor(sum, words[5]) };
            terms.rotl(mixed, 7)
        };
        let mut order = [0, 1, 2, 3, 4];
        let left = next(&mut terms, &state.0, &order, false);
        random.shuffle(&mut order);
        let right = next(&mut terms, &state.1, &order, true);
        state.0[round % 6] = left;
        state.1[round % 6] = right;
    }
    let pairs: Vec<_> = state.0.into_iter().zip(state.1).collect();
    let found = compare(&mut terms, &pairs, &Budget::default());
    assert_equal(&found);
    assert_eq!(found.statistics.structural_outputs, found.statistics.outputs);
    assert_eq!(found.statistics.solver_calls, 0);
}

/// Carries as the majority of top bits, against carries as bits of a wider sum.
#[test]
fn carries_of_adders() {
    for bits in [1, 2, 8, 31, 64] {
        let mut terms = Terms::new();
        let (a, b, c) = (
            terms.fresh(InputKind::Word, "a", bits),
            terms.fresh(InputKind::Word, "b", bits),
            terms.fresh(InputKind::Word, "c", 1),
        );
        let (sum, carry) = terms.addc(bits, &a, &b, &c);
        let (difference, borrow) = terms.subb(bits, &a, &b, &c);
        let top = |terms: &mut Terms, word| terms.bit(word, bits - 1);
        let carry_word = terms.zero_extend(c, bits);
        let partial = terms.add(a, b);
        let plain_sum = terms.add(partial, carry_word);
        let (both, either, not_sum) = (terms.and(a, b), terms.or(a, b), terms.not(plain_sum));
        let through = terms.and(either, not_sum);
        let out = terms.or(both, through);
        let plain_carry = top(&mut terms, out);
        let partial = terms.sub(a, b);
        let plain_difference = terms.sub(partial, carry_word);
        let not_a = terms.not(a);
        let (both, either) = (terms.and(not_a, b), terms.or(not_a, b));
        let through = terms.and(either, plain_difference);
        let out = terms.or(both, through);
        let plain_borrow = top(&mut terms, out);
        let pairs = [(sum, plain_sum), (carry, plain_carry), (difference, plain_difference), (borrow, plain_borrow)];
        assert_equal(&compare(&mut terms, &pairs, &Budget::default()));
        let wrong = terms.not(plain_carry);
        let pairs = [(sum, plain_sum), (carry, wrong)];
        let found = compare(&mut terms, &pairs, &Budget::default());
        assert_eq!(assert_different(&terms, &pairs, &found), 1);
    }
}

/// Products of polynomials over GF(2) against sums of shifted words, and against one that lacks a summand.
#[test]
fn products_without_carries() {
    for bits in [1, 8, 64] {
        let mut terms = Terms::new();
        let (a, b) = (terms.fresh(InputKind::Word, "a", bits), terms.fresh(InputKind::Word, "b", bits));
        let (low, high) = Domain::clmul(&mut terms, bits, &b, &a);
        let product = terms.concat(&[low, high]);
        let (wide, mut sum, mut lacking) = (terms.zero_extend(a, 2 * bits), terms.zero(2 * bits), terms.zero(2 * bits));
        for place in 0..bits {
            let bit = terms.bit(b, place);
            let (shifted, mask) = (terms.shl(wide, place), terms.broadcast_bit(bit, 2 * bits));
            let summand = terms.and(shifted, mask);
            sum = terms.xor(sum, summand);
            if place != bits / 2 {
                lacking = terms.xor(lacking, summand);
            }
        }
        let pairs = [(product, sum), (product, lacking)];
        assert_equal(&compare(&mut terms, &pairs[..1], &Budget::default()));
        let found = compare(&mut terms, &pairs, &Budget::default());
        assert_eq!(assert_different(&terms, &pairs, &found), 1);
    }
}

/// A rotation of 128 bits as two words, and its halves put together by shifts.
#[test]
fn rotations_of_several_words() {
    let mut terms = Terms::new();
    let (low, high) = (terms.fresh(InputKind::Word, "low", 64), terms.fresh(InputKind::Word, "high", 64));
    let whole = terms.concat(&[low, high]);
    for amount in [1, 17, 63, 64, 65, 100] {
        let turned = terms.rotl(whole, amount);
        let (x, y) = if amount < 64 { (high, low) } else { (low, high) };
        let n = amount % 64;
        let mut half = |x: Term, y: Term| {
            let (up, down) = (terms.shl(x, n), terms.shr(y, 64 - n));
            if n == 0 { x } else { terms.xor(up, down) }
        };
        let (new_high, new_low) = (half(x, y), half(y, x));
        let joined = terms.concat(&[new_low, new_high]);
        let found = compare(&mut terms, &[(turned, joined)], &Budget::default());
        assert_equal(&found);
    }
}

/// Registers of 256 bits hold 256 instances of a circuit of single bits.
#[test]
fn instances_of_a_circuit() {
    let mut terms = Terms::new();
    let mut random = Random::new(3);
    let program = random_program(&mut random, 8, 200, true);
    let registers: Vec<Term> = (0..8).map(|i| terms.fresh(InputKind::Word, &format!("r{i}"), 256)).collect();
    let bits: Vec<Term> = (0..8).map(|i| terms.fresh(InputKind::Word, &format!("b{i}"), 1)).collect();
    let (mut left, mut right) = (registers.clone(), bits.clone());
    rewritten(&mut terms, &mut left, &program, &mut random);
    plain(&mut terms, &mut right, &program);
    let inputs: Vec<_> = registers.iter().copied().zip(bits.iter().copied()).collect();
    let pairs: Vec<_> = left.iter().copied().zip(right.iter().copied()).rev().take(10).collect();
    assert_equal(&compare_instances(&terms, &pairs, &inputs, &Budget::default()));

    let wrong = terms.not(pairs[3].0);
    let found = compare_instances(&terms, &[(wrong, pairs[3].1)], &inputs, &Budget::default());
    let Verdict::Different { output: 0, counterexample } = found.verdict else { panic!("{found:?}") };
    let values = terms.evaluate(&[wrong, pairs[3].1], &counterexample);
    assert_ne!(values[0][0] & 1, values[1][0]);

    let turned = terms.rotl(pairs[3].0, 1);
    let found = compare_instances(&terms, &[(turned, pairs[3].1)], &inputs, &Budget::default());
    assert!(matches!(found.verdict, Verdict::Undecided { output: 0, reason: Reason::MixesBits(_) }), "{found:?}");
}

/// Slices of a register that overlap are not independent: two words that agree only because of the overlap are still
/// compared correctly.
#[test]
fn overlapping_slices() {
    let mut terms = Terms::new();
    let x = terms.fresh(InputKind::Word, "x", 64);
    let (low, middle) = (terms.extract(x, 0, 32), terms.extract(x, 1, 32));
    let left = terms.and(low, middle);
    let zero = terms.zero(32);
    let pairs = [(left, zero)];
    let found = compare(&mut terms, &pairs, &Budget::default());
    assert_different(&terms, &pairs, &found);
    // Bit i + 1 of one slice is bit i of the other: lanes would call these different.
    let (a, b) = (terms.extract(left, 0, 31), terms.extract(middle, 0, 31));
    let shifted = terms.extract(low, 1, 31);
    let other = terms.extract(low, 0, 31);
    let again = terms.and(other, shifted);
    assert_equal(&compare(&mut terms, &[(a, again), (b, shifted)], &Budget::default()));
}
