//! Contracts of functions on integers in limbs: a TOML file says what machine code of any origin is to compute.
//!
//! ```toml
//! symbol = "multiply"
//! equation = "out = a * b mod p"
//!
//! [constants]
//! p = "2^255 - 19"
//!
//! [[argument]]             # in the order of the function's parameters
//! name = "out"
//! direction = "out"
//! limbs = 5
//! radix = 51
//! below = "2^52"           # each limb, afterwards
//!
//! [[argument]]
//! name = "a"
//! direction = "in"
//! limbs = 5
//! radix = 51
//! below = "2^54"           # each limb, before
//! ```
//!
//! The argument `b` is like `a`. A file with public lengths is a contract for each of their values. An argument is the
//! number `sum of limb[i] * 2^position[i]`; see [`Argument`] for all that may be said.

mod calls;
mod draw;
mod expression;
mod powers;
mod prove;
mod read;
mod sample;
mod text;

use culet_diag::Span;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

pub use calls::Callee;
pub use expression::{Expression, Table};
pub use prove::{prove, prove_with};
pub use read::read;

/// Specification of a function, for one value of each public length.
#[derive(Debug, Clone)]
pub struct Contract {
    pub symbol: String,
    /// Public lengths, with their values.
    pub lengths: Vec<(String, u64)>,
    pub arguments: Vec<Argument>,
    pub equations: Vec<Equation>,
    /// Conditions on arguments that callers take care of.
    pub requires: Vec<Requirement>,
    /// Files with contracts of the functions that it calls, and where it names them; a call is taken to do what the callee's contract says.
    pub calls: Vec<(String, Span)>,
}

/// Something that callers take care of, about a number whose lowest limb decides it.
#[derive(Debug, Clone)]
pub struct Requirement {
    pub text: String,
    pub of: usize,
    pub kind: RequirementKind,
}

#[derive(Debug, Clone, Copy)]
pub enum RequirementKind {
    /// The number is odd.
    Odd,
    /// Its product with a word, the argument `by`, is `unit`, which is 1 or -1, modulo 2^bits.
    Inverse { by: usize, bits: u32, unit: i32 },
}

/// A number that another one is smaller than.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The number, or the largest that it may be.
    pub most: BigInt,
    /// The number as a formula of arguments before the call, as in `x < 2 * m`.
    pub formula: Option<Expression>,
    pub text: String,
}

/// Place and direction of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A pointer to memory that is read.
    In,
    /// A pointer to memory that is written.
    Out,
    /// A pointer to memory that the function may use, and about whose contents nothing is said.
    Scratch,
    /// A pointer to memory that is read and written. In equations, `x` is the number before the call and `x'` the
    /// number afterwards.
    InOut,
    /// A word in a register.
    Value,
    /// A public word in a register, one of [`Contract::lengths`].
    Length,
    /// The word that is returned.
    Return,
}

/// A number in limbs.
#[derive(Debug, Clone)]
pub struct Argument {
    pub name: String,
    pub direction: Direction,
    /// Bits of the word that holds a limb: 8, 16, 32 or 64.
    pub bits: u32,
    pub limbs: Vec<Limb>,
    /// Count of numbers side by side. Equations hold for each of them.
    pub lanes: usize,
    pub order: Order,
    /// The number is smaller than this, before the call or, where it is only written, afterwards.
    pub value_below: Option<Bound>,
    /// The number is smaller than this afterwards.
    pub value_below_after: Option<Bound>,
    /// Alignment of a pointer to it, in bytes.
    pub alignment: u64,
    /// Extension to 32 bits by the caller, if a word of fewer bits is passed that way in a register.
    pub extended: Option<Extension>,
    /// Arguments to which an argument that is written may be the same pointer.
    pub may_alias: Vec<usize>,
    /// Where the number lies, if it has no pointer of its own: behind the pointer of an earlier argument, so many bytes up.
    pub follows: Option<(usize, u64)>,
    /// The table whose entry it is.
    pub table: Option<InTable>,
    /// Whether the argument stands in equations for 1 if the word is not 0, and for 0 otherwise.
    pub is_truth: bool,
}

/// Place of an entry in a table. While a contract is read, an argument is the whole table, as its first entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InTable {
    pub name: String,
    pub index: usize,
    pub entries: usize,
    /// Distance of two entries, in bytes.
    pub stride: u64,
    /// Where the first of the tables begins whose entries lie between one another's, in bytes behind the pointer.
    pub start: u64,
}

/// Order of the words of several numbers in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Limb i of number j is word `i * lanes + j`.
    Limbs,
    /// One number after another: limb i of number j is word `j * limbs + i`.
    Numbers,
}

/// Bits above a word in a register, up to 32 bits. The ABI leaves them open, but some compilers rely on callers to fill
/// them this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    Zero,
    /// Copies of the word's top bit.
    Sign,
}

#[derive(Debug, Clone)]
pub struct Limb {
    /// The limb has the weight 2^position.
    pub position: u32,
    /// The limb is smaller than this, before the call or, where it is only written, afterwards.
    pub below: BigInt,
    /// The limb is smaller than this afterwards.
    pub below_after: BigInt,
}

/// `left = right` modulo `modulus`, which is 0 where the sides are to be equal as integers.
#[derive(Debug, Clone)]
pub struct Equation {
    pub text: String,
    pub left: Expression,
    pub right: Expression,
    pub modulus: BigInt,
    /// The argument that is the modulus, in place of a number.
    pub modulus_of: Option<String>,
}

impl Equation {
    /// Returns both sides, or what is left of them modulo the modulus, for numbers that names stand for.
    fn sides(&self, of_name: impl Fn(&str) -> Option<BigInt>) -> [BigInt; 2] {
        let modulus = match &self.modulus_of {
            Some(name) => of_name(name).unwrap_or_default(),
            None => self.modulus.clone(),
        };
        [&self.left, &self.right].map(|formula| {
            // Names without values were refused when the contract was read.
            let side = expression::value(formula, &of_name).unwrap_or_default();
            if modulus.is_zero() { side } else { side.mod_floor(&modulus) }
        })
    }
}

impl Contract {
    /// Returns the value of a public length.
    fn length(&self, name: &str) -> u64 {
        self.lengths.iter().find(|(length, _)| length == name).map_or(0, |(_, value)| *value)
    }

    /// Returns the count of numbers side by side.
    fn lanes(&self) -> usize {
        let numbers = self.arguments.iter().filter(|argument| argument.direction != Direction::Scratch);
        numbers.map(|argument| argument.lanes).max().unwrap_or(1)
    }

    /// Returns the arguments that lie behind an argument's pointer, its own number first.
    fn behind(&self, owner: usize) -> impl Iterator<Item = usize> {
        let follows = move |argument: &Argument| argument.follows.is_some_and(|(other, _)| other == owner);
        (0..self.arguments.len()).filter(move |&index| index == owner || follows(&self.arguments[index]))
    }

    /// Returns the argument that has the pointer behind which another one lies.
    fn owner(&self, place: usize) -> usize {
        self.arguments[place].follows.map_or(place, |(owner, _)| owner)
    }

    /// Returns the number of bytes behind an argument's pointer.
    fn bytes_behind(&self, owner: usize) -> u64 {
        self.behind(owner).map(|index| self.arguments[index].end()).max().unwrap_or(0)
    }

    /// Returns the values that choose entries of tables in equations, by their places among the arguments, with their
    /// bounds.
    fn indices(&self) -> Vec<(usize, u64)> {
        let sides = self.equations.iter().flat_map(|equation| [&equation.left, &equation.right]);
        let names: Vec<&str> = sides.flat_map(Expression::entries).flat_map(|(_, index)| index.names()).collect();
        let all = self.arguments.iter().enumerate().filter(|(_, argument)| names.contains(&&*argument.name));
        let bound = |argument: &Argument| {
            let whole = argument.value_below.as_ref().map(|bound| &bound.most);
            whole.into_iter().chain([&argument.limbs[0].below]).min().and_then(BigInt::to_u64).unwrap_or(u64::MAX)
        };
        all.map(|(place, argument)| (place, bound(argument))).collect()
    }

    /// Returns every choice of such values.
    fn choices(&self) -> Vec<Vec<(usize, u64)>> {
        self.indices().into_iter().fold(vec![Vec::new()], |choices, (place, below)| {
            let with = |choice: Vec<(usize, u64)>| {
                (0..below).map(move |value| [choice.clone(), vec![(place, value)]].concat())
            };
            choices.into_iter().flat_map(with).collect()
        })
    }
}

impl Bound {
    /// Returns the number, given the values of arguments before the call.
    fn value(&self, of_name: impl Fn(&str) -> Option<BigInt>) -> BigInt {
        // Names without values were refused when the contract was read.
        let value = |formula| expression::value(formula, of_name).unwrap_or_default();
        self.formula.as_ref().map_or_else(|| self.most.clone(), value)
    }
}

impl Direction {
    /// Whether the argument has contents before the call.
    pub fn is_read(self) -> bool {
        matches!(self, Direction::In | Direction::InOut | Direction::Value)
    }

    /// Whether the argument has contents afterwards about which the contract says something.
    pub fn is_written(self) -> bool {
        matches!(self, Direction::Out | Direction::InOut | Direction::Return)
    }

    pub fn is_pointer(self) -> bool {
        matches!(self, Direction::In | Direction::Out | Direction::InOut | Direction::Scratch)
    }

    /// Whether the function may write to what the argument points to.
    pub fn is_writable(self) -> bool {
        matches!(self, Direction::Out | Direction::InOut | Direction::Scratch)
    }
}

impl Argument {
    pub fn bytes(&self) -> u64 {
        u64::from(self.bits / 8) * (self.limbs.len() * self.lanes) as u64
    }

    /// Returns the index of the word that holds a limb of a lane.
    fn word(&self, limb: usize, lane: usize) -> usize {
        match self.order {
            Order::Limbs => limb * self.lanes + lane,
            Order::Numbers => lane * self.limbs.len() + limb,
        }
    }

    /// Returns the limb and the lane of each word, in the order of the words.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let (limbs, lanes, order) = (self.limbs.len(), self.lanes, self.order);
        (0..limbs * lanes).map(move |word| match order {
            Order::Limbs => (word / lanes, word % lanes),
            Order::Numbers => (word % limbs, word / limbs),
        })
    }

    /// Returns the items of a lane, limb by limb, from one item for each word. If there is one lane, its items are
    /// those of every lane.
    fn of_lane<T: Copy>(&self, words: &[T], lane: usize) -> Vec<T> {
        let lane = if self.lanes == 1 { 0 } else { lane };
        let indices = (0..self.limbs.len()).map(|limb| self.word(limb, lane));
        indices.filter_map(|index| words.get(index).copied()).collect()
    }

    /// Returns the number of bits of its register that the contract determines.
    fn known_bits(&self) -> u32 {
        if self.extended.is_some() { 32 } else { self.bits }
    }

    /// Returns a word as its register holds it, with zeros above the known bits.
    fn extended(&self, word: u64) -> u64 {
        let is_negative = self.extended == Some(Extension::Sign) && word >> (self.bits - 1) & 1 == 1;
        if is_negative { word | (u64::from(u32::MAX) & u64::MAX << self.bits) } else { word }
    }

    /// Returns the name that equations have for the number that it holds afterwards.
    fn name_afterwards(&self) -> String {
        if self.direction == Direction::InOut { format!("{}'", self.name) } else { self.name.clone() }
    }

    /// Returns where its bytes end behind its pointer, or those of the table whose entry it is.
    fn end(&self) -> u64 {
        let own = self.offset() + self.bytes();
        self.table.as_ref().map_or(own, |table| own.max(table.start + table.entries as u64 * table.stride))
    }

    /// Returns the number of its bytes, or of those of the table whose first entry it is, with what lies between entries.
    fn extent(&self) -> u64 {
        match &self.table {
            None => self.bytes(),
            Some(table) if table.start == self.offset() => table.entries as u64 * table.stride,
            Some(table) => self.bytes() + (table.entries - 1) as u64 * table.stride,
        }
    }

    /// Returns the offset from its pointer, in bytes.
    fn offset(&self) -> u64 {
        self.follows.map_or(0, |(_, offset)| offset)
    }

    /// Returns what the number stands for in equations.
    fn meaning(&self, number: BigInt) -> BigInt {
        if self.is_truth { BigInt::from(u8::from(!number.is_zero())) } else { number }
    }

    /// Whether one of its bounds depends on other arguments.
    fn has_bound_by_argument(&self) -> bool {
        [&self.value_below, &self.value_below_after].into_iter().flatten().any(|bound| bound.formula.is_some())
    }

    /// Returns the number that limbs make.
    fn number(&self, limbs: &[BigInt]) -> BigInt {
        limbs.iter().zip(&self.limbs).map(|(value, limb)| value << limb.position as usize).sum()
    }

    /// Returns the name of a limb of one lane, as in counterexamples.
    fn limb_name(&self, limb: usize, lane: usize) -> String {
        if self.lanes == 1 { format!("{}[{limb}]", self.name) } else { format!("{}[{limb}][{lane}]", self.name) }
    }
}
