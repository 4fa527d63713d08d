//! Places in slots, types, lists, numbers and names.

use super::{ParseError, Parsed, Parser, Scope, is_numbered};
use crate::field::Sign;
use crate::func::{FieldId, Index, Slot, Value, Values};
use crate::lex::Token;
use crate::op::Type;

impl<'a> Parser<'a> {
    pub(super) fn place(&mut self, scope: &Scope<'a>) -> Parsed<(Slot, Index)> {
        let start = self.at;
        let key = self.slot_name()?;
        let Some(&slot) = scope.slots.get(&key) else {
            return self.fail_at(start, format!("there is no slot `{}` of group {}", key.0, key.1));
        };
        self.expect('[')?;
        let index = self.index(scope)?;
        self.expect(']')?;
        Ok((slot, index))
    }

    fn index(&mut self, scope: &Scope<'a>) -> Parsed<Index> {
        let mut index = Index::default();
        let mut negative = self.accept('-');
        loop {
            let start = self.at;
            let magnitude = match self.peek() {
                Token::Number(_) => self.number("a number")?,
                _ => 1,
            };
            let signed = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
            let overflow = || ParseError::at(self.text, self.tokens[start].1, "this number is too large");
            let value = i64::try_from(signed).map_err(|_| overflow())?;
            let is_factor = self.at == start || self.accept('*');
            if is_factor {
                let token = self.at;
                let name = self.counter_name()?;
                let Some(&(_, counter)) = scope.counters.iter().find(|&&(n, _)| n == name) else {
                    return self.fail_at(token, format!("no enclosing loop counts `{name}`"));
                };
                match index.terms.iter_mut().find(|term| term.0 == counter) {
                    Some((_, factor)) => match factor.checked_add(value) {
                        Some(sum) => *factor = sum,
                        None => return self.fail_at(start, "this number is too large"),
                    },
                    None => index.terms.push((counter, value)),
                }
            } else {
                match index.constant.checked_add(value) {
                    Some(sum) => index.constant = sum,
                    None => return self.fail_at(start, "this number is too large"),
                }
            }
            negative = self.peek() == Token::Mark('-');
            if !negative && self.peek() != Token::Mark('+') {
                break;
            }
            self.at += 1;
        }
        index.terms.retain(|&(_, factor)| factor != 0);
        index.terms.sort_unstable_by_key(|&(counter, _)| counter);
        Ok(index)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.at;
        let name = self.name("a type")?;
        if name == "v" {
            self.expect('<')?;
            let lanes = self.integer("a number of lanes")?;
            self.expect(',')?;
            if let Token::Name(name) = self.peek() {
                let Some(field) = field(name) else { return self.fail("expected a number of bits or a field") };
                self.at += 1;
                self.expect('>')?;
                return Ok(Type::Elements { field, lanes });
            }
            let bits = self.integer("a number of bits")?;
            self.expect('>')?;
            return Ok(Type::Vector { lanes, bits });
        }
        match name.strip_prefix('w').and_then(|digits| digits.parse().ok()) {
            Some(bits) => Ok(Type::Word(bits)),
            None => match field(name) {
                Some(field) => Ok(Type::Field(field)),
                None => self.fail_at(start, format!("`{name}` is no type")),
            },
        }
    }

    pub(super) fn signs(&mut self) -> Parsed<Box<[Sign]>> {
        self.expect(',')?;
        self.expect('[')?;
        let mut signs = Vec::new();
        self.list(']', |p| {
            let sign = if p.accept('-') { Sign::Minus } else { Sign::Plus };
            signs.push(sign);
            if sign == Sign::Plus { p.expect('+') } else { Ok(()) }
        })?;
        Ok(signs.into())
    }

    pub(super) fn pattern(&mut self) -> Parsed<Box<[Option<u8>]>> {
        self.expect(',')?;
        self.expect('[')?;
        let mut pattern = Vec::new();
        self.list(']', |p| {
            pattern.push(if p.accept_name("_") { None } else { Some(p.integer("a lane or `_`")?) });
            Ok(())
        })?;
        Ok(pattern.into())
    }

    pub(super) fn numbers(&mut self) -> Parsed<Vec<u64>> {
        self.expect('[')?;
        let mut numbers = Vec::new();
        self.list(']', |p| p.number("a value").map(|value| numbers.push(value)))?;
        Ok(numbers)
    }

    /// Items separated by commas, then the closing mark.
    pub(super) fn list(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.accept(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.accept(',') {
                return self.expect(close);
            }
        }
    }

    /// One or more uses of values; a comma that no value follows is left alone, for the other parts of the operation.
    pub(super) fn uses(&mut self, scope: &mut Scope<'a>) -> Parsed<Values> {
        let mut values = Values::new();
        values.push(self.use_(scope)?);
        while self.peek() == Token::Mark(',') && self.is_value_at(self.at + 1) {
            self.at += 1;
            values.push(self.use_(scope)?);
        }
        Ok(values)
    }

    pub(super) fn use_(&mut self, scope: &mut Scope<'a>) -> Parsed<Value> {
        let token = self.at;
        let name = self.value_name()?;
        Ok(Value(scope.name(name, token)))
    }

    pub(super) fn slot_name(&mut self) -> Parsed<(&'a str, u32)> {
        let name = self.name("a slot's name")?;
        let group = if self.accept('@') { self.integer("a group")? } else { 0 };
        Ok((name, group))
    }

    pub(super) fn immediate(&mut self) -> Parsed<u8> {
        self.expect(',')?;
        self.integer("a number below 256")
    }

    pub(super) fn signed(&mut self) -> Parsed<i64> {
        let start = self.at;
        let negative = self.accept('-');
        let magnitude = i128::from(self.number("a number")?);
        match i64::try_from(if negative { -magnitude } else { magnitude }) {
            Ok(value) => Ok(value),
            Err(_) => self.fail_at(start, "this number is too large"),
        }
    }

    pub(super) fn integer<T: TryFrom<u64>>(&mut self, what: &str) -> Parsed<T> {
        let start = self.at;
        let value = self.number(what)?;
        match T::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => self.fail_at(start, format!("{value} is too large for {what}")),
        }
    }

    pub(super) fn number(&mut self, what: &str) -> Parsed<u64> {
        match self.peek() {
            Token::Number(value) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.fail(format!("expected {what}")),
        }
    }

    pub(super) fn is_value(&self) -> bool {
        self.is_value_at(self.at)
    }

    pub(super) fn is_value_at(&self, at: usize) -> bool {
        matches!(self.tokens.get(at), Some((Token::Name(name), _)) if is_numbered(name, 'v'))
    }

    pub(super) fn value_name(&mut self) -> Parsed<&'a str> {
        if self.is_value() { self.name("a value") } else { self.fail("expected a value such as `v3`") }
    }

    pub(super) fn counter_name(&mut self) -> Parsed<&'a str> {
        match self.peek() {
            Token::Name(name) if is_numbered(name, 'i') => self.name("a counter"),
            _ => self.fail("expected a counter such as `i0`"),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<&'a str> {
        match self.peek() {
            Token::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.fail(format!("expected {what}")),
        }
    }
}

/// The field `f0`, `f1`, ….
fn field(name: &str) -> Option<FieldId> {
    name.strip_prefix('f').and_then(|digits| digits.parse().ok()).map(FieldId)
}
