//! Proves that some circuits of the database are minimal, by trying all smaller ones.

use culet_sbox::named::named;
use culet_sbox::{TableSpec, circuit};

/// Whether some circuit of at most `gates` gates computes every target. All functions have four inputs.
///
/// Two arguments keep the number of circuits small. First, a target that is one gate away may be computed at once: some
/// gate has to compute it at some time, and computing it earlier hinders nothing. Second, when as many gates are left
/// as targets, every gate must compute a target.
fn possible(signals: &mut Vec<u16>, targets: &[u16], gates: usize) -> bool {
    let missing: Vec<u16> = targets.iter().copied().filter(|target| !signals.contains(target)).collect();
    if missing.is_empty() {
        return true;
    }
    if missing.len() > gates {
        return false;
    }
    let candidates = match missing.iter().find(|&&target| is_one_gate_away(signals, target)) {
        Some(&target) => vec![target],
        None if missing.len() == gates => vec![],
        None => one_gate_away(signals),
    };
    candidates.into_iter().any(|value| {
        signals.push(value);
        let found = possible(signals, targets, gates - 1);
        signals.pop();
        found
    })
}

fn is_one_gate_away(signals: &[u16], target: u16) -> bool {
    let gate = |x: u16, y: u16| [x & y, x | y, x ^ y, x & !y, y & !x].contains(&target);
    signals.iter().enumerate().any(|(i, &x)| !x == target || signals[..i].iter().any(|&y| gate(x, y)))
}

fn one_gate_away(signals: &[u16]) -> Vec<u16> {
    let mut values: Vec<u16> = signals.iter().map(|x| !x).collect();
    for (i, x) in signals.iter().enumerate() {
        for y in &signals[..i] {
            values.extend([x & y, x | y, x ^ y, x & !y, y & !x]);
        }
    }
    values.sort_unstable();
    values.dedup();
    values.retain(|value| !signals.contains(value));
    values
}

fn can_be_done(table: &TableSpec, gates: usize) -> bool {
    let targets: Vec<u16> = (0..table.outputs).map(|output| table.truth(output)[0] as u16).collect();
    possible(&mut vec![0xff00, 0xf0f0, 0xcccc, 0xaaaa], &targets, gates)
}

#[test]
fn clyde_needs_eight_gates() {
    for name in ["clyde", "clyde_inverse"] {
        let table = named(name).unwrap();
        assert_eq!(circuit(&table).unwrap().cost(), 8);
        assert!(!can_be_done(&table, 7), "{name}");
    }
}

#[test]
fn the_method_finds_what_there_is() {
    assert!(can_be_done(&named("clyde").unwrap(), 8));
    // A full adder of three of the four inputs takes five gates.
    let adder: Vec<u64> = (0..16_u64).map(|index| u64::from((index & 7).count_ones())).collect();
    let adder = TableSpec::new(4, 2, adder).unwrap();
    assert!(can_be_done(&adder, 5));
    assert!(!can_be_done(&adder, 4));
    assert_eq!(circuit(&adder).unwrap().cost(), 5);
}
