//! Calls: matches arguments with parameters, finds instances, and lifts nodes.
//!
//! The rules, in this order:
//!
//! 1. `nat` parameters take static arguments. If there is one argument for each parameter, these are the arguments at
//!    the same positions. Otherwise the `nat` parameters at the front of the list take the first arguments, and those
//!    at its end the last.
//! 2. *Exact*: if all other arguments together have as many atoms as all other parameters together, they are matched
//!    atom by atom, wherever the boundaries between arguments lie. An exact match is never lifted.
//! 3. *Lifted*: else there is one argument for each parameter; each has exactly the atoms of its parameter, and is
//!    used in every application, or n times as many, with the same n for all of these. The node is applied n times,
//!    application k to the k-th parts; each result becomes an array of n, and the results follow one another.
//! 4. Anything else is an error.
//!
//! An argument that is a tuple with literals has the atoms of its parameter. In a lifted call it has n times as many,
//! if it has that many parts.
//!
//! Atoms bind `'D` and the word sizes of the callee; all atoms of a call have to agree. Only the direction may be bound
//! by no argument; it is then the caller's.

use culet_diag::codes::{fields, names, types};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, Ident};
use culet_syntax::print_expr;

use crate::definitions::{Definition, Kind, SourceType, WordBits, WordsType};
use crate::instances::{Binding, shape_of};
use crate::limits::EXPRESSION;
use crate::literals::Partial;
use crate::node::{NodeElaborator, Result, Stop};
use crate::places::part;
use crate::program::{Atom, Expr, ExprKind, NodeId, Shape};
use crate::shape::{self, Pieces};

/// One word parameter with the type in its callee's declaration.
pub(crate) struct Formal<'d> {
    pub(crate) name: &'d Ident,
    pub(crate) ty: &'d WordsType,
}

impl<'d> NodeElaborator<'_, 'd, '_> {
    pub(crate) fn call(
        &mut self,
        name: &'d Ident,
        index: Option<&'d ast::Expr>,
        arguments: &'d [ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        let definitions = self.shared.definitions;
        let Some(&position) = definitions.by_name.get(name.name.as_str()) else {
            if name.name == "refresh" {
                return self.one_value("refresh", arguments, span);
            }
            if name.name == "declassify" && index.is_none() {
                let operand = Box::new(self.one_value("declassify", arguments, span)?);
                let source = arguments.iter().map(print_expr).collect();
                let shape = operand.shape.clone();
                return Ok(Expr { kind: ExprKind::Declassify { operand, source }, shape, span });
            }
            if name.name == "length" && index.is_none() {
                return self.length_of_stream(arguments, span);
            }
            return match self.builtin(&name.name, arguments, span)? {
                Some(value) if index.is_none() => Ok(value),
                _ => Err(Stop::Failed),
            };
        };
        let definition = &definitions.list[position];
        if definition.is_defined_again {
            return Err(Stop::Failed);
        }
        if definition.has_streams() {
            return self.in_place(definition, arguments, &[], span);
        }
        let member = self.member(definition, index, name)?;
        let (nats, words) = self.split_arguments(definition, arguments, span)?;
        let parts = self.all(words);
        let nats = self.nat_arguments(&nats)?;
        let parts = parts?;
        // Wrong signatures and forward references have been reported.
        let is_usable = position < self.position && !definition.is_wrong();
        let Some(member) = member.filter(|_| is_usable) else { return Err(Stop::Failed) };
        let formals: Vec<Formal<'d>> = definition
            .params
            .iter()
            .filter_map(|d| match &d.ty {
                SourceType::Words(ty) => Some(Formal { name: d.name, ty }),
                SourceType::Nat | SourceType::Wrong => None,
            })
            .collect();
        let binding = Binding { member, nats, ..Binding::default() };
        self.matched_call(position, &formals, parts, binding, span)
    }

    /// The only argument of `name`.
    fn one_value(&mut self, name: &str, arguments: &'d [ast::Expr], span: Span) -> Result<Expr> {
        let mut parts = self.all(arguments)?;
        match (parts.pop(), parts.is_empty()) {
            (Some(Partial::Known(value)), true) => Ok(value),
            (Some(Partial::Open(_)), true) => {
                let message = format!("`{name}` needs a value of a definite type");
                self.fail(Diagnostic::error(&types::E0313, span, message))
            }
            _ => self.fail(Diagnostic::error(&names::E0212, span, format!("`{name}` takes one value"))),
        }
    }

    /// The index in the family; an error if it is wrong.
    fn member(
        &mut self,
        definition: &Definition<'_>,
        index: Option<&'d ast::Expr>,
        name: &Ident,
    ) -> Result<Option<usize>> {
        let Some(index) = index else { return Ok((!definition.is_family).then_some(0)) };
        let value = match self.constant(index, "the member of a family depends on it") {
            Ok(value) => value,
            Err(Stop::Failed) => return Ok(None),
            Err(unroll) => return Err(unroll),
        };
        let members = definition.members();
        match usize::try_from(value) {
            Ok(member) if definition.is_family && member < members => Ok(Some(member)),
            _ if !definition.is_family => Ok(None),
            _ => {
                let message = format!("`{}` has {members} members, counted from 0, and none is {value}", name.name);
                self.fail(
                    Diagnostic::error(&names::E0208, index.span, message).related(definition.name.span, "defined here"),
                )
            }
        }
    }

    /// Splits the arguments into those for `nat` parameters and the others.
    fn split_arguments(
        &mut self,
        definition: &Definition<'_>,
        arguments: &'d [ast::Expr],
        span: Span,
    ) -> Result<(Vec<&'d ast::Expr>, Vec<&'d ast::Expr>)> {
        let is_nat: Vec<bool> = definition.params.iter().map(|d| d.ty == SourceType::Nat).collect();
        let count = is_nat.iter().filter(|&&nat| nat).count();
        if count == 0 {
            return Ok((Vec::new(), arguments.iter().collect()));
        }
        if is_nat.len() == arguments.len() {
            let (nats, words): (Vec<_>, Vec<_>) = arguments.iter().zip(is_nat).partition(|&(_, nat)| nat);
            return Ok((nats.into_iter().map(|(a, _)| a).collect(), words.into_iter().map(|(a, _)| a).collect()));
        }
        let front = is_nat.iter().take_while(|&&nat| nat).count();
        let back = if front == count { 0 } else { is_nat.iter().rev().take_while(|&&nat| nat).count() };
        if front + back != count || arguments.len() < count {
            let message = format!(
                "`{}` has nat parameters, so it takes one argument for each of its {} parameters, not {}",
                definition.name.name,
                is_nat.len(),
                arguments.len()
            );
            return self
                .fail(Diagnostic::error(&types::E0321, span, message).related(definition.name.span, "defined here"));
        }
        let (first, rest) = arguments.split_at(front);
        let (words, last) = rest.split_at(rest.len() - back);
        Ok((first.iter().chain(last).collect(), words.iter().collect()))
    }

    fn nat_arguments(&mut self, nats: &[&'d ast::Expr]) -> Result<Vec<i64>> {
        nats.iter().map(|nat| self.constant(nat, "a nat argument depends on it")).collect()
    }

    fn matched_call(
        &mut self,
        position: usize,
        formals: &[Formal<'d>],
        parts: Vec<Partial<'d>>,
        mut binding: Binding,
        span: Span,
    ) -> Result<Expr> {
        let counts: Vec<u32> = formals.iter().map(|f| f.ty.atoms()).collect();
        let wanted: u64 = counts.iter().map(|&n| u64::from(n)).sum();
        let found: Option<u64> = parts.iter().map(|p| p.known().map(|e| u64::from(e.shape.count()))).sum();
        if found == Some(wanted) {
            let parts = parts.into_iter().filter_map(into_known).collect();
            let argument = self.concat(parts, span);
            let mut pieces = Pieces::of(&argument.shape);
            for (formal, &count) in formals.iter().zip(&counts) {
                self.unify(formal, &pieces.take(count), &mut binding, argument.span)?;
            }
            return self.apply(position, binding, argument, span);
        }
        if parts.len() == formals.len() {
            if let Some(times) = self.times(&counts, &parts, span)? {
                return self.lifted_call(position, formals, parts, binding, times, span);
            }
        } else if found.is_none() {
            return self.call_with_open_tuple(position, formals, parts, binding, span);
        }
        let definition = &self.shared.definitions.list[position];
        let message = match found {
            Some(found) => format!(
                "`{}` takes {}, and the arguments have {found}",
                definition.name.name,
                shape::atoms(wanted as u32)
            ),
            None => format!("the arguments do not match the parameters of `{}`", definition.name.name),
        };
        let diagnostic = Diagnostic::error(&types::E0321, span, message)
            .related(definition.name.span, self.shared.definitions.signature(formals))
            .note("arguments with n times the atoms of their parameters apply a node n times, one argument for each parameter");
        self.fail(diagnostic)
    }

    /// The number of applications of a node to arguments that match its parameters one by one; 1 if it is not lifted.
    fn times(&mut self, counts: &[u32], parts: &[Partial<'d>], span: Span) -> Result<Option<u32>> {
        let mut times: Option<(u32, Span)> = None;
        for (&count, part) in counts.iter().zip(parts) {
            let Some(expr) = part.known() else { continue };
            let found = expr.shape.count();
            if found == count {
                continue;
            }
            if found == 0 || !found.is_multiple_of(count) {
                return Ok(None);
            }
            let n = found / count;
            match times {
                Some((other, place)) if other != n => {
                    let message = format!("one argument asks for {other} applications, another for {n}");
                    return self.fail(
                        Diagnostic::error(&types::E0321, span, message)
                            .related(place, format!("{other} elements"))
                            .related(expr.span, format!("{n} elements")),
                    );
                }
                _ => times = Some((n, expr.span)),
            }
        }
        Ok(Some(times.map_or(1, |(n, _)| n)))
    }

    /// A call whose arguments match the parameters one by one.
    fn lifted_call(
        &mut self,
        position: usize,
        formals: &[Formal<'d>],
        parts: Vec<Partial<'d>>,
        mut binding: Binding,
        times: u32,
        span: Span,
    ) -> Result<Expr> {
        for (formal, part) in formals.iter().zip(&parts) {
            if let Some(expr) = part.known() {
                self.unify(formal, &expr.shape, &mut binding, expr.span)?;
            }
        }
        let mut all = Vec::with_capacity(parts.len());
        for (formal, part) in formals.iter().zip(parts) {
            all.push(match part {
                Partial::Known(expr) => expr,
                Partial::Open(open) => {
                    let atom = self.formal_atom(formal, &mut binding, open.span)?;
                    // A tuple with a literal for each atom of each application is an array of arguments.
                    let count = formal.ty.atoms();
                    let is_array = u64::from(open.least_count()) == u64::from(count) * u64::from(times);
                    let wanted = Shape::of(atom, if is_array { count * times } else { count });
                    self.resolve_open(open, &wanted)?
                }
            });
        }
        if times == 1 {
            let argument = self.concat(all, span);
            return self.apply(position, binding, argument, span);
        }
        let counts: Vec<u32> = formals.iter().map(|f| f.ty.atoms()).collect();
        let mut named = Vec::with_capacity(all.len());
        for expr in all {
            named.push(self.name_value(expr)?);
        }
        let mut applications = Vec::with_capacity(times as usize);
        for k in 0..times {
            let mut arguments = Vec::with_capacity(named.len());
            for (expr, &count) in named.iter().zip(&counts) {
                self.shared.spend(EXPRESSION + u64::from(count), span)?;
                let offset = if expr.shape.count() == count { 0 } else { k * count };
                arguments.push(slice(expr, offset, count));
            }
            let argument = self.concat(arguments, span);
            applications.push(self.apply(position, binding.clone(), argument, span)?);
        }
        let results: Vec<u32> = self.shared.definitions.list[position]
            .returns
            .iter()
            .map(|d| match &d.ty {
                SourceType::Words(ty) => ty.atoms(),
                SourceType::Nat | SourceType::Wrong => 0,
            })
            .collect();
        let all = self.concat(applications, span);
        self.by_result(all, &results, times, span)
    }

    /// Reorders the results of `times` applications: first all of the first result, then all of the second, …
    fn by_result(&mut self, all: Expr, results: &[u32], times: u32, span: Span) -> Result<Expr> {
        if results.len() <= 1 {
            return Ok(all);
        }
        self.shared.spend(u64::from(all.shape.count()), span)?;
        let stride: u32 = results.iter().sum();
        let atoms: Vec<Atom> = all.shape.atoms().take(stride as usize).collect();
        let mut pattern = Vec::with_capacity(all.shape.count() as usize);
        let mut shape = Shape::default();
        let mut first = 0;
        for &count in results {
            for k in 0..times {
                for i in first..first + count {
                    pattern.push(Some(k * stride + i));
                    shape.push(atoms[i as usize], 1);
                }
            }
            first += count;
        }
        Ok(Expr { kind: ExprKind::Select { operand: Box::new(all), pattern }, shape, span })
    }

    /// A call with literals whose arguments do not match the parameters one by one: all of them together are one tuple.
    fn call_with_open_tuple(
        &mut self,
        position: usize,
        formals: &[Formal<'d>],
        parts: Vec<Partial<'d>>,
        mut binding: Binding,
        span: Span,
    ) -> Result<Expr> {
        // There are no boundaries between arguments, so that a word size is bound only if all definite arguments have
        // it.
        let mut definite = Shape::default();
        for expr in parts.iter().filter_map(Partial::known) {
            shape::append(&mut definite, &expr.shape);
        }
        if let Some(atom) = shape::uniform(&definite).filter(|atom| atom.field().is_none()) {
            for formal in formals {
                if let WordBits::Parameter(name) = formal.ty.bits {
                    binding.bind_word(name, atom.bits);
                }
                if formal.ty.direction.is_none() && atom.field().is_none() {
                    binding.direction.get_or_insert(atom.slicing);
                }
            }
        }
        let mut wanted = Shape::default();
        for formal in formals {
            let atom = self.formal_atom(formal, &mut binding, span)?;
            shape::append(&mut wanted, &Shape::of(atom, formal.ty.atoms()));
        }
        let tuple = self.tuple_of(parts, span)?;
        let argument = self.resolve(tuple, &wanted)?;
        self.apply(position, binding, argument, span)
    }

    /// Makes a parameter's type that of an argument.
    pub(crate) fn unify_with(
        &mut self,
        name: &'d Ident,
        ty: &'d WordsType,
        found: &Shape,
        binding: &mut Binding,
        span: Span,
    ) -> Result<()> {
        self.unify(&Formal { name, ty }, found, binding, span)
    }

    /// The atom of a parameter, for an argument without a type of its own.
    pub(crate) fn atom_of(
        &mut self,
        name: &'d Ident,
        ty: &'d WordsType,
        binding: &mut Binding,
        span: Span,
    ) -> Result<Atom> {
        self.formal_atom(&Formal { name, ty }, binding, span)
    }

    /// The atom of a parameter, with the caller's direction if no argument has bound it.
    fn formal_atom(&mut self, formal: &Formal<'_>, binding: &mut Binding, span: Span) -> Result<Atom> {
        if formal.ty.direction.is_none() && binding.direction.is_none() {
            binding.direction = self.binding.direction;
        }
        match binding.atom(formal.ty) {
            Ok(atom) => Ok(atom),
            Err(_) => {
                let message = format!("the literals for `{}` have no definite type", formal.name.name);
                self.fail(
                    Diagnostic::error(&types::E0313, span, message)
                        .related(formal.name.span, "this parameter takes words of any size")
                        .note("write `3 : u16` for a literal of 16 bits"),
                )
            }
        }
    }

    /// Makes the atoms of a parameter equal to those of an argument, binding what is open.
    fn unify(&mut self, formal: &Formal<'_>, found: &Shape, binding: &mut Binding, span: Span) -> Result<()> {
        for &(atom, count) in &found.0 {
            let name = &formal.name.name;
            if let Some(wanted) = self.wrong_element(formal.ty.bits, atom) {
                let found = self.describe(&Shape::of(atom, count));
                let message = format!("`{name}` takes {wanted}, and this is {found}");
                let diagnostic = Diagnostic::error(&fields::E0335, span, message);
                return self.fail(diagnostic.related(formal.name.span, "declared here"));
            }
            if atom.field().is_some() {
                continue;
            }
            let wrong = match formal.ty.bits {
                WordBits::Known(bits) if bits != atom.bits => {
                    let message = format!(
                        "`{name}` takes words of {}, and these have {}",
                        shape::bits(bits),
                        shape::bits(atom.bits)
                    );
                    let error = Diagnostic::error(&types::E0302, span, message);
                    let idiom = match (count, bits) {
                        (1, _) | (_, 1) => shape::resized(atom.bits, bits),
                        _ => shape::cut_anew(atom.bits, bits),
                    };
                    Some(match idiom {
                        Some(idiom) => error.note(idiom),
                        None => error,
                    })
                }
                WordBits::Known(_) | WordBits::Field(..) => None,
                WordBits::Parameter(word) => match binding.word(word) {
                    Some(bits) if bits != atom.bits => {
                        let word = self.shared.definitions.word_name(word);
                        let message = format!(
                            "this call needs '{word} to be {bits} and {} at once: `{name}` gets words of {}",
                            atom.bits,
                            shape::bits(atom.bits)
                        );
                        Some(Diagnostic::error(&types::E0306, span, message))
                    }
                    Some(_) => None,
                    None => {
                        binding.bind_word(word, atom.bits);
                        None
                    }
                },
            };
            if let Some(diagnostic) = wrong {
                return self.fail(diagnostic.related(formal.name.span, "declared here"));
            }
            let slicing = match formal.ty.direction {
                Some(slicing) => slicing,
                None => *binding.direction.get_or_insert(atom.slicing),
            };
            if slicing != atom.slicing {
                let message = format!(
                    "`{name}` takes {} words here, and these are {}",
                    shape::direction(slicing),
                    shape::direction(atom.slicing)
                );
                let diagnostic = Diagnostic::error(&types::E0303, span, message);
                return self.fail(diagnostic.related(formal.name.span, "declared here"));
            }
        }
        Ok(())
    }

    /// Makes the call itself; perms are carried out at once.
    fn apply(&mut self, position: usize, mut binding: Binding, argument: Expr, span: Span) -> Result<Expr> {
        let definition = &self.shared.definitions.list[position];
        if binding.direction.is_none() {
            binding.direction = self.binding.direction;
        }
        let member = binding.member;
        let Some(instance) = self.shared.instance(position, binding, span) else { return Err(Stop::Failed) };
        let shape = shape_of(self.shared.returns(instance));
        if let Kind::Perm(members) = &definition.kind {
            let count = argument.shape.count();
            self.shared.spend(u64::from(shape.count()), span)?;
            let pattern = crate::tables::perm(self.shared, definition, members[member], count, shape.count());
            let selected =
                pattern.and_then(|pattern| crate::tables::select(self.shared, definition, argument, pattern, &shape));
            return selected.map(|expr| Expr { span, ..expr }).ok_or(Stop::Failed);
        }
        let node = NodeId(instance as u32);
        Ok(Expr { kind: ExprKind::Call { node, argument: Box::new(argument) }, shape, span })
    }
}

fn into_known(part: Partial<'_>) -> Option<Expr> {
    match part {
        Partial::Known(expr) => Some(expr),
        Partial::Open(_) => None,
    }
}

/// Some atoms of a value that is a read, a constant, or several of them.
fn slice(expr: &Expr, offset: u32, count: u32) -> Expr {
    let mut pieces = Pieces::of(&expr.shape);
    pieces.take(offset);
    let shape = pieces.take(count);
    let kind = match &expr.kind {
        ExprKind::Read(place) => ExprKind::Read(part(place, offset, count)),
        ExprKind::Constant(values) => ExprKind::Constant(values[offset as usize..][..count as usize].to_vec()),
        ExprKind::Elements(values) => ExprKind::Elements(values[offset as usize..][..count as usize].to_vec()),
        kind => {
            let operand = Expr { kind: kind.clone(), shape: expr.shape.clone(), span: expr.span };
            ExprKind::Select { operand: Box::new(operand), pattern: (offset..offset + count).map(Some).collect() }
        }
    };
    Expr { kind, shape, span: expr.span }
}
