//! Tests of simplifications by graphs, which are checked by evaluation: on all inputs if there are few, else on many.

use std::rc::Rc;

use culet_sbox::random::Random;
use culet_term::Terms;
use smallvec::SmallVec;

use super::blast::{Blast, Mode};
use super::cuts::COLUMNS;
use super::graph::{Gate, Graph, Literal};
use super::simulate::Signatures;
use super::sums::Sums;
use super::{Budget, Verdict, compare_literals, parity};

/// Two words.
type Pair = (Rc<[Literal]>, Rc<[Literal]>);

/// Returns the values of all gates from those of the inputs, in their order.
fn evaluated(graph: &Graph, inputs: &[u64]) -> Vec<u64> {
    let mut inputs = inputs.iter();
    let mut values: Vec<u64> = Vec::new();
    for gate in graph.gates() {
        let of = |literal: Literal| values[literal.gate() as usize] ^ literal.mask();
        let value = match gate {
            Gate::Zero => 0,
            Gate::Input => *inputs.next().expect("a value for each input"),
            Gate::And(a, b) => of(a) & of(b),
            Gate::Xor(a, b) => of(a) ^ of(b),
        };
        values.push(value);
    }
    values
}

fn value(values: &[u64], literal: Literal) -> u64 {
    values[literal.gate() as usize] ^ literal.mask()
}

/// Makes random gates over six inputs, some of them sealed, and returns each with the value that it must have.
fn random_circuit(random: &mut Random, graph: &mut Graph, length: usize) -> Vec<(Literal, u64)> {
    let mut made: Vec<(Literal, u64)> = COLUMNS.map(|column| (graph.input(), column)).to_vec();
    for _ in 0..length {
        let mut operand = || {
            let recent = made.len() - 1 - random.below(made.len().min(8));
            let index = if random.below(3) == 0 { random.below(made.len()) } else { recent };
            let (literal, table) = made[index];
            if random.below(2) == 0 { (literal.not(), !table) } else { (literal, table) }
        };
        let ((a, x), (b, y), (c, z)) = (operand(), operand(), operand());
        let new = match random.below(6) {
            0 | 1 => (graph.and(a, b), x & y),
            2 | 3 => (graph.xor(a, b), x ^ y),
            4 => (graph.mux(a, b, c), x & y | !x & z),
            _ => {
                let (sum, carry) = graph.full_adder(a, b, c);
                made.push((carry, x & y | x & z | y & z));
                (sum, x ^ y ^ z)
            }
        };
        made.push(new);
    }
    made
}

#[test]
fn gates_have_the_values_of_what_they_stand_for() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut graph = Graph::default();
        let made = random_circuit(&mut random, &mut graph, 60);
        let values = evaluated(&graph, &COLUMNS);
        for (place, &(literal, table)) in made.iter().enumerate() {
            assert_eq!(value(&values, literal), table, "seed {seed}, gate {place}");
        }
    }
}

#[test]
fn choices_and_majorities_are_one_gate_in_any_form() {
    let mut graph = Graph::default();
    let [a, b, c] = [graph.input(), graph.input(), graph.input()];
    let (ab, ac, bc) = (graph.and(a, b), graph.and(a, c), graph.and(b, c));
    let two = graph.xor(ab, ac);
    let majority = graph.xor(two, bc);
    let either = graph.or(a, b);
    let through = graph.and(either, c);
    assert_eq!(graph.or(ab, through), majority);
    assert_eq!(graph.full_adder(b, c, a).1, majority);
    let otherwise = graph.and(a.not(), c);
    let chosen = graph.xor(ab, otherwise);
    assert_eq!(graph.or(ab, otherwise), chosen);
    assert_eq!(graph.mux(a, b, c), chosen);
    assert_eq!(graph.mux(a.not(), c.not(), b.not()), chosen.not());
}

#[test]
fn what_is_left_of_a_sum_has_its_value() {
    let mut zeros = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut graph = Graph::without_functions();
        random_circuit(&mut random, &mut graph, 80);
        let values = evaluated(&graph, &COLUMNS);
        let gates = graph.count() as u32;
        for _ in 0..20 {
            let (a, b) = (1 + random.below(gates as usize - 1) as u32, 1 + random.below(gates as usize - 1) as u32);
            let rests = if a == b { Vec::new() } else { parity::rests(&graph, &[a, b]) };
            for rest in &rests {
                let sum = rest.iter().fold(0, |sum, &gate| sum ^ values[gate as usize]);
                assert_eq!(sum, values[a as usize] ^ values[b as usize], "seed {seed}: {a} and {b}");
            }
            zeros += u32::from(rests.iter().any(SmallVec::is_empty));
        }
    }
    // Graphs that share sums have few gates that are the same sum.
    assert!(zeros < 400 * 20);
}

#[test]
fn long_sums_are_compared_where_they_differ() {
    let mut random = Random::new(3);
    let mut graph = Graph::without_functions();
    let mut inputs: Vec<Literal> = (0..33).map(|_| graph.input()).collect();
    let [condition, then, otherwise] =
        [inputs.pop(), inputs.pop(), inputs.pop()].map(|input| input.expect("enough inputs"));
    // A choice in two forms, each somewhere in a sum of the same others.
    let (kept, other) = (graph.and(condition, then), graph.and(condition.not(), otherwise));
    let left = bracketed(&mut graph, &mut random, &[&inputs[..], &[kept, other]].concat());
    let differ = graph.xor(then, otherwise);
    let changed = graph.and(condition, differ);
    let right = bracketed(&mut graph, &mut random, &[&inputs[..], &[otherwise, changed]].concat());
    let rests = parity::rests(&graph, &[left.gate(), right.gate()]);
    let mut expected = [kept.gate(), other.gate(), otherwise.gate(), changed.gate()];
    expected.sort_unstable();
    assert!(rests.iter().any(|rest| rest[..] == expected), "{rests:?}");
}

#[test]
fn products_of_many_factors_are_told_apart() {
    let mut graph = Graph::without_functions();
    let inputs: Vec<Literal> = (0..50).map(|i| graph.input().xor(i % 2 == 1)).collect();
    let products = [0..12, 1..13, 2..50].map(|factors| {
        let product = inputs[factors].iter().fold(Literal::ONE, |product, &input| graph.and(product, input));
        product.gate()
    });
    let gates: Vec<Gate> = graph.gates().collect();
    let mut signatures = Signatures::new(&gates);
    let [first, second, longest] = products.map(|gate| signatures.key(gate));
    let zero = signatures.key(0);
    assert!(first != second && first != zero && second != zero);
    // The longest product is one for few of 2^48 inputs, one of which is given here.
    assert_eq!(longest, zero);
    let ones = inputs.iter().map(|input| (input.gate(), !input.is_complement())).collect();
    signatures.refine(&gates, &ones);
    assert_ne!(signatures.key(products[2]), signatures.key(0));
}

/// Makes the sum modulo 2 of literals, in some order.
fn bracketed(graph: &mut Graph, random: &mut Random, summands: &[Literal]) -> Literal {
    let mut open = summands.to_vec();
    while open.len() > 1 {
        let (a, b) = (open.swap_remove(random.below(open.len())), open.swap_remove(random.below(open.len())));
        open.push(graph.xor(a, b));
    }
    open.swap_remove(0)
}

#[test]
fn sums_modulo_2_are_one_gate_in_any_order() {
    let mut random = Random::new(1);
    let mut graph = Graph::default();
    let inputs: Vec<Literal> = (0..150).map(|_| graph.input()).collect();
    for length in [2, 3, 8, 40, 150] {
        let [one, other] = [0; 2].map(|_| bracketed(&mut graph, &mut random, &inputs[..length]));
        assert_eq!(one, other, "{length}");
        let less = bracketed(&mut graph, &mut random, &inputs[1..length]);
        assert_eq!(graph.xor(less, inputs[0]).not(), one.not(), "{length}");
        assert_ne!(less, one);
    }
}

#[test]
fn products_of_sums_are_one_but_for_sums() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut graph = if seed % 2 == 0 { Graph::default() } else { Graph::without_functions() };
        let inputs = COLUMNS.map(|_| graph.input());
        let p = bracketed(&mut graph, &mut random, &inputs[..4]);
        let q = bracketed(&mut graph, &mut random, &inputs[2..]);
        let both = graph.xor(p, q);
        let mut made = Vec::new();
        let is_product = |gate: Gate| matches!(gate, Gate::And(..));
        for _ in 0..8 {
            let mut factors = [p, q, both];
            factors.swap(0, random.below(3));
            factors.swap(1, 1 + random.below(2));
            let [a, b] = [factors[0], factors[1]].map(|factor| factor.xor(random.below(2) == 0));
            made.push((a, b, graph.and(a, b)));
        }
        assert_eq!(graph.gates().filter(|&gate| is_product(gate)).count(), 1, "seed {seed}");
        let values = evaluated(&graph, &COLUMNS);
        for (a, b, product) in made {
            assert_eq!(value(&values, product), value(&values, a) & value(&values, b), "seed {seed}");
        }
    }
}

#[test]
fn words_without_common_bits_are_added_as_one() {
    let mut random = Random::new(2);
    let mut graph = Graph::default();
    let (given, _) = words(&mut graph, &mut random, 4, 32);
    let [a, x, y, mask] = [0, 1, 2, 3].map(|index| given[index].clone());
    let mut chosen = |word: &[Literal], by: &dyn Fn(Literal) -> Literal| -> Vec<Literal> {
        word.iter().zip(&mask).map(|(&bit, &mask)| graph.and(bit, by(mask))).collect()
    };
    let (x, y) = (chosen(&x, &|mask| mask), chosen(&y, &Literal::not));
    let either: Vec<Literal> = x.iter().zip(&y).map(|(&x, &y)| graph.xor(x, y)).collect();
    let mut sums = Sums::default();
    let whole = sums.add(&mut graph, &a, &either, Literal::ZERO);
    let part = sums.add(&mut graph, &a, &x, Literal::ZERO);
    assert_eq!(sums.add(&mut graph, &part, &y, Literal::ZERO), whole);
    let part = sums.sub(&mut graph, &a, &y, Literal::ZERO);
    assert_ne!(sums.add(&mut graph, &part, &x, Literal::ZERO), whole);
    let rest = sums.sub(&mut graph, &part, &x, Literal::ZERO);
    assert_eq!(sums.sub(&mut graph, &a, &either, Literal::ZERO), rest);
}

/// Makes words of inputs, and values of the inputs in 64 trials.
fn words(graph: &mut Graph, random: &mut Random, count: usize, bits: usize) -> (Vec<Vec<Literal>>, Vec<u64>) {
    let words = (0..count).map(|_| (0..bits).map(|_| graph.input()).collect()).collect();
    let columns = (0..count * bits).map(|_| random.below(usize::MAX) as u64 ^ (random.below(usize::MAX) as u64) << 1);
    (words, columns.collect())
}

/// Returns the number that a word is in a trial.
fn number(values: &[u64], word: &[Literal], trial: usize) -> u128 {
    word.iter().rev().fold(0, |number, &bit| number << 1 | u128::from(value(values, bit) >> trial & 1))
}

#[test]
fn sums_are_sums() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut graph = Graph::default();
        let bits = [1, 5, 32, 64, 65][seed as usize % 5];
        let (mut made, columns) = words(&mut graph, &mut random, 3, bits);
        made.push((0..bits).map(|bit| Literal::constant(bit % 3 == 0)).collect());
        let mut sums = Sums::default();
        let mut checks = Vec::new();
        for _ in 0..12 {
            let mut operand = || {
                let word = made[random.below(made.len())].clone();
                if random.below(4) == 0 { word.iter().map(|bit| bit.not()).collect() } else { word }
            };
            let (a, b): (Vec<Literal>, Vec<Literal>) = (operand(), operand());
            let carry = [Literal::ZERO, Literal::ONE, a[0], made[0][0].not()][random.below(4)];
            let subtract = random.below(3) == 0;
            let (sum, out) = sums.with_carry(&mut graph, &a, &b, carry, subtract);
            made.push(sum.clone());
            checks.push((a, b, carry, subtract, sum, out));
        }
        let values = evaluated(&graph, &columns);
        for (a, b, carry, subtract, sum, out) in checks {
            for trial in 0..64 {
                let [a, b, sum] = [&a, &b, &sum].map(|word| number(&values, word, trial));
                let bit = |literal| u128::from(value(&values, literal) >> trial & 1);
                let (mask, more) = ((1u128 << bits) - 1, b + bit(carry));
                let (expected, expected_out) =
                    if subtract { (a.wrapping_sub(more), a < more) } else { (a + more, a + more > mask) };
                assert_eq!(sum, expected & mask, "seed {seed}");
                assert_eq!(bit(out), u128::from(expected_out), "seed {seed}");
            }
        }
    }
}

#[test]
fn long_sums_are_one_word_in_any_order() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut graph = Graph::default();
        let (given, _) = words(&mut graph, &mut random, 40, 32);
        let mut sums = Sums::default();
        let mut total = |graph: &mut Graph, random: &mut Random| {
            let mut open = given.clone();
            while open.len() > 1 {
                let (a, b) = (open.swap_remove(random.below(open.len())), open.swap_remove(random.below(open.len())));
                open.push(sums.add(graph, &a, &b, Literal::ZERO));
            }
            open.swap_remove(0)
        };
        assert_eq!(total(&mut graph, &mut random), total(&mut graph, &mut random));
    }
}

/// Makes a round function on the bits of one instance in two ways that have no gate in common but the inputs; `broken`
/// changes one of them.
fn instance(graph: &mut Graph, inputs: &[Literal], broken: bool) -> [Literal; 2] {
    let [mut left, mut right] = [inputs.to_vec(), inputs.to_vec()];
    for round in 0..6 {
        let old = (left.clone(), right.clone());
        for i in 0..inputs.len() {
            let at = |k: usize| (i + k) % inputs.len();
            let (x, y, z) = (old.0[i], old.0[at(1)], old.0[at(2 + round % 2)]);
            let product = graph.and(y, z);
            left[i] = graph.xor(x, product);
            // A choice of x or its complement.
            let (x, y, z) = (old.1[i], old.1[at(1)], old.1[at(2 + round % 2)]);
            let is_changed = broken && round == 4 && i == 4;
            let product = if is_changed { graph.or(y, z) } else { graph.and(z, y) };
            let kept = graph.and(x, product.not());
            let flipped = graph.and(x.not(), product);
            right[i] = graph.or(kept, flipped);
        }
    }
    [left[3], right[3]]
}

#[test]
fn instances_are_compared_each() {
    for broken in [None, Some(0), Some(3), Some(7)] {
        let terms = Terms::new();
        let mut blast = Blast::new(Mode::Bits, usize::MAX);
        blast.gates = Graph::without_functions();
        let inputs: Vec<Vec<Literal>> = (0..8).map(|_| (0..7).map(|_| blast.gates.input()).collect()).collect();
        let pairs: Vec<Pair> = (0..8)
            .map(|index| {
                let [left, right] = instance(&mut blast.gates, &inputs[index], broken == Some(index));
                ([left].into(), [right].into())
            })
            .collect();
        let comparison = compare_literals(&terms, &blast, &pairs, &Budget::default());
        match (broken, comparison.verdict) {
            (None, Verdict::Equal(_)) => {}
            (Some(index), Verdict::Different { output, .. }) => assert_eq!(output, index),
            (_, other) => panic!("{broken:?}: {other:?}"),
        }
    }
}

#[test]
fn constants_that_differ_are_no_part_of_anything_and_differ() {
    let blast = Blast::new(Mode::Bits, usize::MAX);
    let pair: Pair = ([Literal::ZERO].into(), [Literal::ONE].into());
    let comparison = compare_literals(&Terms::new(), &blast, &[pair], &Budget::default());
    assert!(matches!(comparison.verdict, Verdict::Different { output: 0, .. }), "{comparison:?}");
}
