//! A trial of a module's functions before they are written. Their results are compared with those of integers modulo p,
//! and with the bounds that they promise: for elements at the ends of their bounds, around multiples of p, and at random.

use std::fmt;

use culet_field::arithmetic::Operation;
use culet_field::chain::Chain;
use culet_ir::{Module, SlotKind, W1, compute};
use culet_sbox::random::Random;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};

use super::Arithmetic;
use super::contract::Limits;

/// Word operations that the trial of one function runs; it runs one case at least, unless one takes [`LONG`].
const WORK: usize = 500_000;
/// Word operations of one case that are too many. Only inverses modulo primes of a thousand bits have so many; of these the
/// exponent is checked, and the products that they call have their own trial.
const LONG: usize = 2_000_000;
/// Maximum number of cases of one function.
const MOST: usize = 300;

/// A case in which a function of a module does not compute what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub symbol: String,
    pub inputs: Vec<Vec<u64>>,
    /// The function's result, if it has one.
    pub output: Vec<u64>,
    pub reason: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { symbol, inputs, output, reason } = self;
        write!(f, "{symbol} of {inputs:x?} gives {output:x?}: {reason}")
    }
}

/// Compares these functions of a module with integers.
///
/// # Errors
///
/// The first case that is wrong.
pub(super) fn compare(module: &Arithmetic<'_>, operations: &[Operation]) -> Result<(), Wrong> {
    let trial = Trial::new(module);
    operations.iter().try_for_each(|&operation| trial.function(operation))
}

struct Trial<'a> {
    module: &'a Arithmetic<'a>,
    p: &'a BigInt,
    /// The inverse modulo p of the factor by which Montgomery's form multiplies elements, or 1.
    unit: BigInt,
    positions: Vec<u32>,
    /// The weights of the bytes of an element.
    bytes: Vec<u32>,
}

/// Arguments of a function: their words, and the numbers that they stand for.
#[derive(Default)]
struct Case {
    words: Vec<Vec<u64>>,
    numbers: Vec<BigInt>,
    flag: bool,
}

impl<'a> Trial<'a> {
    fn new(module: &'a Arithmetic<'a>) -> Trial<'a> {
        let p = module.modulus();
        let r = module.r_exponent().map_or_else(BigInt::one, |exponent| BigInt::one() << exponent);
        let unit = r.modpow(&(p - 2), p);
        let bytes = (0..module.bytes).map(|index| 8 * index).collect();
        Trial { module, p, unit, positions: module.positions(), bytes }
    }

    fn function(&self, operation: Operation) -> Result<(), Wrong> {
        if operation == Operation::Inv {
            self.chain()?;
        }
        let edges = self.edges(operation);
        let mut random = Random::new(1);
        for round in 0..self.rounds(operation) {
            let case = self.case(operation, &mut |argument| match edges.len() {
                // Each edge beside itself, each beside its opposite, then any two.
                count if round < count => edges[round].clone(),
                count if round < 2 * count && argument == 0 => edges[round - count].clone(),
                count if round < 2 * count => edges[2 * count - 1 - round].clone(),
                count if random.below(3) == 0 => edges[random.below(count)].clone(),
                _ => self.drawn(operation, &mut random),
            });
            let output = self.run(operation, &case.words);
            let reason = match &output {
                Ok(output) => self.is_wrong(operation, &case, output),
                Err(reason) => Some(reason.clone()),
            };
            if let Some(reason) = reason {
                let (symbol, output) = (self.module.symbol(operation), output.unwrap_or_default());
                return Err(Wrong { symbol, inputs: case.words, output, reason });
            }
        }
        Ok(())
    }

    /// Checks that the chain of the inverse has its exponent modulo p − 1, and ends with a product, which is carried.
    fn chain(&self) -> Result<(), Wrong> {
        let chain = Chain::of_inverse(self.p);
        let exponent = chain.apply(BigInt::one(), &mut |a, b| a + b);
        let is_inverse = modulo(&(&exponent - (self.p - 2)), &(self.p - 1)) == BigInt::ZERO;
        if is_inverse && exponent > BigInt::one() {
            return Ok(());
        }
        let reason = format!("its exponent is {exponent}");
        Err(Wrong { symbol: self.module.symbol(Operation::Inv), inputs: Vec::new(), output: Vec::new(), reason })
    }

    /// Number of cases of a function.
    fn rounds(&self, operation: Operation) -> usize {
        let length = |operation| self.module.func(operation).map_or(1, |func| func.insts.len());
        let steps = match operation {
            Operation::Inv => {
                let chain = Chain::of_inverse(self.p);
                let (squarings, products) = (chain.squarings() as usize, chain.multiplications() as usize);
                squarings * length(Operation::Square) + products * length(Operation::Mul)
            }
            _ => length(operation),
        };
        if steps > LONG { 0 } else { (WORK / steps.max(1)).clamp(1, MOST) }
    }

    /// The case whose arguments are taken one after the other; each is given its number.
    fn case(&self, operation: Operation, take: &mut dyn FnMut(usize) -> Vec<u64>) -> Case {
        let mut case = Case::default();
        let count = operation.elements().len().max(1);
        for argument in 0..count {
            let words = take(argument);
            case.numbers.push(match operation {
                Operation::FromBytes => value(&words, &self.bytes),
                _ => self.number(&words),
            });
            case.words.push(words);
        }
        if operation == Operation::Select {
            case.flag = case.words[0].first().is_some_and(|word| word % 2 == 1);
            let flag = vec![u64::from(case.flag)];
            let place = self.module.function(operation).map_or(count, flag_place);
            case.words.insert(place.min(count), flag);
        }
        case
    }

    /// The number that an element stands for.
    fn number(&self, words: &[u64]) -> BigInt {
        value(words, &self.positions) * &self.unit
    }

    fn run(&self, operation: Operation, inputs: &[Vec<u64>]) -> Result<Vec<u64>, String> {
        match operation {
            Operation::Inv => {
                let mut fault = None;
                let result = Chain::of_inverse(self.p).apply(inputs[0].clone(), &mut |a: &Vec<u64>, b: &Vec<u64>| {
                    let product = match a == b {
                        true => self.call(Operation::Square, std::slice::from_ref(a)),
                        false => self.call(Operation::Mul, &[a.clone(), b.clone()]),
                    };
                    product.unwrap_or_else(|reason| {
                        fault = Some(reason);
                        a.clone()
                    })
                });
                fault.map_or(Ok(result), Err)
            }
            _ => self.call(operation, inputs),
        }
    }

    fn call(&self, operation: Operation, inputs: &[Vec<u64>]) -> Result<Vec<u64>, String> {
        let module = self.module.function(operation).ok_or_else(|| "there is no such function".to_owned())?;
        let inputs: Vec<Vec<Vec<u64>>> =
            inputs.iter().map(|slot| slot.iter().map(|&word| vec![word]).collect()).collect();
        let outputs = compute(module, &inputs).map_err(|error| error.to_string())?;
        Ok(outputs.into_iter().flatten().filter_map(|lanes| lanes.first().copied()).collect())
    }

    /// The reason that a result is wrong, if it is.
    fn is_wrong(&self, operation: Operation, case: &Case, output: &[u64]) -> Option<String> {
        let expected = expected(operation, &case.numbers, case.flag, self.p);
        if operation == Operation::ToBytes {
            let found = value(output, &self.bytes);
            return (found != expected).then(|| format!("the bytes should be those of {expected:#x}"));
        }
        if modulo(&self.number(output), self.p) != expected {
            return Some(format!("{} does not hold modulo p", self.module.equation(operation)));
        }
        let is_within = match self.module.limits(operation.gives_loose()) {
            Limits::Limbs(limbs) => output.iter().zip(&limbs).all(|(&limb, bound)| BigInt::from(limb) <= bound.high),
            Limits::Value => value(output, &self.positions) < *self.p,
            Limits::Words => true,
        };
        (!is_within).then(|| "it is beyond the bounds that are promised".to_owned())
    }

    /// Arguments at the ends of their bounds and around multiples of p, without repetition.
    fn edges(&self, operation: Operation) -> Vec<Vec<u64>> {
        let p = self.p;
        let around = |multiple: u32| (-2..=2).map(move |distance: i32| p * multiple + distance);
        let half: BigInt = p >> 1u32;
        let numbers: Vec<BigInt> =
            (0..=2).flat_map(around).chain([half.clone(), half + 1, BigInt::one() << (p.bits() - 1)]).collect();
        let (mut edges, positions) = match (operation, self.module.limits(operation.takes_loose())) {
            (Operation::FromBytes, _) => (vec![vec![255; self.bytes.len()]], &self.bytes),
            (_, Limits::Limbs(limbs)) => {
                let ends: Vec<u64> = limbs.iter().map(|limb| limb.high.to_u64().unwrap_or(u64::MAX)).collect();
                let alone = (0..ends.len()).map(|index| {
                    let only = |(place, &end): (usize, &u64)| if place == index { end } else { 0 };
                    ends.iter().enumerate().map(only).collect()
                });
                let below = ends.iter().map(|end| end.saturating_sub(1)).collect();
                ([ends.clone(), below].into_iter().chain(alone).collect(), &self.positions)
            }
            (_, Limits::Value | Limits::Words) => (Vec::new(), &self.positions),
        };
        edges.extend(numbers.iter().filter_map(|number| self.words(operation, number, positions)));
        edges.retain(|edge| self.is_allowed(operation, edge));
        edges.dedup();
        edges
    }

    /// The number as words of these weights, if they hold it.
    fn words(&self, operation: Operation, number: &BigInt, positions: &[u32]) -> Option<Vec<u64>> {
        if number.is_negative() {
            return None;
        }
        let most = if operation == Operation::FromBytes { 8 } else { self.module.word_bits() };
        let mut words = Vec::new();
        for (index, &position) in positions.iter().enumerate() {
            let rest = number >> position;
            let digit = match positions.get(index + 1) {
                Some(next) => rest % (BigInt::one() << (next - position)),
                None => rest,
            };
            words.push(digit.to_u64().filter(|_| digit.bits() <= u64::from(most))?);
        }
        Some(words)
    }

    /// Whether a function may be given these words.
    fn is_allowed(&self, operation: Operation, words: &[u64]) -> bool {
        if operation == Operation::FromBytes {
            return !self.module.bytes_are_canonical() || value(words, &self.bytes) < *self.p;
        }
        match self.module.limits(operation.takes_loose()) {
            Limits::Limbs(limbs) => words.iter().zip(&limbs).all(|(&word, limb)| BigInt::from(word) <= limb.high),
            Limits::Value | Limits::Words => value(words, &self.positions) < *self.p,
        }
    }

    /// A random argument.
    fn drawn(&self, operation: Operation, random: &mut Random) -> Vec<u64> {
        let mut number =
            |words: usize| -> BigInt { (0..words).fold(BigInt::ZERO, |whole, _| (whole << 64u32) + random.number()) };
        match self.module.limits(operation.takes_loose()) {
            Limits::Limbs(limbs) if operation != Operation::FromBytes => {
                limbs.iter().map(|limb| BigInt::to_u64(&(number(2) % (&limb.high + 1))).unwrap_or(0)).collect()
            }
            _ => {
                let positions = if operation == Operation::FromBytes { &self.bytes } else { &self.positions };
                let below = number(self.p.bits() as usize / 64 + 2) % self.p;
                self.words(operation, &below, positions).unwrap_or_else(|| vec![0; positions.len()])
            }
        }
    }
}

/// The place of the flag among a function's inputs.
fn flag_place(module: &Module) -> usize {
    let inputs = module.entry().slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Input { .. }));
    inputs.take_while(|slot| slot.element != W1).count()
}

/// The number that words of these weights make.
fn value(words: &[u64], positions: &[u32]) -> BigInt {
    words.iter().zip(positions).map(|(&word, &position)| BigInt::from(word) << position).sum()
}

fn modulo(value: &BigInt, p: &BigInt) -> BigInt {
    ((value % p) + p) % p
}

/// The result of an operation on numbers, modulo p.
fn expected(operation: Operation, numbers: &[BigInt], flag: bool, p: &BigInt) -> BigInt {
    let result = match operation {
        Operation::Mul => &numbers[0] * &numbers[1],
        Operation::Square => &numbers[0] * &numbers[0],
        Operation::Add => &numbers[0] + &numbers[1],
        Operation::Sub => &numbers[0] - &numbers[1],
        Operation::Opp => -&numbers[0],
        Operation::Select => numbers[usize::from(!flag)].clone(),
        Operation::Carry | Operation::FromBytes | Operation::ToBytes => numbers[0].clone(),
        // The power of 0 is 0.
        Operation::Inv => modulo(&numbers[0], p).modpow(&(p - 2), p),
    };
    modulo(&result, p)
}
