//! Every operation of the trait against arithmetic on `u128`: the operations of `Concrete`, the definitions in the
//! trait, and the overrides in `Concrete`. Exhaustive at small widths, at random at large ones.

use culet_meaning::{Concrete, Domain};
use culet_types::program::Table;
use proptest::prelude::*;

/// `Concrete` without its overrides: the definitions of the trait.
struct Plain;

impl Domain for Plain {
    type Word = u64;

    fn constant(&mut self, bits: u32, value: u64) -> u64 {
        Concrete.constant(bits, value)
    }
    fn not(&mut self, bits: u32, a: &u64) -> u64 {
        Concrete.not(bits, a)
    }
    fn and(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        Concrete.and(bits, a, b)
    }
    fn or(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        Concrete.or(bits, a, b)
    }
    fn xor(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        Concrete.xor(bits, a, b)
    }
    fn add(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        Concrete.add(bits, a, b)
    }
    fn sub(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        Concrete.sub(bits, a, b)
    }
    fn mul_wide(&mut self, bits: u32, a: &u64, b: &u64) -> (u64, u64) {
        Concrete.mul_wide(bits, a, b)
    }
    fn shl(&mut self, bits: u32, a: &u64, amount: u32) -> u64 {
        Concrete.shl(bits, a, amount)
    }
    fn shr(&mut self, bits: u32, a: &u64, amount: u32) -> u64 {
        Concrete.shr(bits, a, amount)
    }
    fn sar(&mut self, bits: u32, a: &u64, amount: u32) -> u64 {
        Concrete.sar(bits, a, amount)
    }
    fn extract(&mut self, bits: u32, a: &u64, low: u32, length: u32) -> u64 {
        Concrete.extract(bits, a, low, length)
    }
    fn concat(&mut self, high_bits: u32, high: &u64, low_bits: u32, low: &u64) -> u64 {
        Concrete.concat(high_bits, high, low_bits, low)
    }
}

/// Bit `k` from the least significant.
fn bit(word: u64, k: u32) -> u64 {
    word >> k & 1
}

/// The word whose bit `k` from the least significant is `f(k)`.
fn build(bits: u32, f: impl Fn(u32) -> u64) -> u64 {
    (0..bits).map(|k| f(k) << k).sum()
}

fn check_two<D: Domain<Word = u64>>(d: &mut D, bits: u32, a: u64, b: u64) {
    let modulus = 1u128 << bits;
    let (x, y) = (u128::from(a), u128::from(b));
    let low = |value: u128| (value % modulus) as u64;
    assert_eq!(d.not(bits, &a), low(modulus - 1 - x));
    assert_eq!(d.and(bits, &a, &b), build(bits, |k| bit(a, k) * bit(b, k)));
    assert_eq!(d.or(bits, &a, &b), build(bits, |k| bit(a, k).max(bit(b, k))));
    assert_eq!(d.xor(bits, &a, &b), build(bits, |k| (bit(a, k) + bit(b, k)) % 2));
    assert_eq!(d.andn(bits, &a, &b), build(bits, |k| bit(a, k) * (1 - bit(b, k))));
    assert_eq!(d.add(bits, &a, &b), low(x + y));
    assert_eq!(d.sub(bits, &a, &b), low(x + modulus - y));
    assert_eq!(d.mul(bits, &a, &b), low(x * y));
    assert_eq!(d.mul_wide(bits, &a, &b), (low(x * y), low((x * y) >> bits)));
    for carry in 0..2u64 {
        let sum = x + y + u128::from(carry);
        assert_eq!(
            d.addc(bits, &a, &b, &carry),
            (low(sum), (sum / modulus) as u64),
            "{a} + {b} + {carry}, {bits} bits"
        );
        let borrow = x < y + u128::from(carry);
        let difference = low(x + 2 * modulus - y - u128::from(carry));
        assert_eq!(d.subb(bits, &a, &b, &carry), (difference, u64::from(borrow)), "{a} - {b} - {carry}, {bits} bits");
        assert_eq!(d.select(bits, &carry, &a, &b), if carry == 1 { a } else { b });
    }
    for amount in 0..bits {
        let upper = build(bits, |k| if k >= amount { bit(a, k - amount) } else { bit(b, bits + k - amount) });
        assert_eq!(d.funnel(bits, &a, &b, amount), upper, "({a}:{b}) << {amount}, {bits} bits");
    }
    if 2 * bits <= 64 {
        assert_eq!(d.concat(bits, &a, bits, &b), (x * modulus + y) as u64);
    }
}

fn check_one<D: Domain<Word = u64>>(d: &mut D, bits: u32, a: u64) {
    let x = u128::from(a);
    for amount in 0..bits {
        assert_eq!(d.shl(bits, &a, amount), ((x << amount) % (1 << bits)) as u64);
        assert_eq!(d.shr(bits, &a, amount), (x >> amount) as u64);
        assert_eq!(d.sar(bits, &a, amount), build(bits, |k| bit(a, (k + amount).min(bits - 1))));
        assert_eq!(d.rotl(bits, &a, amount), build(bits, |k| bit(a, (k + bits - amount) % bits)));
        for length in 1..=bits - amount {
            assert_eq!(d.extract(bits, &a, amount, length), ((x >> amount) % (1 << length)) as u64);
        }
    }
    for wider in [bits, bits + 1, 64] {
        if (bits..=64).contains(&wider) {
            assert_eq!(d.zero_extend(wider, bits, &a), a);
        }
    }
    assert_eq!(d.broadcast_bit(bits, &bit(a, 0)), if a % 2 == 1 { (u128::MAX >> (128 - bits)) as u64 } else { 0 });
}

/// `pattern[k]` is counted from the most significant bit.
fn check_shuffle<D: Domain<Word = u64>>(d: &mut D, bits: u32, a: u64, pattern: &[Option<u32>]) {
    let expected = build(bits, |k| pattern[(bits - 1 - k) as usize].map_or(0, |p| bit(a, bits - 1 - p)));
    assert_eq!(d.shuffle(bits, &a, pattern), expected, "{a:x} by {pattern:?}");
}

fn check_table<D: Domain<Word = u64>>(d: &mut D, bits: u32, table: &Table, inputs: &[u64]) {
    let found = d.table(bits, table, inputs);
    for position in 0..bits {
        let index = inputs.iter().fold(0, |index, &word| 2 * index + bit(word, position));
        let value = found.iter().fold(0, |value, &word| 2 * value + bit(word, position));
        assert_eq!(value, table.values[index as usize], "position {position}");
    }
    assert!(found.iter().all(|&word| bits == 64 || word >> bits == 0));
}

#[test]
fn all_words_of_few_bits() {
    for bits in 1..=5 {
        for a in 0..1 << bits {
            check_one(&mut Concrete, bits, a);
            check_one(&mut Plain, bits, a);
            for b in 0..1 << bits {
                check_two(&mut Concrete, bits, a, b);
                check_two(&mut Plain, bits, a, b);
            }
        }
    }
}

#[test]
fn all_functions_of_three_bits() {
    let (a, b, c) = (0b1111_0000, 0b1100_1100, 0b1010_1010);
    for table in 0..=255u8 {
        // At bit k of these words, (a, b, c) spells k.
        assert_eq!(Plain.tern(8, table, &a, &b, &c), u64::from(table));
        assert_eq!(Concrete.tern(8, table, &a, &b, &c), u64::from(table));
    }
}

#[test]
fn all_shuffles_of_three_bits() {
    let entry = |n: u32| if n == 0 { None } else { Some(n - 1) };
    for n in 0..64 {
        let pattern = [entry(n % 4), entry(n / 4 % 4), entry(n / 16)];
        for a in 0..8 {
            check_shuffle(&mut Concrete, 3, a, &pattern);
            check_shuffle(&mut Plain, 3, a, &pattern);
        }
    }
}

#[test]
#[should_panic(expected = "a constant fits its width")]
fn a_constant_that_does_not_fit_is_refused() {
    Concrete.constant(4, 16);
}

fn word_of() -> impl Strategy<Value = (u32, u64, u64)> {
    (1..=64u32).prop_flat_map(|bits| {
        let all = u64::MAX >> (64 - bits);
        let word = move || prop_oneof![4 => any::<u64>().prop_map(move |w| w & all), 1 => Just(0), 1 => Just(all)];
        (Just(bits), word(), word())
    })
}

proptest! {
    #[test]
    fn words_of_any_width((bits, a, b) in word_of()) {
        check_one(&mut Concrete, bits, a);
        check_one(&mut Plain, bits, a);
        check_two(&mut Concrete, bits, a, b);
        check_two(&mut Plain, bits, a, b);
    }

    #[test]
    fn words_of_64_bits(a: u64, b: u64) {
        check_one(&mut Concrete, 64, a);
        check_one(&mut Plain, 64, a);
        check_two(&mut Concrete, 64, a, b);
        check_two(&mut Plain, 64, a, b);
    }

    #[test]
    fn ternary_functions_at_64_bits(table: u8, a: u64, b: u64, c: u64) {
        let expected = build(64, |k| u64::from(table) >> (4 * bit(a, k) + 2 * bit(b, k) + bit(c, k)) & 1);
        prop_assert_eq!(Plain.tern(64, table, &a, &b, &c), expected);
        prop_assert_eq!(Concrete.tern(64, table, &a, &b, &c), expected);
    }

    #[test]
    fn shuffles_of_any_width((bits, a, seed) in word_of(), holes: u64) {
        let source = |k: u32| (seed.rotate_left(7 * k) % u64::from(bits)) as u32;
        let scattered: Vec<_> = (0..bits).map(|k| Some(source(k)).filter(|_| bit(holes, k) == 0)).collect();
        let rotation: Vec<_> = (0..bits).map(|k| Some((k + source(0)) % bits)).collect();
        for pattern in [scattered, rotation] {
            check_shuffle(&mut Concrete, bits, a, &pattern);
            check_shuffle(&mut Plain, bits, a, &pattern);
        }
    }

    #[test]
    fn tables((bits, a, b) in word_of(), c: u64, inputs in 0..=6u32, outputs in 1..=64u32) {
        let values = (0..1u64 << inputs).map(|i| (c ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32) >> (64 - outputs));
        let table = Table { inputs, outputs, values: values.collect() };
        let all = u64::MAX >> (64 - bits);
        let words: Vec<u64> = (0..inputs).map(|k| (a.rotate_left(5 * k) ^ b.rotate_right(k)) & all).collect();
        check_table(&mut Concrete, bits, &table, &words);
        check_table(&mut Plain, bits, &table, &words);
    }
}
