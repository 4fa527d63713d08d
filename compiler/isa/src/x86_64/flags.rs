//! The status flags. They are computed when they are read, since most never are.

use crate::Values;
use iced_x86::ConditionCode;

/// The six status flags.
#[derive(Debug, Clone)]
pub struct Flags<W> {
    pub carry: Flag<W>,
    pub parity: Flag<W>,
    pub adjust: Flag<W>,
    pub zero: Flag<W>,
    pub sign: Flag<W>,
    pub overflow: Flag<W>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagName {
    Carry,
    Parity,
    Adjust,
    Zero,
    Sign,
    Overflow,
}

/// The computation of one flag from known values. A leading number is the width of the words in bits.
#[derive(Debug, Clone)]
pub enum Flag<W> {
    /// The flag is undefined: nothing may depend on it.
    Undefined,
    /// The flag is this bit.
    Bit(W),
    IsZero(u32, W),
    IsNonzero(u32, W),
    /// The flag is the top bit.
    Sign(u32, W),
    /// Whether the number of ones among these eight bits is even.
    EvenParity(W),
    /// The carry of `a + b`.
    Carry(u32, W, W),
    /// The borrow of `a - b`.
    Borrow(u32, W, W),
    /// The carry or borrow out of bit 3, for an operation that made `result` of `[a, b]`.
    Adjust(u32, [W; 2], W),
    /// Signed overflow of a sum of `[a, b]`, with or without a carry, that is `result`.
    SumOverflow(u32, [W; 2], W),
    /// Signed overflow of a difference `a - b`, with or without a borrow, that is `result`.
    DifferenceOverflow(u32, [W; 2], W),
    /// Whether the signed product of two words does not fit one.
    ProductOverflow(u32, W, W),
}

impl<W: Clone> Flags<W> {
    /// The flags at the entry of a function, of which the calling convention says nothing.
    pub fn undefined() -> Flags<W> {
        Flags {
            carry: Flag::Undefined,
            parity: Flag::Undefined,
            adjust: Flag::Undefined,
            zero: Flag::Undefined,
            sign: Flag::Undefined,
            overflow: Flag::Undefined,
        }
    }

    pub fn get(&self, name: FlagName) -> &Flag<W> {
        match name {
            FlagName::Carry => &self.carry,
            FlagName::Parity => &self.parity,
            FlagName::Adjust => &self.adjust,
            FlagName::Zero => &self.zero,
            FlagName::Sign => &self.sign,
            FlagName::Overflow => &self.overflow,
        }
    }
}

impl<W: Clone> Flag<W> {
    /// The flag as one bit, unless it is undefined.
    pub fn value<V: Values<Word = W>>(&self, values: &mut V) -> Option<W> {
        Some(match self {
            Flag::Undefined => return None,
            Flag::Bit(bit) => bit.clone(),
            Flag::IsZero(bits, a) => is_zero(values, *bits, a),
            Flag::IsNonzero(bits, a) => {
                let zero = is_zero(values, *bits, a);
                values.not(1, &zero)
            }
            Flag::Sign(bits, a) => values.extract(*bits, a, bits - 1, 1),
            Flag::EvenParity(a) => {
                let odd = values.parity(8, a);
                values.not(1, &odd)
            }
            Flag::Carry(bits, a, b) => {
                let zero = values.constant(1, 0);
                values.addc(*bits, a, b, &zero).1
            }
            Flag::Borrow(bits, a, b) => values.below(*bits, a, b),
            Flag::Adjust(bits, [a, b], result) => {
                let [a, b, result] = [a, b, result].map(|word| values.extract(*bits, word, 4, 1));
                let differ = values.xor(1, &a, &b);
                values.xor(1, &differ, &result)
            }
            Flag::SumOverflow(bits, [a, b], result) => {
                let [a, b, result] = [a, b, result].map(|word| values.extract(*bits, word, bits - 1, 1));
                let (from_a, from_b) = (values.xor(1, &a, &result), values.xor(1, &b, &result));
                values.and(1, &from_a, &from_b)
            }
            Flag::DifferenceOverflow(bits, [a, b], result) => {
                let [a, b, result] = [a, b, result].map(|word| values.extract(*bits, word, bits - 1, 1));
                let (differ, changed) = (values.xor(1, &a, &b), values.xor(1, &a, &result));
                values.and(1, &differ, &changed)
            }
            Flag::ProductOverflow(bits, a, b) => product_overflows(values, *bits, a, b),
        })
    }
}

fn is_zero<V: Values>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    let zero = values.zero(bits);
    values.equal(bits, a, &zero)
}

fn product_overflows<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.sign_extend(2 * bits, bits, a), values.sign_extend(2 * bits, bits, b));
    let product = values.mul(2 * bits, &a, &b);
    let low = values.extract(2 * bits, &product, 0, bits);
    let fits = values.sign_extend(2 * bits, bits, &low);
    let fits = values.equal(2 * bits, &fits, &product);
    values.not(1, &fits)
}

/// One bit: whether the condition holds. The error is the undefined flag that it needs.
pub(super) fn condition<V: Values>(
    values: &mut V,
    flags: &Flags<V::Word>,
    code: ConditionCode,
) -> Result<V::Word, FlagName> {
    let mut flag = |name| flags.get(name).value(values).ok_or(name);
    use ConditionCode as C;
    let (holds, negated) = match code {
        C::o | C::no => (flag(FlagName::Overflow)?, code == C::no),
        C::b | C::ae => (flag(FlagName::Carry)?, code == C::ae),
        C::e | C::ne => (flag(FlagName::Zero)?, code == C::ne),
        C::s | C::ns => (flag(FlagName::Sign)?, code == C::ns),
        C::p | C::np => (flag(FlagName::Parity)?, code == C::np),
        C::be | C::a => {
            let (carry, zero) = (flag(FlagName::Carry)?, flag(FlagName::Zero)?);
            (values.or(1, &carry, &zero), code == C::a)
        }
        C::l | C::ge => {
            let (sign, overflow) = (flag(FlagName::Sign)?, flag(FlagName::Overflow)?);
            (values.xor(1, &sign, &overflow), code == C::ge)
        }
        C::le | C::g => {
            let (sign, overflow, zero) = (flag(FlagName::Sign)?, flag(FlagName::Overflow)?, flag(FlagName::Zero)?);
            let less = values.xor(1, &sign, &overflow);
            (values.or(1, &less, &zero), code == C::g)
        }
        C::None => (values.constant(1, 1), false),
    };
    Ok(if negated { values.not(1, &holds) } else { holds })
}
