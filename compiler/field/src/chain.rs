//! Inverses as powers: `a^(p − 2)`, by squarings and few multiplications.

use num_bigint::BigInt;
use num_traits::One;

/// Maximum size of a window between long runs of ones, in bits; all sizes are tried.
const WINDOW: u32 = 5;
/// Minimum length of a run of ones that is a power of its own.
const LONG: u32 = 12;

/// One step on registers; register 0 holds the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `to` becomes `from` squared `times` times.
    Square { to: usize, from: usize, times: u32 },
    /// `to` becomes `a · b`.
    Multiply { to: usize, a: usize, b: usize },
}

/// Steps that leave the power in the last register written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub steps: Vec<Step>,
    /// Number of registers.
    pub registers: usize,
    /// Register that holds the power.
    pub result: usize,
}

/// The exponent whose power is the inverse in a field of `elements` elements, and 0 for 0. It is `elements − 2`, or the
/// next one with the same power if that takes no product: a product carries its result, and a copy does not.
pub fn exponent_of_inverse(elements: &BigInt) -> BigInt {
    let mut exponent: BigInt = elements - 2;
    while exponent <= BigInt::one() {
        exponent += elements - 1;
    }
    exponent
}

impl Chain {
    /// The chain of [`exponent_of_inverse`].
    pub fn of_inverse(elements: &BigInt) -> Chain {
        Chain::new(&exponent_of_inverse(elements))
    }

    /// The power with an exponent that is at least 1, with the window that takes the fewest steps.
    pub fn new(exponent: &BigInt) -> Chain {
        let chains = (1..=WINDOW).map(|window| Chain::with_window(exponent, window));
        let best = chains.min_by_key(|chain| chain.squarings() + chain.multiplications());
        best.unwrap_or_else(|| Chain::with_window(exponent, WINDOW))
    }

    fn with_window(exponent: &BigInt, window: u32) -> Chain {
        let mut maker = Maker { steps: Vec::new(), registers: 1, powers: vec![(BigInt::one(), 0)] };
        let result = maker.power(exponent, window);
        Chain { steps: maker.steps, registers: maker.registers, result }
    }

    /// The power of `base`, where `product` multiplies.
    pub fn apply<T: Clone>(&self, base: T, product: &mut impl FnMut(&T, &T) -> T) -> T {
        let mut registers = vec![base; self.registers];
        for step in &self.steps {
            match *step {
                Step::Square { to, from, times } => {
                    registers[to] = registers[from].clone();
                    for _ in 0..times {
                        registers[to] = product(&registers[to], &registers[to]);
                    }
                }
                Step::Multiply { to, a, b } => registers[to] = product(&registers[a], &registers[b]),
            }
        }
        registers.swap_remove(self.result)
    }

    pub fn squarings(&self) -> u32 {
        self.steps.iter().map(|step| if let Step::Square { times, .. } = step { *times } else { 0 }).sum()
    }

    pub fn multiplications(&self) -> u32 {
        self.steps.iter().filter(|step| matches!(step, Step::Multiply { .. })).count() as u32
    }
}

/// Bits of each digit below the top of an exponent.
pub const DIGIT: u32 = 4;
/// Maximum number of multiplications of a chain that is written out, and of one with digits after it.
const MOST: u32 = 24;
const MOST_ABOVE_DIGITS: u32 = 3;

/// An exponent as the chain of its top, which has long runs, and the digits below, the highest first. If an exponent
/// has no pattern, a chain written out is long, and a loop over digits is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Power {
    pub top: Chain,
    /// Digits of [`DIGIT`] bits each.
    pub digits: Vec<u32>,
}

impl Power {
    /// The power with an exponent that is at least 1.
    pub fn new(exponent: &BigInt) -> Power {
        let tops = (0..).map(|count| (count, exponent >> (count * DIGIT))).take_while(|(_, top)| top.bits() > 0);
        let mut tops = tops.map(|(count, top)| (count, Chain::new(&top)));
        let most = |count| if count == 0 { MOST } else { MOST_ABOVE_DIGITS };
        // The top digit alone takes few multiplications.
        let found = tops.find(|(count, top)| top.multiplications() <= most(*count));
        let (count, top) = found.unwrap_or_else(|| (0, Chain::new(exponent)));
        let digit =
            |index: u32| (0..DIGIT).map(|bit| u32::from(exponent.bit(u64::from(DIGIT * index + bit))) << bit).sum();
        Power { top, digits: (0..count).rev().map(digit).collect() }
    }

    /// Number of multiplications of all kinds, except for those that make the powers of digits.
    pub fn multiplications(&self) -> u32 {
        self.top.squarings() + self.top.multiplications() + self.digits.len() as u32 * (DIGIT + 1)
    }
}

struct Maker {
    steps: Vec<Step>,
    registers: usize,
    /// Exponents of registers that are not written again.
    powers: Vec<(BigInt, usize)>,
}

impl Maker {
    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn known(&self, exponent: &BigInt) -> Option<usize> {
        self.powers.iter().find(|(known, _)| known == exponent).map(|&(_, register)| register)
    }

    /// The power, computed from the top: long runs of ones and windows, with squarings in between.
    fn power(&mut self, exponent: &BigInt, window: u32) -> usize {
        let pieces = pieces(exponent, window);
        let mut result = None;
        for (value, shift) in pieces {
            result = Some(match result {
                None if value.bits() == 0 => continue,
                None => {
                    let from = self.piece(&value);
                    self.copied(from)
                }
                Some(result) => {
                    let factor = (value.bits() > 0).then(|| self.piece(&value));
                    self.steps.push(Step::Square { to: result, from: result, times: shift });
                    if let Some(factor) = factor {
                        self.steps.push(Step::Multiply { to: result, a: result, b: factor });
                    }
                    result
                }
            });
        }
        result.unwrap_or(0)
    }

    /// A register that may be overwritten: the first squaring writes to it.
    fn copied(&mut self, from: usize) -> usize {
        let to = self.register();
        // Squaring zero times is a copy.
        self.steps.push(Step::Square { to, from, times: 0 });
        to
    }

    /// The power with the exponent of a piece: a run of ones, or an odd window.
    fn piece(&mut self, value: &BigInt) -> usize {
        if let Some(known) = self.known(value) {
            return known;
        }
        let bits = value.bits() as u32;
        if *value == (BigInt::one() << bits) - 1 { self.ones(bits) } else { self.odd(value) }
    }

    /// `2^length − 1`, from its half or from one less.
    fn ones(&mut self, length: u32) -> usize {
        let value = (BigInt::one() << length) - 1;
        if let Some(known) = self.known(&value) {
            return known;
        }
        let low = if length.is_multiple_of(2) { length / 2 } else { 1 };
        let high = self.ones(length - low);
        let low_power = self.ones(low);
        let to = self.register();
        self.steps.push(Step::Square { to, from: high, times: low });
        self.steps.push(Step::Multiply { to, a: to, b: low_power });
        self.powers.push((value, to));
        to
    }

    /// The power with an odd exponent, from the odd exponent before it and a square.
    fn odd(&mut self, value: &BigInt) -> usize {
        if let Some(known) = self.known(value) {
            return known;
        }
        let square = match self.known(&BigInt::from(2)) {
            Some(known) => known,
            None => {
                let to = self.register();
                self.steps.push(Step::Square { to, from: 0, times: 1 });
                self.powers.push((BigInt::from(2), to));
                to
            }
        };
        let before = self.odd(&(value - 2));
        let to = self.register();
        self.steps.push(Step::Multiply { to, a: before, b: square });
        self.powers.push((value.clone(), to));
        to
    }
}

/// The exponent from the top as odd numbers, each with the squarings before it; the last one may be 0.
fn pieces(exponent: &BigInt, window: u32) -> Vec<(BigInt, u32)> {
    let mut pieces = Vec::new();
    let mut at = exponent.bits();
    // Squarings that are due before the next piece.
    let mut due = 0;
    while at > 0 {
        if !exponent.bit(at - 1) {
            due += 1;
            at -= 1;
            continue;
        }
        let run = (0..at).rev().take_while(|&bit| exponent.bit(bit)).count() as u32;
        let mut length = if run >= LONG { run } else { window.min(at as u32) };
        while !exponent.bit(at - u64::from(length)) {
            length -= 1;
        }
        let mask: BigInt = (BigInt::one() << length) - 1;
        let value = (exponent >> (at - u64::from(length))) & mask;
        pieces.push((value, due + length));
        due = 0;
        at -= u64::from(length);
    }
    if due > 0 {
        pieces.push((BigInt::ZERO, due));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exponent that the steps reach.
    fn exponent(chain: &Chain) -> BigInt {
        chain.apply(BigInt::one(), &mut |a, b| a + b)
    }

    #[test]
    fn powers_are_tops_and_digits() {
        let order =
            (BigInt::one() << 252) + "27742317777372353535851937790883648493".parse::<BigInt>().expect("digits");
        let power = Power::new(&order);
        let whole = power.digits.iter().fold(exponent(&power.top), |whole, &digit| (whole << DIGIT) + digit);
        assert_eq!(whole, order);
        assert!(power.digits.len() < 40 && power.top.multiplications() <= MOST_ABOVE_DIGITS, "{power:?}");
        // An exponent with a pattern has no digits.
        assert!(Power::new(&((BigInt::one() << 255) - 21)).digits.is_empty());
    }

    #[test]
    fn inverses_end_with_a_product() {
        for elements in [2, 3, 4, 5, 7, 8, 11, 13, 127, 128] {
            let chain = Chain::of_inverse(&BigInt::from(elements));
            assert!(chain.squarings() + chain.multiplications() > 0, "{elements}: {chain:?}");
            // Powers of 0 are 0, and exponents of other elements count modulo `elements − 1`.
            let exponent = exponent(&chain);
            assert!(exponent > BigInt::ZERO && (exponent - (elements - 2)) % (elements - 1) == BigInt::ZERO);
        }
    }

    #[test]
    fn chains_reach_their_exponents() {
        for small in 1..3000 {
            assert_eq!(exponent(&Chain::new(&BigInt::from(small))), BigInt::from(small));
        }
        let p = (BigInt::one() << 255) - 19;
        let chain = Chain::new(&(&p - 2));
        assert_eq!(exponent(&chain), p - 2);
        assert!(chain.squarings() < 262 && chain.multiplications() < 20, "{chain:?}");
    }
}
