//! The reader of the text form. The language is described in [`crate::print`].
//!
//! The reader rejects text that has no meaning as a module: unknown names, a wrong number of operands.
//! [`crate::verify`] says whether the module is well formed, so that a test can write down a wrong module.

use std::collections::HashMap;
use std::fmt;

use culet_types::field::{Field, FieldKind, Pin};
use culet_types::program::{CounterId, Instruction};
use num_bigint::BigUint;

use crate::field::FieldOp;
use crate::func::{Func, FuncId, Module, RegionId, Slot, SlotData, SlotKind, Value, Values};
use crate::lex::{Located, Token, tokens};
use crate::op::{Op, Type, W1};

mod loops;
mod parts;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: u32,
    /// Number of the column in characters, from 1.
    pub column: u32,
    pub message: String,
}

impl ParseError {
    pub(crate) fn at(text: &str, byte: usize, message: impl Into<String>) -> ParseError {
        let before = &text[..byte];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u32 + 1;
        ParseError { line, column, message: message.into() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a module. Values, instructions, regions and counters are numbered in the order of the text.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0, funcs: Vec::new(), names: HashMap::new() };
    let mut fields = Vec::new();
    while parser.accept_name("field") {
        fields.push(parser.field(fields.len())?);
    }
    let mut entry = None;
    while parser.peek() != Token::End {
        let is_entry = parser.accept_name("entry");
        let start = parser.at;
        let func = parser.func()?;
        let id = FuncId(parser.funcs.len() as u32);
        if parser.names.insert(func.name.clone(), id).is_some() {
            return parser.fail_at(start, format!("there are two functions `{}`", func.name));
        }
        if is_entry && entry.replace(id).is_some() {
            return parser.fail_at(start, "there are two entries");
        }
        parser.funcs.push(func);
    }
    match entry {
        Some(entry) => Ok(Module { fields, funcs: parser.funcs, entry }),
        None => parser.fail("no function is the `entry`"),
    }
}

type Parsed<T> = Result<T, ParseError>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Located<'a>>,
    at: usize,
    funcs: Vec<Func>,
    names: HashMap<String, FuncId>,
}

/// State of the reader for the function that it reads. A value may be used above its definition (the verifier forbids
/// that, not the reader), so uses hold numbers of names until the function is complete.
struct Scope<'a> {
    func: Func,
    slots: HashMap<(&'a str, u32), Slot>,
    value_names: HashMap<&'a str, u32>,
    /// For each name its value, once defined, and the token of its first use.
    named: Vec<(Option<Value>, usize)>,
    counters: Vec<(&'a str, CounterId)>,
}

impl<'a> Scope<'a> {
    fn name(&mut self, name: &'a str, token: usize) -> u32 {
        let next = self.named.len() as u32;
        let id = *self.value_names.entry(name).or_insert(next);
        if id == next {
            self.named.push((None, token));
        }
        id
    }
}

impl<'a> Parser<'a> {
    /// Reads the declaration of a field after `field`.
    fn field(&mut self, number: usize) -> Parsed<Field> {
        let start = self.at;
        if self.name("the field's number")? != format!("f{number}") {
            return self.fail_at(start, format!("this field is `f{number}`"));
        }
        let name = self.name("the field's name")?.to_owned();
        self.expect('=')?;
        let start = self.at;
        let kind = self.name("`GF` or `GF2`")?;
        self.expect('(')?;
        let modulus = self.large("a modulus")?;
        self.expect(')')?;
        let kind = match kind {
            "GF" => FieldKind::Prime(modulus),
            "GF2" => FieldKind::Binary(modulus),
            other => return self.fail_at(start, format!("`{other}` is no kind of field; there are GF and GF2")),
        };
        let pin = if self.accept_name("as") { Some(self.pin()?) } else { None };
        Ok(Field { name, kind, pin })
    }

    fn pin(&mut self) -> Parsed<Pin> {
        let Token::Text(text) = self.peek() else { return self.fail("expected a representation such as \"51\"") };
        match text.parse() {
            Ok(pin) => {
                self.at += 1;
                Ok(pin)
            }
            Err(message) => self.fail(message),
        }
    }

    /// A number of any size.
    fn large(&mut self, what: &str) -> Parsed<BigUint> {
        let number = match self.peek() {
            Token::Number(value) => Some(BigUint::from(value)),
            Token::Large(digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
            _ => None,
        };
        self.at += usize::from(number.is_some());
        number.map_or_else(|| self.fail(format!("expected {what}")), Ok)
    }

    fn func(&mut self) -> Parsed<Func> {
        self.expect_name("fn")?;
        let name = self.name("a function's name")?;
        let mut scope = Scope {
            func: Func::new(name, &[]),
            slots: HashMap::new(),
            value_names: HashMap::new(),
            named: Vec::new(),
            counters: Vec::new(),
        };
        if self.accept('(') {
            self.list(')', |p| {
                let token = p.at;
                let name = p.value_name()?;
                p.expect(':')?;
                let ty = p.ty()?;
                let value = scope.func.add_param(RegionId(0), ty);
                p.define(&mut scope, name, token, value)
            })?;
        }
        self.func_attributes(&mut scope.func)?;
        self.expect('{')?;
        while let Token::Name(
            kind @ ("input" | "output" | "local" | "constants" | "stream" | "outstream" | "part" | "joined"),
        ) = self.peek()
        {
            self.slot(&mut scope, kind)?;
        }
        self.region(&mut scope, RegionId(0), "return", 1)?;
        self.resolve(scope)
    }

    fn func_attributes(&mut self, func: &mut Func) -> Parsed<()> {
        loop {
            match self.peek() {
                Token::Name("inline") => func.inline = Some(true),
                Token::Name("no_inline") => func.inline = Some(false),
                Token::Name("no_opt") => func.no_opt = true,
                Token::Name("instruction") => {
                    self.at += 1;
                    self.expect('(')?;
                    let Token::Name(name) = self.peek() else { return self.fail("expected an instruction") };
                    func.instruction = Instruction::find(name);
                    if func.instruction.is_none() {
                        return self.fail("there is no such instruction");
                    }
                    self.at += 1;
                    if self.peek() != Token::Mark(')') {
                        return self.fail("expected `)`");
                    }
                }
                Token::Name("interleave") => {
                    self.at += 1;
                    self.expect('(')?;
                    func.interleave = Some(self.integer("a number of groups")?);
                    if self.peek() != Token::Mark(')') {
                        return self.fail("expected `)`");
                    }
                }
                Token::Name("runs") => {
                    self.at += 1;
                    self.expect('(')?;
                    func.runs.params = self.lengths()?;
                    self.expect(',')?;
                    func.runs.results = self.lengths()?;
                    if self.peek() != Token::Mark(')') {
                        return self.fail("expected `)`");
                    }
                }
                _ => return Ok(()),
            }
            self.at += 1;
        }
    }

    fn lengths(&mut self) -> Parsed<Vec<u32>> {
        let mut lengths = Vec::new();
        self.expect('[')?;
        self.list(']', |p| p.integer("a number of words").map(|length| lengths.push(length)))?;
        Ok(lengths)
    }

    fn slot(&mut self, scope: &mut Scope<'a>, kind: &str) -> Parsed<()> {
        self.at += 1;
        let start = self.at;
        let (name, group) = self.slot_name()?;
        self.expect(':')?;
        let element = self.ty()?;
        self.expect('[')?;
        let length = self.integer("a length")?;
        self.expect(']')?;
        let kind = match kind {
            "input" => SlotKind::Input { shared: self.accept_name("shared") },
            "output" => SlotKind::Output,
            "local" => SlotKind::Local,
            "stream" => SlotKind::Stream,
            "outstream" => SlotKind::OutStream,
            "part" => SlotKind::Part,
            "joined" => SlotKind::Joined(self.parts(scope)?),
            _ => {
                self.expect('=')?;
                SlotKind::Constants(self.numbers()?)
            }
        };
        let slot = scope.func.add_slot(SlotData { name: name.to_owned(), kind, element, length, group });
        if scope.slots.insert((name, group), slot).is_some() {
            return self.fail_at(start, format!("there are two slots `{name}` of group {group}"));
        }
        Ok(())
    }

    /// `= p, m`
    fn parts(&mut self, scope: &Scope<'a>) -> Parsed<Vec<Slot>> {
        self.expect('=')?;
        let mut parts = Vec::new();
        loop {
            parts.push(self.known_slot(scope)?);
            if !self.accept(',') {
                return Ok(parts);
            }
        }
    }

    /// The name of a slot of the function.
    pub(super) fn known_slot(&mut self, scope: &Scope<'a>) -> Parsed<Slot> {
        let start = self.at;
        let name = self.slot_name()?;
        match scope.slots.get(&name) {
            Some(&slot) => Ok(slot),
            None => self.fail_at(start, format!("there is no slot `{}`", name.0)),
        }
    }

    /// Instructions up to and including the closing brace.
    fn region(&mut self, scope: &mut Scope<'a>, region: RegionId, end: &str, depth: usize) -> Parsed<()> {
        loop {
            if self.accept_name(end) {
                let results = self.uses(scope)?;
                scope.func.region_mut(region).results = results.to_vec();
                return self.expect('}');
            }
            if self.accept('}') {
                return Ok(());
            }
            self.inst(scope, region, depth)?;
        }
    }

    fn inst(&mut self, scope: &mut Scope<'a>, region: RegionId, depth: usize) -> Parsed<()> {
        let mut names = Vec::new();
        if self.is_value() {
            loop {
                let token = self.at;
                names.push((self.value_name()?, token));
                if !self.accept(',') {
                    break;
                }
            }
            self.expect('=')?;
        }
        let start = self.at;
        let name = self.name("an operation")?;
        if name == "loop" {
            return self.loop_(scope, region, &names, depth);
        }
        let (op, args, results) = match name {
            "store" => {
                let (slot, index) = self.place(scope)?;
                self.expect(',')?;
                (Op::Store { slot, index }, self.uses(scope)?, Vec::new())
            }
            "storetail" => {
                let slot = self.known_slot(scope)?;
                self.expect(',')?;
                let from = self.known_slot(scope)?;
                self.expect(',')?;
                let (stream, block) = self.stream(scope)?;
                (Op::StoreTail { slot, from, stream, block }, Values::new(), Vec::new())
            }
            "call" => self.call(scope)?,
            _ => self.typed(scope, name, start)?,
        };
        // There are as many results as names.
        let results = match op {
            Op::Field(FieldOp::Unpack) | Op::Tail { .. } => vec![results[0]; names.len().max(1)],
            _ => results,
        };
        let inst = scope.func.append(region, op, args, &results);
        self.define_results(scope, inst, &names, start)
    }

    fn call(&mut self, scope: &mut Scope<'a>) -> Parsed<(Op, Values, Vec<Type>)> {
        let start = self.at;
        let name = self.name("a function's name")?;
        let Some(&callee) = self.names.get(name) else {
            return self.fail_at(start, format!("no function above is called `{name}`"));
        };
        self.expect('(')?;
        let args = if self.peek() == Token::Mark(')') { Values::new() } else { self.uses(scope)? };
        self.expect(')')?;
        Ok((Op::Call(callee), args, self.funcs[callee.index()].result_types()))
    }

    /// An operation that is written with its result's type.
    fn typed(&mut self, scope: &mut Scope<'a>, name: &str, start: usize) -> Parsed<(Op, Values, Vec<Type>)> {
        self.expect('.')?;
        let ty = self.ty()?;
        let (op, count) = match name {
            "const" if self.peek() == Token::Mark('[') => (Op::Const(self.numbers()?.into()), 0),
            "const" => (Op::constant(self.number("a value")?), 0),
            "load" => {
                let (slot, index) = self.place(scope)?;
                (Op::Load { slot, index }, 0)
            }
            "length" => {
                let stream = self.known_slot(scope)?;
                (Op::Length { stream }, 0)
            }
            "tail" => {
                let (stream, block) = self.stream(scope)?;
                self.expect(',')?;
                (Op::Tail { stream, block, pad: self.integer("a byte")? }, 0)
            }
            "fconst" => (Op::Field(FieldOp::Const(self.large("a value")?)), 0),
            "fpack" | "flookup" | "fsop" | "join" => {
                let args = self.uses(scope)?;
                let op = match name {
                    "join" => return Ok((Op::Join, args, vec![ty])),
                    "fpack" => FieldOp::Pack,
                    "flookup" => FieldOp::Lookup,
                    _ => FieldOp::Sop(self.signs()?),
                };
                return Ok((Op::Field(op), args, vec![ty]));
            }
            _ => match plain(name) {
                Some(plain) => plain,
                None => return self.fail_at(start, format!("there is no operation `{name}`")),
            },
        };
        let args = if count == 0 { Values::new() } else { self.operands(scope, name, count)? };
        let op = match op {
            Op::Shl(_) => Op::Shl(self.immediate()?),
            Op::Shr(_) => Op::Shr(self.immediate()?),
            Op::Sar(_) => Op::Sar(self.immediate()?),
            Op::Rotl(_) => Op::Rotl(self.immediate()?),
            Op::Funnel(_) => Op::Funnel(self.immediate()?),
            Op::Extract(_) => Op::Extract(self.immediate()?),
            Op::Tern(_) => Op::Tern(self.immediate()?),
            Op::Perm(_) => Op::Perm(self.pattern()?),
            Op::Lane(_) => Op::Lane(self.immediate()?),
            Op::Blend(_) => {
                self.expect(',')?;
                Op::Blend(self.number("a set of lanes")?)
            }
            Op::Field(FieldOp::MulC(_)) => {
                self.expect(',')?;
                Op::Field(FieldOp::MulC(self.number("a factor")?))
            }
            op => op,
        };
        let results = match op {
            Op::AddC | Op::SubB => vec![ty, W1],
            Op::MulWide | Op::ClMul => vec![ty, ty],
            _ => vec![ty],
        };
        Ok((op, args, results))
    }

    fn operands(&mut self, scope: &mut Scope<'a>, name: &str, count: usize) -> Parsed<Values> {
        let start = self.at;
        let args = self.uses(scope)?;
        if args.len() != count {
            return self.fail_at(start, format!("`{name}` has {count} operands, not {}", args.len()));
        }
        Ok(args)
    }

    fn define_results(
        &mut self,
        scope: &mut Scope<'a>,
        inst: crate::func::Inst,
        names: &[(&'a str, usize)],
        start: usize,
    ) -> Parsed<()> {
        let results = scope.func.inst(inst).results.clone();
        if results.len() != names.len() {
            let message = format!("this operation has {} results, not {}", results.len(), names.len());
            return self.fail_at(start, message);
        }
        names.iter().zip(results).try_for_each(|(&(name, token), value)| self.define(scope, name, token, value))
    }

    fn define(&self, scope: &mut Scope<'a>, name: &'a str, token: usize, value: Value) -> Parsed<()> {
        let id = scope.name(name, token);
        if scope.named[id as usize].0.replace(value).is_some() {
            return self.fail_at(token, format!("`{name}` is defined twice"));
        }
        Ok(())
    }

    /// Replaces numbers of names by values.
    fn resolve(&self, scope: Scope<'a>) -> Parsed<Func> {
        let Scope { mut func, named, .. } = scope;
        let mut values = Vec::with_capacity(named.len());
        for (value, token) in named {
            match value {
                Some(value) => values.push(value),
                None => return self.fail_at(token, "this value is defined nowhere"),
            }
        }
        let args = func.insts.iter_mut().flat_map(|inst| &mut inst.args);
        let results = func.regions.iter_mut().flat_map(|region| &mut region.results);
        args.chain(results).for_each(|value| *value = values[value.index()]);
        Ok(func)
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn accept(&mut self, mark: char) -> bool {
        let found = self.peek() == Token::Mark(mark);
        self.at += usize::from(found);
        found
    }

    fn accept_name(&mut self, name: &str) -> bool {
        let found = self.peek() == Token::Name(name);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.accept(mark) { Ok(()) } else { self.fail(format!("expected `{mark}`")) }
    }

    fn expect_name(&mut self, name: &str) -> Parsed<()> {
        if self.accept_name(name) { Ok(()) } else { self.fail(format!("expected `{name}`")) }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.fail_at(self.at, message)
    }

    fn fail_at<T>(&self, token: usize, message: impl Into<String>) -> Parsed<T> {
        Err(ParseError::at(self.text, self.tokens[token].1, message))
    }
}

fn is_numbered(name: &str, letter: char) -> bool {
    name.strip_prefix(letter).is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The operation of this name whose operands are all values, and the number of operands; its other parts are still to
/// be read.
fn plain(name: &str) -> Option<(Op, usize)> {
    Some(match name {
        "and" => (Op::And, 2),
        "or" => (Op::Or, 2),
        "xor" => (Op::Xor, 2),
        "andn" => (Op::Andn, 2),
        "not" => (Op::Not, 1),
        "tern" => (Op::Tern(0), 3),
        "add" => (Op::Add, 2),
        "sub" => (Op::Sub, 2),
        "mul" => (Op::Mul, 2),
        "mulhi" => (Op::MulHi, 2),
        "mulwide" => (Op::MulWide, 2),
        "clmul" => (Op::ClMul, 2),
        "mul32" => (Op::Mul32, 2),
        "mac52lo" => (Op::Mac52Lo, 3),
        "mac52hi" => (Op::Mac52Hi, 3),
        "addc" => (Op::AddC, 3),
        "subb" => (Op::SubB, 3),
        "shl" => (Op::Shl(0), 1),
        "shr" => (Op::Shr(0), 1),
        "sar" => (Op::Sar(0), 1),
        "rotl" => (Op::Rotl(0), 1),
        "funnel" => (Op::Funnel(0), 2),
        "select" => (Op::Select, 3),
        "spread" => (Op::Spread, 1),
        "concat" => (Op::Concat, 2),
        "extract" => (Op::Extract(0), 1),
        "perm" => (Op::Perm(Box::new([])), 1),
        "lane" => (Op::Lane(0), 1),
        "blend" => (Op::Blend(0), 2),
        "fadd" => (Op::Field(FieldOp::Add), 2),
        "fsub" => (Op::Field(FieldOp::Sub), 2),
        "fneg" => (Op::Field(FieldOp::Neg), 1),
        "fmul" => (Op::Field(FieldOp::Mul), 2),
        "fsqr" => (Op::Field(FieldOp::Sqr), 1),
        "fmulc" => (Op::Field(FieldOp::MulC(0)), 1),
        "finv" => (Op::Field(FieldOp::Inv), 1),
        "fselect" => (Op::Field(FieldOp::Select), 3),
        "funpack" => (Op::Field(FieldOp::Unpack), 1),
        _ => return None,
    })
}
