//! Formulas of contracts: sums, differences, products and powers of names and numbers.
//!
//! ```text
//! equation   = expression "=" expression [ "mod" expression ]
//! expression = product { ("+" | "-") product }
//! product    = factor { "*" factor }
//! factor     = "-" factor | atom [ "^" atom ]
//! atom       = number | name [ "[" expression "]" ] | "(" expression ")"
//! ```
//!
//! A name with an index is an entry of a table. An exponent is made of numbers and public lengths, which are known when a formula is read.
//!
//! Numbers are decimal or, after `0x`, hexadecimal. A name may end in `'`, for the number that an argument holds
//! afterwards.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};
use num_traits::{Num, ToPrimitive, Zero};

/// Maximum exponent.
const MAX_EXPONENT: u32 = 4096;
/// Maximum number of bits in which an exponent is computed.
const MAX_EXPONENT_BITS: u64 = 1024;
/// Maximum degree of a formula in its names and numbers, powers of powers included.
const MAX_DEGREE: u64 = 8192;
/// Maximum depth of parentheses and minus signs within one another.
const MAX_DEPTH: u32 = 64;

/// Maximum number of numbers, names and signs in a formula: recursion on a formula goes as deep as it has terms.
const MAX_TOKENS: usize = 2000;
/// Maximum number of digits of a number, or characters of a name.
const MAX_DIGITS: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    Number(BigInt),
    Name(String),
    Sum(Box<Expression>, Box<Expression>),
    Difference(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Power(Box<Expression>, u32),
    Entry(Table, Box<Expression>),
}

/// The entries from which an index chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Table {
    /// An argument.
    Named(String),
    Constants(Vec<BigInt>),
}

/// `left = right`, with the modulus if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EquationText {
    pub left: Expression,
    pub right: Expression,
    pub modulus: Option<Expression>,
}

/// The operations with which a formula is evaluated.
pub trait Ring {
    type Value;
    fn number(&mut self, number: &BigInt) -> Self::Value;
    fn name(&mut self, name: &str) -> Self::Value;
    fn add(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    fn sub(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    fn mul(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// Returns the number that a value is known to be, as an index must be.
    fn known(&self, value: &Self::Value) -> Option<BigInt>;
}

impl Expression {
    pub fn evaluate<R: Ring>(&self, ring: &mut R) -> R::Value {
        match self {
            Expression::Number(number) => ring.number(number),
            Expression::Name(name) => ring.name(name),
            Expression::Sum(a, b) => {
                let (a, b) = (a.evaluate(ring), b.evaluate(ring));
                ring.add(&a, &b)
            }
            Expression::Difference(a, b) => {
                let (a, b) = (a.evaluate(ring), b.evaluate(ring));
                ring.sub(&a, &b)
            }
            Expression::Product(a, b) => {
                let (a, b) = (a.evaluate(ring), b.evaluate(ring));
                ring.mul(&a, &b)
            }
            Expression::Power(base, exponent) => {
                let base = base.evaluate(ring);
                let mut power = ring.number(&BigInt::from(1));
                for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
                    power = ring.mul(&power, &power);
                    if exponent >> bit & 1 == 1 {
                        power = ring.mul(&power, &base);
                    }
                }
                power
            }
            Expression::Entry(table, index) => {
                let index = index.evaluate(ring);
                let index = ring.known(&index);
                match table {
                    Table::Named(name) => ring.name(&entry_name(name, index.as_ref())),
                    Table::Constants(all) => match index.and_then(|index| all.get(index.to_usize()?)) {
                        Some(number) => ring.number(number),
                        None => ring.name(NO_ENTRY),
                    },
                }
            }
        }
    }

    /// Returns the degree as a polynomial in its names, or, with `of_numbers`, in its names and numbers, which says how
    /// large its value may become.
    pub fn degree(&self, of_numbers: bool) -> u64 {
        let both = |a: &Expression, b: &Expression| (a.degree(of_numbers), b.degree(of_numbers));
        match self {
            Expression::Number(_) => u64::from(of_numbers),
            Expression::Name(_) => 1,
            // The index is a number of its own.
            Expression::Entry(_, index) => {
                if of_numbers {
                    index.degree(true).max(1)
                } else {
                    1
                }
            }
            Expression::Power(base, exponent) => base.degree(of_numbers).saturating_mul(u64::from(*exponent)),
            Expression::Product(a, b) => {
                let (a, b) = both(a, b);
                a.saturating_add(b)
            }
            Expression::Sum(a, b) | Expression::Difference(a, b) => {
                let (a, b) = both(a, b);
                a.max(b)
            }
        }
    }

    /// Returns the number of products of limbs that it comes to, given the number of limbs of names.
    pub fn products(&self, limbs_of: &dyn Fn(&str) -> u64) -> u64 {
        match self {
            Expression::Number(_) => 1,
            Expression::Name(name) | Expression::Entry(Table::Named(name), _) => limbs_of(name),
            Expression::Entry(Table::Constants(_), _) => 1,
            Expression::Power(base, exponent) => base.products(limbs_of).saturating_pow(*exponent),
            Expression::Product(a, b) => a.products(limbs_of).saturating_mul(b.products(limbs_of)),
            Expression::Sum(a, b) | Expression::Difference(a, b) => {
                a.products(limbs_of).saturating_add(b.products(limbs_of))
            }
        }
    }

    /// Returns an upper bound of the bits of its value, given upper bounds of the bits of names: the cost of computing
    /// it.
    pub fn bits(&self, of_name: &dyn Fn(&str) -> u64) -> u64 {
        match self {
            Expression::Number(number) => number.bits(),
            Expression::Name(name) => of_name(name),
            Expression::Entry(table, index) => index.bits(of_name).max(match table {
                Table::Named(name) => of_name(name),
                Table::Constants(all) => all.iter().map(BigInt::bits).max().unwrap_or(0),
            }),
            Expression::Power(base, exponent) => base.bits(of_name).saturating_mul(u64::from(*exponent)),
            Expression::Product(a, b) => a.bits(of_name).saturating_add(b.bits(of_name)),
            Expression::Sum(a, b) | Expression::Difference(a, b) => {
                a.bits(of_name).max(b.bits(of_name)).saturating_add(1)
            }
        }
    }

    /// Returns all entries of tables in it: the table and the index.
    pub fn entries(&self) -> Vec<(&Table, &Expression)> {
        match self {
            Expression::Number(_) | Expression::Name(_) => Vec::new(),
            Expression::Power(base, _) => base.entries(),
            Expression::Entry(table, index) => [vec![(table, &**index)], index.entries()].concat(),
            Expression::Sum(a, b) | Expression::Difference(a, b) | Expression::Product(a, b) => {
                [a.entries(), b.entries()].concat()
            }
        }
    }

    /// Returns all names in it but those of tables, in order.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Expression::Number(_) => Vec::new(),
            Expression::Name(name) => vec![name],
            Expression::Power(base, _) => base.names(),
            Expression::Entry(_, index) => index.names(),
            Expression::Sum(a, b) | Expression::Difference(a, b) | Expression::Product(a, b) => {
                let mut names = a.names();
                names.extend(b.names());
                names
            }
        }
    }
}

/// A name that nothing has.
const NO_ENTRY: &str = "an entry";

/// Returns the name of an entry of a table.
pub fn entry_name(table: &str, index: Option<&BigInt>) -> String {
    index.map_or_else(|| NO_ENTRY.to_owned(), |index| format!("{table}[{index}]"))
}

/// Integers that names stand for.
pub type Constants = BTreeMap<String, BigInt>;

/// Returns the value of a formula, given the values of names.
///
/// # Errors
///
/// A name in it that has no value.
pub fn value(formula: &Expression, of_name: impl Fn(&str) -> Option<BigInt>) -> Result<BigInt, String> {
    let mut integers = Integers { of_name, unknown: None };
    let value = formula.evaluate(&mut integers);
    integers.unknown.map_or(Ok(value), Err)
}

struct Integers<F> {
    of_name: F,
    unknown: Option<String>,
}

impl<F: Fn(&str) -> Option<BigInt>> Ring for Integers<F> {
    type Value = BigInt;
    fn number(&mut self, number: &BigInt) -> BigInt {
        number.clone()
    }
    fn name(&mut self, name: &str) -> BigInt {
        (self.of_name)(name).unwrap_or_else(|| {
            self.unknown.get_or_insert_with(|| name.to_owned());
            BigInt::zero()
        })
    }
    fn add(&mut self, a: &BigInt, b: &BigInt) -> BigInt {
        a + b
    }
    fn sub(&mut self, a: &BigInt, b: &BigInt) -> BigInt {
        a - b
    }
    fn mul(&mut self, a: &BigInt, b: &BigInt) -> BigInt {
        a * b
    }
    fn known(&self, value: &BigInt) -> Option<BigInt> {
        Some(value.clone())
    }
}

/// Reads an expression.
///
/// # Errors
///
/// A message that says what was expected where.
pub fn expression(text: &str, lengths: &Constants) -> Result<Expression, String> {
    let mut parser = Parser::new(text, lengths)?;
    let expression = parser.expression(0)?;
    parser.end()?;
    of_sensible_size(expression)
}

fn of_sensible_size(expression: Expression) -> Result<Expression, String> {
    let degree = expression.degree(true);
    if degree > MAX_DEGREE { Err(format!("a power of {degree} is larger than {MAX_DEGREE}")) } else { Ok(expression) }
}

/// Reads an equation.
///
/// # Errors
///
/// A message that says what was expected where.
pub fn equation(text: &str, lengths: &Constants) -> Result<EquationText, String> {
    let mut parser = Parser::new(text, lengths)?;
    let left = of_sensible_size(parser.expression(0)?)?;
    if !parser.eat("=") {
        return Err(parser.expected("`=`"));
    }
    if parser.peek() == Some("=") {
        return Err("an equation has one `=`, not `==`".into());
    }
    let right = of_sensible_size(parser.expression(0)?)?;
    let modulus = if parser.eat("mod") { Some(of_sensible_size(parser.expression(0)?)?) } else { None };
    parser.end()?;
    Ok(EquationText { left, right, modulus })
}

struct Parser<'c> {
    tokens: Vec<String>,
    next: usize,
    lengths: &'c Constants,
}

impl<'c> Parser<'c> {
    fn new(text: &str, lengths: &'c Constants) -> Result<Parser<'c>, String> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if "+-*^()[]=".contains(first) {
                1
            } else {
                let idiom = idiom(first).map_or_else(String::new, |idiom| format!(": {idiom}"));
                return Err(format!("`{first}` has no meaning in a formula{idiom}"));
            };
            if length > MAX_DIGITS {
                return Err(format!("a number or a name of more than {MAX_DIGITS} characters"));
            }
            if tokens.len() == MAX_TOKENS {
                return Err(format!("it has more than {MAX_TOKENS} numbers, names and signs"));
            }
            let (token, after) = rest.split_at(length);
            tokens.push(token.to_owned());
            rest = after.trim_start();
        }
        Ok(Parser { tokens, next: 0, lengths })
    }

    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.next).map(String::as_str)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> String {
        match self.peek() {
            Some(found) => format!("expected {what}, found `{found}`"),
            None => format!("expected {what} at the end"),
        }
    }

    fn end(&self) -> Result<(), String> {
        let is_modulus = self.peek() == Some("(") && self.tokens.get(self.next + 1).is_some_and(|token| token == "mod");
        match self.peek() {
            None => Ok(()),
            Some(_) if is_modulus => Err("the modulus stands without parentheses: `out = a + b mod p`".to_owned()),
            Some(_) => Err(self.expected("the end or an operator")),
        }
    }

    fn expression(&mut self, depth: u32) -> Result<Expression, String> {
        let mut sum = self.product(depth)?;
        loop {
            if self.eat("+") {
                sum = Expression::Sum(Box::new(sum), Box::new(self.product(depth)?));
            } else if self.eat("-") {
                sum = Expression::Difference(Box::new(sum), Box::new(self.product(depth)?));
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self, depth: u32) -> Result<Expression, String> {
        let mut product = self.factor(depth)?;
        while self.eat("*") {
            if self.peek() == Some("*") {
                return Err("a power is written `x^2`, not `x**2`".into());
            }
            product = Expression::Product(Box::new(product), Box::new(self.factor(depth)?));
        }
        Ok(product)
    }

    fn factor(&mut self, depth: u32) -> Result<Expression, String> {
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} parentheses within one another"));
        }
        if self.eat("-") {
            let zero = Expression::Number(BigInt::from(0));
            return Ok(Expression::Difference(Box::new(zero), Box::new(self.factor(depth + 1)?)));
        }
        let atom = self.atom(depth)?;
        if !self.eat("^") {
            return Ok(atom);
        }
        let exponent = self.exponent(depth)?;
        Ok(Expression::Power(Box::new(atom), exponent))
    }

    fn exponent(&mut self, depth: u32) -> Result<u32, String> {
        if self.peek() == Some("-") {
            return Err(format!("an exponent is not negative: {}", idiom('/').unwrap_or_default()));
        }
        let formula = of_sensible_size(self.atom(depth)?)?;
        if formula.bits(&|_| u64::from(u32::BITS)) > MAX_EXPONENT_BITS {
            return Err("the exponent is too large".into());
        }
        let exponent = value(&formula, |name| self.lengths.get(name).cloned())
            .map_err(|name| format!("`{name}` is no length: exponents are made of numbers and lengths"))?;
        let fit = exponent.to_u32().filter(|&exponent| exponent <= MAX_EXPONENT);
        fit.ok_or_else(|| match exponent.sign() {
            Sign::Minus => format!("an exponent is not negative: {}", idiom('/').unwrap_or_default()),
            _ => format!("the exponent {exponent} is not from 0 to {MAX_EXPONENT}"),
        })
    }

    fn atom(&mut self, depth: u32) -> Result<Expression, String> {
        if self.eat("(") {
            let inner = self.expression(depth + 1)?;
            return if self.eat(")") { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        let Some(token) = self.peek().filter(|token| *token != "mod").map(str::to_owned) else {
            return Err(self.expected("a number, a name or `(`"));
        };
        let atom = match token.chars().next() {
            Some(first) if first.is_ascii_digit() => Expression::Number(number(&token)?),
            Some(first) if first.is_ascii_alphabetic() => Expression::Name(token),
            _ => return Err(self.expected("a number, a name or `(`")),
        };
        self.next += 1;
        match atom {
            Expression::Name(table) if self.eat("[") => {
                let index = self.expression(depth + 1)?;
                let entry = Expression::Entry(Table::Named(table), Box::new(index));
                if self.eat("]") { Ok(entry) } else { Err(self.expected("`]`")) }
            }
            atom => Ok(atom),
        }
    }
}

/// Returns the way to say here what a character of other notations says.
fn idiom(character: char) -> Option<&'static str> {
    Some(match character {
        '%' => "`mod` and the modulus stand at the end, `out = a + b mod p`",
        '<' | '>' | '≤' | '≥' => {
            "a power of two is `2^255`, and bounds are said of arguments, by `below` and `value_below`"
        }
        '/' => "multiply both sides, `out * b = a mod p`",
        '≡' => "an equation has `=`, and perhaps `mod` at its end",
        '&' | '|' | '~' | '!' | '?' => "numbers have no bits here; a choice is `flag * a + (1 - flag) * b`",
        '.' | ',' | ';' => "an equation is one formula on each side; several equations are a list",
        _ => return None,
    })
}

fn number(token: &str) -> Result<BigInt, String> {
    let parsed = match token.strip_prefix("0x") {
        Some(digits) => BigInt::from_str_radix(digits, 16),
        None => BigInt::from_str_radix(token, 10),
    };
    parsed.map_err(|_| format!("`{token}` is no number"))
}
