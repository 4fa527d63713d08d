//! Reads contracts from TOML, and reports all that is wrong with them.

mod bounds;
mod numbers;
mod requires;
mod results;
mod tables;

use std::collections::BTreeMap;

use culet_decide::field::power_of_two;
use culet_diag::codes::world;
use culet_diag::{Code, Diagnostic, Diagnostics, FileId, Span};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use serde::Deserialize;
use toml::Spanned;

use super::expression::{self, Constants, Expression, Table};
use super::{Argument, Contract, Direction, Equation, Extension, Limb, Order};

/// Denominator of a radix with a decimal point.
const DECIMALS: u64 = 1_000_000_000;
/// The largest numerator or denominator of a radix.
const MAX_TERM: u64 = 1 << 40;
/// Maximum number of limbs: more than any number has that is multiplied limb by limb, and more than the bytes of 521
/// bits.
const MAX_LIMBS: usize = 80;
const MAX_ARGUMENTS: usize = 16;
/// Maximum number of ways in which arguments share memory: each takes a proof.
const MAX_ALIASINGS: usize = 64;
const MAX_LANES: usize = 64;
/// Maximum degree of an equation in its arguments.
const MAX_DEGREE: u64 = 4;
/// Maximum number of products of limbs in all equations.
const MAX_PRODUCTS: u64 = 1 << 20;
/// Maximum number of bits of a number.
const MAX_BITS: u64 = 1 << 17;
/// Maximum position of a limb.
const MAX_POSITION: u64 = 8192;
/// Maximum number of words of memory that a function may use.
const MAX_SCRATCH: usize = 1 << 16;
/// The direction of a public length.
const LENGTH: &str = "length";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractText {
    symbol: Spanned<String>,
    equation: Spanned<Equations>,
    #[serde(default)]
    constants: BTreeMap<String, Spanned<Numbers>>,
    argument: Vec<Spanned<ArgumentText>>,
    #[serde(default)]
    requires: Vec<Spanned<String>>,
    #[serde(default)]
    calls: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected an equation in quotes, or a list of such")]
enum Equations {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a whole number, or a formula in quotes")]
enum Number {
    Integer(i64),
    Formula(String),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a whole number, a formula in quotes, or a list of such")]
enum Numbers {
    All(Number),
    Each(Vec<Number>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected bits a limb: 51, 25.5 or \"130/3\"")]
enum Radix {
    Bits(u32),
    Fraction(f64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentText {
    name: Spanned<String>,
    direction: Spanned<String>,
    entries: Option<Spanned<Number>>,
    stride: Option<Spanned<u64>>,
    limbs: Option<Spanned<Number>>,
    values: Option<Spanned<Vec<u64>>>,
    bits: Option<Spanned<u32>>,
    lanes: Option<Spanned<usize>>,
    order: Option<Spanned<String>>,
    radix: Option<Spanned<Radix>>,
    positions: Option<Spanned<Vec<u64>>>,
    below: Option<Spanned<Numbers>>,
    below_after: Option<Spanned<Numbers>>,
    value_below: Option<Spanned<Number>>,
    value_below_after: Option<Spanned<Number>>,
    align: Option<Spanned<u64>>,
    extended: Option<Spanned<String>>,
    #[serde(default)]
    may_alias: Vec<Spanned<String>>,
    follows: Option<Spanned<String>>,
    truth: Option<Spanned<String>>,
}

/// The way to write what is no TOML.
fn remedy(message: &str) -> Option<&'static str> {
    if ["must be quoted", "overflowed", "as i128", "as u128"].iter().any(|part| message.contains(part)) {
        return Some("names, formulas and large numbers stand in quotes: `below = \"2^58\"`");
    }
    message
        .contains("duplicate key")
        .then_some("each argument is a table `[[argument]]`, in two brackets; other names come once")
}

/// Reads the text of a contract; `file` is the file in which errors are located. Returns one contract for each choice
/// of values of its public lengths.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read(text: &str, file: FileId) -> Result<Vec<Contract>, Diagnostics> {
    let parsed: ContractText = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().trim_end();
        let place = Span::new(file, span.start, span.end);
        let diagnostic = Diagnostic::error(&world::E0870, place, culet_diag::in_words(message));
        Diagnostics::from(match remedy(message) {
            Some(remedy) => diagnostic.note(remedy),
            None => diagnostic,
        })
    })?;
    let mut reader = Reader {
        file,
        lengths: Constants::new(),
        constants: Constants::new(),
        lists: BTreeMap::new(),
        diagnostics: Diagnostics::new(),
    };
    let choices = reader.lengths(&parsed.argument);
    let mut contracts = Vec::new();
    for lengths in choices {
        reader.lengths = lengths.iter().map(|(name, length)| (name.clone(), BigInt::from(*length))).collect();
        reader.constants = reader.lengths.clone();
        reader.constants(&parsed.constants);
        let arguments = reader.arguments(&parsed.argument);
        let equations = reader.equations(&parsed.equation, &arguments);
        let requires = reader.requirements(&parsed.requires, &arguments);
        reader.names_are_visible(&parsed);
        reader.says_something(&parsed, &arguments, &equations);
        if reader.diagnostics.has_errors() {
            return Err(reader.diagnostics);
        }
        let symbol = parsed.symbol.get_ref().clone();
        let calls = parsed.calls.iter().map(|file| (file.get_ref().clone(), reader.place(file))).collect();
        let arguments = tables::expanded(arguments);
        let contract = Contract { symbol, lengths, arguments, equations, requires, calls };
        reader.entries_are_there(&parsed, &contract);
        if reader.diagnostics.has_errors() {
            return Err(reader.diagnostics);
        }
        reader.depends_on_results(&parsed, &contract);
        contracts.push(contract);
    }
    if reader.diagnostics.has_errors() {
        return Err(reader.diagnostics);
    }
    Ok(contracts)
}

struct Reader {
    file: FileId,
    /// Values of the public lengths in the contract that is being read.
    lengths: Constants,
    /// The public lengths, and the file's own constants.
    constants: Constants,
    /// The file's own lists of constants.
    lists: BTreeMap<String, Vec<BigInt>>,
    diagnostics: Diagnostics,
}

impl Reader {
    fn error<T>(&mut self, code: &'static Code, at: &Spanned<T>, message: impl Into<String>) {
        self.refuse(Diagnostic::error(code, self.place(at), message));
    }

    fn refuse(&mut self, diagnostic: Diagnostic) {
        // A wrong bound is wrong for each limb, and is reported once.
        if !self.diagnostics.iter().any(|other| *other == diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn place<T>(&self, at: &Spanned<T>) -> Span {
        Span::new(self.file, at.span().start, at.span().end)
    }

    fn arguments(&mut self, texts: &[Spanned<ArgumentText>]) -> Vec<Argument> {
        let mut arguments: Vec<Argument> = Vec::new();
        for text in texts {
            let argument = self.argument(text);
            let is_known = arguments.iter().any(|other| other.name == argument.name);
            let is_constant = self.constants.contains_key(&argument.name) && argument.direction != Direction::Length
                || self.lists.contains_key(&argument.name);
            if is_known || is_constant {
                let at = self.place(&text.get_ref().name);
                let error = Diagnostic::error(&world::E0871, at, format!("`{}` is named twice", argument.name));
                self.refuse(
                    error.note("each argument, constant and list has a name of its own: give one another name"),
                );
            }
            let follows = text.get_ref().follows.as_ref();
            let follows = follows.and_then(|named| self.follows(named, text.get_ref(), &argument, &arguments));
            let mut argument = Argument { follows, ..argument };
            argument.table = self.table(text.get_ref(), &argument, &arguments);
            arguments.push(argument);
        }
        self.whole_bounds(texts, &mut arguments);
        let names: Vec<String> = arguments.iter().map(|argument| argument.name.clone()).collect();
        for (text, index) in texts.iter().zip(0..) {
            for alias in &text.get_ref().may_alias {
                let other = names.iter().position(|name| name == alias.get_ref());
                match other
                    .filter(|&other| other != index && self.can_alias(&arguments[index], &arguments[other], &arguments))
                {
                    Some(other) => arguments[index].may_alias.push(other),
                    None if other.is_some_and(|other| {
                        [index, other].iter().any(|&place| arguments[place].direction == Direction::InOut)
                    }) =>
                    {
                        let at = self.place(alias);
                        let message = "an `inout` argument is one place already, which is read and then written";
                        let error = Diagnostic::error(&world::E0871, at, message);
                        self.refuse(error.note("leave it out of `may_alias`"));
                    }
                    None => self.error(
                        &world::E0871,
                        alias,
                        format!("`{}` is no argument that is read through a pointer to as many bytes", alias.get_ref()),
                    ),
                }
            }
        }
        if arguments.len() > MAX_ARGUMENTS
            && let Some(last) = texts.last()
        {
            self.error(&world::E0870, last, format!("{} arguments; at most {MAX_ARGUMENTS} are read", arguments.len()));
        }
        self.have_the_same_lanes(texts, &arguments);
        let sharing =
            |index: usize| 1 + arguments.iter().filter(|argument| argument.may_alias.contains(&index)).count();
        let aliasings = (0..arguments.len()).map(sharing).fold(1usize, usize::saturating_mul);
        if aliasings > MAX_ALIASINGS
            && let Some(last) = texts.last()
        {
            let message =
                format!("`may_alias` allows {aliasings} ways to share memory; {MAX_ALIASINGS} are tried at most");
            self.error(&world::E0870, last, message);
        }
        arguments
    }

    /// Returns where an argument lies that comes right after another one in memory.
    fn follows(
        &mut self,
        named: &Spanned<String>,
        text: &ArgumentText,
        argument: &Argument,
        earlier: &[Argument],
    ) -> Option<(usize, u64)> {
        let direction = argument.direction;
        let is_number = direction.is_pointer() && direction != Direction::Scratch;
        let like_it = |other: &Argument| other.direction == direction && other.bits == argument.bits;
        let found = earlier.iter().position(|other| other.name == *named.get_ref() && is_number && like_it(other));
        let Some(index) = found else {
            let message =
                format!("`{}` is no earlier argument of this direction with words of as many bits", named.get_ref());
            self.error(&world::E0871, named, message);
            return None;
        };
        if text.align.is_some() || !text.may_alias.is_empty() {
            let message = "the pointer is another argument's: `align` and `may_alias` are said there";
            self.error(&world::E0870, named, message);
        }
        let (owner, offset) = earlier[index].follows.unwrap_or((index, 0));
        let place = (owner, self.place_after(text, argument, &earlier[index], offset));
        if earlier.iter().any(|other| other.follows == Some(place)) {
            self.error(&world::E0871, named, format!("another argument follows `{}`", named.get_ref()));
        }
        Some(place)
    }

    fn can_alias(&self, written: &Argument, read: &Argument, arguments: &[Argument]) -> bool {
        // Numbers behind one pointer would share memory with one another's.
        let is_alone = |argument: &Argument| {
            let owned = arguments.iter().position(|other| other.name == argument.name);
            let is_owner = |other: &Argument| other.follows.map(|(owner, _)| owner) == owned;
            argument.follows.is_none() && argument.table.is_none() && !arguments.iter().any(is_owner)
        };
        is_alone(written)
            && is_alone(read)
            && written.direction == Direction::Out
            && read.direction == Direction::In
            && (written.bits, written.limbs.len(), written.lanes, written.order)
                == (read.bits, read.limbs.len(), read.lanes, read.order)
    }

    fn argument(&mut self, spanned: &Spanned<ArgumentText>) -> Argument {
        let text = spanned.get_ref();
        let name = text.name.get_ref().clone();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic())
            || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            self.error(&world::E0871, &text.name, format!("`{name}` is no name: letters, digits and `_`"));
        } else if name == "mod" {
            let message = "`mod` stands before a modulus and names no argument: call it `m`, or what it is";
            self.error(&world::E0871, &text.name, message.to_owned());
        }
        let direction = self.direction(&text.direction);
        let bits = self.checked(
            &text.bits,
            64,
            "8, 16, 32 or 64 bits, those of a word in memory (`radix = 51` says what it counts)",
            |bits| [8, 16, 32, 64].contains(bits),
        );
        let most = if direction == Direction::Scratch { MAX_SCRATCH } else { MAX_LIMBS };
        let limbs = self.limbs(text.limbs.as_ref(), most);
        let lanes = self.checked(&text.lanes, 1, "1 to 64 lanes", |lanes| (1..=MAX_LANES).contains(lanes));
        let is_alignment = |align: &u64| align.is_power_of_two() && *align <= 4096;
        let natural = u64::from(bits / 8);
        let alignment = self.checked(&text.align, natural, "a power of two up to 4096", is_alignment);
        if direction == Direction::Length && self.lengths.get(&name).is_some_and(|length| *length >= power_of_two(bits))
        {
            self.error(&world::E0873, &text.name, format!("a length of {bits} bits does not become so large"));
        }
        if !direction.is_pointer() && limbs * lanes != 1 {
            self.error(&world::E0870, &text.direction, "a word in a register is one limb in one lane");
        }
        let positions = self.positions(spanned, limbs);
        let below = self.below(text.below.as_ref(), limbs, bits);
        let below_after = match &text.below_after {
            Some(after) => self.below(Some(after), limbs, bits),
            None => below.clone(),
        };
        let both = below.into_iter().zip(below_after);
        let limbs: Vec<Limb> = positions
            .into_iter()
            .zip(both)
            .map(|(position, (below, below_after))| Limb { position, below, below_after })
            .collect();
        let has_bounds =
            text.below.is_some() || text.value_below.is_some() || text.lanes.is_some() || text.order.is_some();
        if direction == Direction::Scratch && has_bounds {
            self.error(
                &world::E0870,
                &text.direction,
                "memory that is only used holds no number: it has `limbs` and `bits`",
            );
        }
        if direction != Direction::InOut && (text.below_after.is_some() || text.value_below_after.is_some()) {
            self.error(&world::E0870, &text.direction, "bounds afterwards are for `inout`; elsewhere `below` says it");
        }
        Argument {
            name,
            direction,
            bits,
            limbs,
            lanes,
            order: text.order.as_ref().map_or(Order::Limbs, |order| self.order(order)),
            value_below: None,
            value_below_after: None,
            alignment,
            extended: text.extended.as_ref().and_then(|extended| self.extension(extended, direction, bits)),
            may_alias: Vec::new(),
            follows: None,
            table: None,
            is_truth: text.truth.as_ref().is_some_and(|truth| self.truth(truth, text, direction)),
        }
    }

    /// Whether a word counts as 1 where it is not 0.
    fn truth(&mut self, truth: &Spanned<String>, text: &ArgumentText, direction: Direction) -> bool {
        if truth.get_ref() != "nonzero" {
            self.error(&world::E0870, truth, format!("`{}` is no truth: nonzero", truth.get_ref()));
        }
        if !matches!(direction, Direction::Value | Direction::Return) || text.value_below.is_some() {
            self.error(&world::E0870, truth, "only a `value` or a `return`, without `value_below`, is true or false");
        }
        true
    }

    fn limbs(&mut self, text: Option<&Spanned<Number>>, most: usize) -> usize {
        let Some(spanned) = text else { return 1 };
        let Some(number) = self.number(spanned, spanned.get_ref()) else { return 1 };
        number.to_usize().filter(|limbs| (1..=most).contains(limbs)).unwrap_or_else(|| {
            self.error(&world::E0870, spanned, format!("expected 1 to {most} limbs, found {number}"));
            1
        })
    }

    fn direction(&mut self, text: &Spanned<String>) -> Direction {
        match text.get_ref().as_str() {
            "in" => Direction::In,
            "out" => Direction::Out,
            "inout" => Direction::InOut,
            "value" => Direction::Value,
            "return" => Direction::Return,
            "scratch" => Direction::Scratch,
            LENGTH => Direction::Length,
            other => {
                let message = format!("`{other}` is no direction: in, out, inout, value, length, return or scratch");
                self.error(&world::E0870, text, message);
                Direction::In
            }
        }
    }

    fn order(&mut self, text: &Spanned<String>) -> Order {
        match text.get_ref().as_str() {
            "limbs" => Order::Limbs,
            "numbers" => Order::Numbers,
            other => {
                let message = format!("`{other}` is no order of the words of several numbers: limbs or numbers");
                self.error(&world::E0870, text, message);
                Order::Limbs
            }
        }
    }

    fn extension(&mut self, text: &Spanned<String>, direction: Direction, bits: u32) -> Option<Extension> {
        if !matches!(direction, Direction::Value | Direction::Length) || bits >= 32 {
            self.error(&world::E0870, text, "callers extend a `value` or a `length` of 8 or 16 bits, and nothing else");
        }
        match text.get_ref().as_str() {
            "zero" => Some(Extension::Zero),
            "sign" => Some(Extension::Sign),
            other => {
                self.error(&world::E0870, text, format!("`{other}` is no way to extend a word: zero or sign"));
                None
            }
        }
    }

    fn checked<T: Copy>(
        &mut self,
        given: &Option<Spanned<T>>,
        default: T,
        what: &str,
        is_fit: impl Fn(&T) -> bool,
    ) -> T {
        match given {
            None => default,
            Some(value) if is_fit(value.get_ref()) => *value.get_ref(),
            Some(value) => {
                self.error(&world::E0870, value, format!("expected {what}"));
                default
            }
        }
    }

    /// Returns the positions of limbs. With a radix, limb i has the weight 2^ceiling(radix * i).
    fn positions(&mut self, spanned: &Spanned<ArgumentText>, limbs: usize) -> Vec<u32> {
        let text = spanned.get_ref();
        let positions: Option<Vec<u64>> = match (&text.radix, &text.positions) {
            (Some(radix), None) => self.radix(radix).map(|(numerator, denominator)| {
                (0..limbs as u64).map(|i| (i * numerator).div_ceil(denominator)).collect()
            }),
            (None, Some(positions)) => Some(positions.get_ref().clone()),
            (None, None) if limbs == 1 || text.direction.get_ref() == "scratch" => Some(vec![0; limbs]),
            _ => {
                self.error(&world::E0870, &text.name, "limbs have either a `radix` or `positions`");
                None
            }
        };
        let positions = positions.unwrap_or_else(|| vec![0; limbs]);
        if positions.len() != limbs || positions.iter().any(|&position| position > MAX_POSITION) {
            self.error(
                &world::E0873,
                &text.name,
                format!("{limbs} limbs need as many positions, up to {MAX_POSITION}"),
            );
        }
        (0..limbs).map(|i| positions.get(i).map_or(0, |&position| position.min(MAX_POSITION) as u32)).collect()
    }

    fn radix(&mut self, radix: &Spanned<Radix>) -> Option<(u64, u64)> {
        let fraction = match radix.get_ref() {
            Radix::Bits(bits) => Some((u64::from(*bits), 1)),
            // The fraction is taken as it is written, so that its whole multiples are exact.
            Radix::Fraction(value) if (0.0..1024.0).contains(value) => {
                Some(((value * DECIMALS as f64).round() as u64, DECIMALS))
            }
            Radix::Fraction(_) => None,
            Radix::Text(text) => text.split_once('/').and_then(|(numerator, denominator)| {
                Some((numerator.trim().parse().ok()?, denominator.trim().parse().ok()?))
            }),
        };
        let fraction = fraction.filter(|&(n, d): &(u64, u64)| n >= 1 && d >= 1 && n <= MAX_TERM && d <= MAX_TERM);
        if fraction.is_none() {
            self.error(&world::E0870, radix, "a radix is bits a limb: 51, 25.5 or \"130/3\"");
        }
        fraction
    }

    fn equations(&mut self, texts: &Spanned<Equations>, arguments: &[Argument]) -> Vec<Equation> {
        let several: Vec<&String> = match texts.get_ref() {
            Equations::One(text) => vec![text],
            Equations::Several(all) => all.iter().collect(),
        };
        let equations: Vec<Equation> =
            several.into_iter().filter_map(|text| self.equation(texts, text, arguments)).collect();
        let limbs_of = |name: &str| {
            let argument = arguments.iter().find(|argument| argument.name == name);
            argument.map_or(1, |argument| argument.limbs.len() as u64)
        };
        let sides = equations.iter().flat_map(|equation| [&equation.left, &equation.right]);
        if sides.fold(0, |sum: u64, side| sum.saturating_add(side.products(&limbs_of))) > MAX_PRODUCTS {
            let message = format!("what is claimed comes to more than {MAX_PRODUCTS} products of limbs");
            self.error(&world::E0872, texts, message);
        }
        equations
    }

    fn equation(&mut self, at: &Spanned<Equations>, text: &str, arguments: &[Argument]) -> Option<Equation> {
        let parsed = match expression::equation(text, &self.lengths) {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.error(&world::E0872, at, format!("`{text}`: {reason}"));
                return None;
            }
        };
        let is_read = |name: &str| {
            arguments.iter().any(|other| other.name == name && other.direction.is_read() && other.table.is_none())
        };
        let modulus_of = match &parsed.modulus {
            Some(Expression::Name(name)) if is_read(name) => Some(name.clone()),
            _ => None,
        };
        let modulus = match &parsed.modulus {
            Some(modulus) if modulus_of.is_none() => self.value(at, modulus)?,
            _ => BigInt::zero(),
        };
        if parsed.modulus.is_some() && modulus_of.is_none() && modulus <= BigInt::one() {
            self.error(&world::E0873, at, format!("the modulus {modulus} is below 2"));
        }
        let names = parsed.left.names().into_iter().chain(parsed.right.names());
        let unknown: Vec<&str> =
            names.filter(|name| !self.constants.contains_key(*name) && !is_in_equations(arguments, name)).collect();
        for name in unknown {
            let is_table = self.lists.contains_key(name)
                || arguments.iter().any(|other| other.name == name && other.table.is_some());
            let message = match is_table {
                true => format!("`{name}` is a table: an equation says which entry, as in `{name}[0]`"),
                false => format!("`{name}` is neither an argument nor a constant"),
            };
            self.error(&world::E0871, at, message);
        }
        if ![&parsed.left, &parsed.right].into_iter().all(|side| self.names_tables(at, side, arguments)) {
            return None;
        }
        let left = self.with_constants(parsed.left);
        let right = self.with_constants(parsed.right);
        if left.bits(&|_| MAX_POSITION).max(right.bits(&|_| MAX_POSITION)) > MAX_BITS {
            self.error(&world::E0872, at, "the numbers in the equation become too large");
            return None;
        }
        if left.degree(false).max(right.degree(false)) > MAX_DEGREE {
            let message = format!("arguments are multiplied more than {MAX_DEGREE} times");
            self.error(&world::E0872, at, message);
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(Equation { text: words.join(" "), left, right, modulus, modulus_of })
    }

    fn with_constants(&self, expression: Expression) -> Expression {
        let inside = |inner: Box<Expression>| Box::new(self.with_constants(*inner));
        match expression {
            Expression::Name(name) => match self.constants.get(&name) {
                Some(value) => Expression::Number(value.clone()),
                None => Expression::Name(name),
            },
            Expression::Sum(a, b) => Expression::Sum(inside(a), inside(b)),
            Expression::Difference(a, b) => Expression::Difference(inside(a), inside(b)),
            Expression::Product(a, b) => Expression::Product(inside(a), inside(b)),
            Expression::Power(base, exponent) => Expression::Power(inside(base), exponent),
            Expression::Entry(Table::Named(name), index) => {
                let list = self.lists.get(&name).cloned();
                Expression::Entry(list.map_or(Table::Named(name), Table::Constants), inside(index))
            }
            number @ (Expression::Number(_) | Expression::Entry(..)) => number,
        }
    }
}

/// Whether a name stands for a number of an argument: `x'` is the number that an argument holds afterwards.
fn is_in_equations(arguments: &[Argument], name: &str) -> bool {
    let (plain, is_after) = match name.strip_suffix('\'') {
        Some(plain) => (plain, true),
        None => (name, false),
    };
    arguments.iter().any(|argument| {
        let is_there = argument.direction != Direction::Scratch && argument.table.is_none();
        argument.name == plain && is_there && (!is_after || argument.direction == Direction::InOut)
    })
}
