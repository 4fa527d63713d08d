//! Loops, with the ranges or streams that they go over.

use super::{Parsed, Parser, Scope};
use crate::func::{Iterations, LoopData, Over, RegionId, Slot, Which};
use crate::lex::Token;
use crate::op::Op;
use crate::print::MAX_DEPTH;

impl<'a> Parser<'a> {
    pub(super) fn loop_(
        &mut self,
        scope: &mut Scope<'a>,
        outer: RegionId,
        names: &[(&'a str, usize)],
        depth: usize,
    ) -> Parsed<()> {
        let start = self.at;
        if depth >= MAX_DEPTH {
            return self.fail(format!("loops are nested more than {MAX_DEPTH} deep"));
        }
        let counter_name = self.counter_name()?;
        if scope.counters.iter().any(|&(name, _)| name == counter_name) {
            return self.fail_at(start, format!("the counter `{counter_name}` is in use here"));
        }
        let (first, last, over) = self.bounds(scope)?;
        let lanes = match self.accept_name("lanes") {
            true => Some(self.integer("a number of accumulators")?),
            false => None,
        };
        let unroll = match self.peek() {
            Token::Name("unroll") => Some(true),
            Token::Name("no_unroll") => Some(false),
            _ => None,
        };
        self.at += usize::from(unroll.is_some());
        let (mut params, mut inits, mut types) = (Vec::new(), Vec::new(), Vec::new());
        if self.accept('(') {
            self.list(')', |p| {
                params.push((p.value_name()?, p.at - 1));
                p.expect('=')?;
                let token = p.at;
                let init = p.use_(scope)?;
                inits.push(init);
                match scope.named[init.index()].0 {
                    Some(value) => types.push(scope.func.ty(value)),
                    None => return p.fail_at(token, "a loop's initial value must be defined above it"),
                }
                Ok(())
            })?;
        }
        if names.len() != types.len() {
            return self.fail_at(start, format!("a loop that carries {} values has as many results", types.len()));
        }
        self.expect('{')?;
        let counter = scope.func.add_counter();
        let region = RegionId(scope.func.regions.len() as u32);
        let data = LoopData { counter, first, last, unroll, lanes, over, region };
        let inst = scope.func.append(outer, Op::Loop(Box::new(data)), inits, &types);
        self.define_results(scope, inst, names, start)?;
        scope.func.add_region(&types);
        for (i, &(name, token)) in params.iter().enumerate() {
            let value = scope.func.region(region).params[i];
            self.define(scope, name, token, value)?;
        }
        scope.counters.push((counter_name, counter));
        self.region(scope, region, "next", depth + 1)?;
        scope.counters.pop();
        Ok(())
    }

    /// `= 0 to 9`, or `over m by 16`, or `rest m by 16`, or `short m by 16`.
    fn bounds(&mut self, scope: &Scope<'a>) -> Parsed<(i64, i64, Option<Over>)> {
        let Some(kind) = ["over", "rest", "short"].into_iter().find(|kind| self.accept_name(kind)) else {
            self.expect('=')?;
            let first = self.signed()?;
            self.expect_name("to")?;
            return Ok((first, self.signed()?, None));
        };
        let (stream, block) = self.stream(scope)?;
        let over = match kind {
            "over" => Over::Whole { stream, block, which: self.which()? },
            "short" => Over::Short { stream, block },
            _ => Over::Rest {
                stream,
                block,
                least: if self.accept_name("least") { self.integer("a number of bytes")? } else { 1 },
            },
        };
        let (first, last) = LoopData::UNBOUNDED;
        Ok((first, last, Some(over)))
    }

    /// `beyond 4 first`
    fn which(&mut self) -> Parsed<Which> {
        let beyond = if self.accept_name("beyond") { self.integer("the number of a group's blocks")? } else { 0 };
        let iterations = match self.peek() {
            Token::Name("first") => Iterations::First,
            Token::Name("later") => Iterations::Later,
            _ => Iterations::All,
        };
        self.at += usize::from(iterations != Iterations::All);
        Ok(Which { beyond, iterations })
    }

    /// `m by 16`
    pub(super) fn stream(&mut self, scope: &Scope<'a>) -> Parsed<(Slot, u32)> {
        let slot = self.known_slot(scope)?;
        self.expect_name("by")?;
        Ok((slot, self.integer("the length of a block")?))
    }
}
