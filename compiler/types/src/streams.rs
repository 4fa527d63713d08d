//! Loops over streams: arrays of a length that is known when the program runs.
//!
//! The equations of such a loop are checked twice: with two iterations, so that one iteration cannot read values that
//! another one defines, and without the loop, since a stream may be empty.

use culet_diag::codes::{equations, fields as codes};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, AttributeKind, Statement};

use crate::node::{ActiveLoop, Meaning, NodeElaborator, Result, Stop};
use crate::order::{Equation, LoopTree, StreamTree, Tree};
use crate::program::{
    Affine, Atom, Blocks, CounterId, Expr, ExprKind, Output, Place, Run, Shape, Stream, Ty, Var, VarId,
};

/// Maximum number of bytes of a block.
const MOST_BLOCK_BYTES: i64 = 4096;
/// Maximum number of accumulators of a fold in lanes.
const MOST_LANES: u32 = 1024;
const MADE_BY_ITSELF: &str = "a loop goes through a parameter or a result of another loop, and its result is as long: `fold x in m { c = … }`; \
     a result of a length of its own is an array, `c : u8[64]`, and a loop over positions gives its elements: `fold i in [0, 63] { c[i] = … }`";
const OUTSIDE: &str = "a stream is gone through outside of other loops";

impl<'d> NodeElaborator<'_, 'd, '_> {
    pub(crate) fn stream(&mut self, stream: &'d ast::StreamLoop, trees: &mut Vec<Tree>) -> Result<()> {
        let outcome = self.stream_tree(stream);
        trees.append(&mut self.before);
        match outcome {
            Ok(tree) => {
                trees.push(Tree::Loop(tree));
                Ok(())
            }
            Err(stop) => {
                if matches!(stop, Stop::Failed) {
                    self.targets_fail(&stream.statements);
                }
                Err(stop)
            }
        }
    }

    fn stream_tree(&mut self, stream: &'d ast::StreamLoop) -> Result<LoopTree> {
        let span = stream.stream.span;
        let (parts, ty) = self.parts_of_loop(&stream.stream)?;
        let (ty, blocks) = self.element_type(stream, ty)?;
        let is_stream = |elaborator: &Self, part: &VarId| elaborator.vars[part.0 as usize].stream;
        let is_fixed = !parts.iter().any(|part| is_stream(self, part));
        if !is_fixed {
            self.check_parts(&parts, &ty, span)?;
        }
        let carried = self.carried(&stream.statements);
        match (stream.is_fold, carried.is_empty()) {
            (true, true) => {
                let message = "this fold carries nothing from one iteration to the next";
                let note = "what an iteration leaves to the next is updated by `:=`; without that, write `forall`";
                self.shared.report(Diagnostic::error(&codes::E0338, stream.element.span, message).note(note));
            }
            (false, false) => {
                let message = "a `forall` over a stream carries nothing, and here something is updated by `:=`";
                self.shared.report(
                    Diagnostic::error(&codes::E0338, stream.element.span, message)
                        .note("write `fold` for a loop that carries state"),
                );
            }
            _ => {}
        }
        let lanes = self.lanes(stream)?;
        let name = stream.element.name.clone();
        let bytes = ty.atom.usual_order();
        let element = Var { name, ty, shared: false, public: false, stream: false, bytes, span: stream.element.span };
        let element = self.add(element);
        self.elements.push(element);
        let outputs = self.outputs(&stream.statements);
        if let Some(output) = outputs.first().filter(|_| is_fixed || parts.len() > 1) {
            let name = self.vars[output.0 as usize].name.clone();
            let found = if is_fixed { "none" } else { "several, one after another" };
            let message = format!("the elements of `{name}` are as many as those of one stream, and this is {found}");
            let error = Diagnostic::error(&codes::E0340, span, message);
            if is_fixed {
                return self.fail(error.note("`forall i in [0, 3]` goes through a value whose length is known"));
            }
            let spans = parts.iter().map(|part| self.vars[part.0 as usize].span);
            let error = spans.fold(error, |error, span| error.related(span, "a part of it is declared here"));
            return self.fail(error.note("go through one stream, or call the node for each stream"));
        }
        let is_part = |output: &&VarId| parts.contains(output) && !self.params.contains(output);
        if let Some(output) = outputs.iter().find(is_part) {
            let var = self.vars[output.0 as usize].clone();
            let message = format!("this loop goes through `{}`, which it makes itself", var.name);
            let error = Diagnostic::error(&equations::E0404, span, message).related(var.span, "declared here");
            return self.fail(error.note(MADE_BY_ITSELF));
        }
        let mut made = Vec::new();
        for output in outputs {
            made.push(self.made(output, blocks, span)?);
        }
        let outputs = made;
        if is_fixed {
            self.elements.pop();
            return self.fixed_loop(stream, element, &parts, blocks);
        }
        let (counter, block) = self.iteration(stream, element, &outputs)?;
        let passage = self.passage(&parts, &outputs, span);
        let header = Stream { parts, element, blocks, lanes, carried, outputs };
        Ok(LoopTree {
            counter: Some(counter),
            first: 0,
            last: 1,
            unroll: Some(false),
            stream: Some(StreamTree { header, passage }),
            blocks: vec![block],
            span: stream.span,
        })
    }

    /// A variable for what each iteration of a loop over a stream makes of a result.
    fn made(&mut self, result: VarId, blocks: Option<Blocks>, span: Span) -> Result<Output> {
        let var = self.vars[result.0 as usize].clone();
        let (name, mut ty) = (&var.name, var.ty.clone());
        if self.params.contains(&result) {
            let message = format!("`{name}` is an input, which an equation cannot define");
            return self.fail(Diagnostic::error(&equations::E0405, span, message).related(var.span, "declared here"));
        }
        if let Some(blocks) = blocks {
            if ty.atom.field().is_some() || ty.atom.bits != 8 || !ty.dims.is_empty() {
                let message = format!("in a loop over blocks of bytes, each gives bytes, and `{name}` is no `u8[*]`");
                let note = format!(
                    "declare `{name} : u8[*]`: an iteration gives it as many bytes as a block has, and it is as long as the stream"
                );
                let error = Diagnostic::error(&codes::E0340, span, message).related(var.span, "declared here");
                return self.fail(error.note(note));
            }
            if blocks.length_bytes > 0 {
                let message = format!("`{name}` has as many bytes as its stream, and these blocks have more after it");
                let note = "`blocks(m, 64, 0)` fills the last block up with zeros";
                return self.fail(Diagnostic::error(&codes::E0340, span, message).note(note));
            }
            ty.dims = vec![blocks.bytes];
        }
        let made = self.add(Var { ty, stream: false, ..var });
        Ok(Output { result, made })
    }

    /// A loop over a stream as one equation on whole streams.
    fn passage(&self, parts: &[VarId], outputs: &[Output], span: Span) -> Equation {
        let whole = |id: VarId| Self::whole(&self.vars, id);
        let value = self.concat(parts.iter().map(|&part| self.read(whole(part), span)).collect(), span);
        let targets = outputs.iter().map(|output| whole(output.result)).collect();
        Equation { targets, value: Some(value), is_update: false, span }
    }

    /// The statements of one iteration.
    fn iteration(
        &mut self,
        stream: &'d ast::StreamLoop,
        element: VarId,
        outputs: &[Output],
    ) -> Result<(CounterId, Vec<Tree>)> {
        self.open_outputs = outputs.to_vec();
        let iteration = self.counted_iteration(stream, element, 1);
        self.open_outputs.clear();
        iteration
    }

    /// The statements of one iteration of a loop whose counter runs from 0 to `last`.
    fn counted_iteration(
        &mut self,
        stream: &'d ast::StreamLoop,
        element: VarId,
        last: i64,
    ) -> Result<(CounterId, Vec<Tree>)> {
        let counter = CounterId(self.counters.len() as u32);
        self.counters.push((0, last));
        let hidden = self.names.insert(&stream.element.name, Meaning::Words(element));
        let value = Affine { constant: 0, terms: vec![(counter, 1)] };
        // No counter of the source has the empty name.
        self.loops.push(ActiveLoop { name: "", value, counter: Some(counter), element: Some(element) });
        let depth = self.loops.len();
        let before = std::mem::take(&mut self.before);
        let block = self.block(&stream.statements);
        self.before = before;
        self.loops.truncate(depth - 1);
        match hidden {
            Some(meaning) => self.names.insert(&stream.element.name, meaning),
            None => self.names.remove(stream.element.name.as_str()),
        };
        match block {
            Ok(block) => Ok((counter, block)),
            Err(Stop::Unroll(unroll)) if unroll.depth + 1 >= depth => {
                let message = "this would have to be known for every element of a stream";
                let error = Diagnostic::error(&codes::E0340, unroll.span, message);
                self.fail(if unroll.why == OUTSIDE { error.note(OUTSIDE) } else { error })
            }
            Err(stop) => Err(stop),
        }
    }

    /// Checks that these variables can be gone through as one stream, here.
    fn check_parts(&mut self, parts: &[VarId], ty: &Ty, span: Span) -> Result<()> {
        if parts.len() > 1 && (ty.atom.field().is_some() || ty.atom.bits != 8) {
            let message = "streams and arrays one after another are made of bytes";
            return self.fail(Diagnostic::error(&codes::E0340, span, message));
        }
        if let Some(depth) = self.loops.iter().position(|l| l.counter.is_some()) {
            return Err(Stop::Unroll(Box::new(crate::node::Unroll { depth, span, why: OUTSIDE })));
        }
        Ok(())
    }

    /// A loop over values of a length that is known: no stream is left.
    fn fixed_loop(
        &mut self,
        stream: &'d ast::StreamLoop,
        element: VarId,
        parts: &[VarId],
        blocks: Option<Blocks>,
    ) -> Result<LoopTree> {
        let span = stream.stream.span;
        let ty = self.vars[element.0 as usize].ty.clone();
        let whole = |part: &VarId| self.read(Self::whole(&self.vars, *part), span);
        let mut all: Vec<Expr> = parts.iter().map(whole).collect();
        let count: u32 = all.iter().map(|part| part.shape.count()).sum();
        let size = blocks.map_or(ty.atoms(), |blocks| blocks.bytes);
        if blocks.is_none() && !count.is_multiple_of(size) {
            let message = format!("{count} values are no whole elements of {size}");
            return self.fail(Diagnostic::error(&codes::E0340, span, message));
        }
        let ends = blocks.map_or(0, |blocks| if blocks.length_bytes > 0 { 1 + blocks.length_bytes } else { 0 });
        let iterations = (count + ends).div_ceil(size);
        let mut filling = vec![0; (iterations * size - count) as usize];
        if let (Some(first), Some(Blocks { length_bytes: 1.., .. })) = (filling.first_mut(), blocks) {
            *first = 0x80;
            let bits = 8 * u64::from(count);
            filling.iter_mut().rev().zip(0..8).for_each(|(byte, place)| *byte |= bits >> (8 * place) & 0xff);
        }
        let filled = filling.len() as u32;
        all.push(Expr { kind: ExprKind::Constant(filling), shape: Shape::of(ty.atom, filled), span });
        if iterations == 0 {
            return Ok(LoopTree {
                counter: None,
                first: 0,
                last: 0,
                unroll: None,
                stream: None,
                blocks: vec![Vec::new()],
                span,
            });
        }
        let all = self.concat(all, span);
        let whole = self.temporary(ty.atom, iterations * size, all);
        let (counter, mut block) = self.counted_iteration(stream, element, i64::from(iterations) - 1)?;
        let run =
            Run { start: Affine { constant: 0, terms: vec![(counter, i64::from(size))] }, length: size, stride: 1 };
        let mut value = vec![self.read(Place { var: whole, runs: vec![run] }, span)];
        if let Some(pad) = blocks.map(|blocks| blocks.pad).filter(|&pad| pad != 0) {
            value.push(Expr { kind: ExprKind::Constant(vec![pad.into()]), shape: Shape::of(ty.atom, 1), span });
        }
        let value = Some(self.concat(value, span));
        let targets = vec![Self::whole(&self.vars, element)];
        block.insert(0, Tree::Equation(Equation { targets, value, is_update: false, span }));
        let last = i64::from(iterations) - 1;
        Ok(LoopTree {
            counter: Some(counter),
            first: 0,
            last,
            unroll: None,
            stream: None,
            blocks: vec![block],
            span: stream.span,
        })
    }

    /// `length(m)`: the number of a stream's bytes.
    pub(crate) fn length_of_stream(&mut self, arguments: &'d [ast::Expr], span: Span) -> Result<Expr> {
        let wrong =
            "`length(m)` is the number of bytes of a stream `m : u8[*]`; lengths of arrays are known: write the number";
        if arguments.is_empty() {
            return self.fail(Diagnostic::error(&codes::E0340, span, wrong));
        }
        let (mut parts, mut ty) = (Vec::new(), None);
        for argument in arguments {
            let (more, of_more) = self.parts_of_loop(argument)?;
            parts.extend(more);
            ty.get_or_insert(of_more);
        }
        let Some(ty) = ty else { return Err(Stop::Failed) };
        if ty.atom.field().is_some() || ty.atom.bits != 8 || !ty.dims.is_empty() {
            return self.fail(Diagnostic::error(&codes::E0340, span, wrong));
        }
        let shape = Shape::of(Atom { bits: 64, ..ty.atom }, 1);
        Ok(Expr { kind: ExprKind::Length(parts), shape, span })
    }

    /// Fails for a parameter that stands for a stream.
    pub(crate) fn stream_as_value<T>(&mut self, variable: &ast::Variable) -> Result<T> {
        let name = &variable.name.name;
        let message = format!("`{name}` is a stream, and this takes values of a length that is known");
        let note = format!("`forall x in {name} {{ … }}` and `fold x in {name} {{ … }}` go through it");
        self.fail(Diagnostic::error(&codes::E0340, variable.span, message).note(note))
    }

    /// The type of an iteration's element, and the division of the stream into blocks.
    fn element_type(&mut self, stream: &'d ast::StreamLoop, ty: Ty) -> Result<(Ty, Option<Blocks>)> {
        let Some(cut @ ast::Blocks { size, pad }) = &stream.blocks else { return Ok((ty, None)) };
        let bytes = self.constant(size, "the size of a block depends on it")?;
        let is_merkle_damgard = cut.is_merkle_damgard();
        let filling = match is_merkle_damgard {
            true => 0,
            false => self.constant(pad, "what fills up a block depends on it")?,
        };
        if ty.atom.field().is_some() || ty.atom.bits != 8 || !ty.dims.is_empty() {
            let message = "blocks are made of bytes, and this is no `u8[*]`";
            return self.fail(Diagnostic::error(&codes::E0340, stream.stream.span, message));
        }
        if !(1..=MOST_BLOCK_BYTES).contains(&bytes) {
            let message = format!("a block has 1 to {MOST_BLOCK_BYTES} bytes, not {bytes}");
            return self.fail(Diagnostic::error(&codes::E0340, size.span, message));
        }
        let Ok(pad_byte) = u8::try_from(filling) else {
            let message = format!("what follows the bytes of a block is a byte, 0 to 255, not {filling}");
            return self.fail(Diagnostic::error(&codes::E0340, pad.span, message));
        };
        if is_merkle_damgard && !matches!(bytes, 64 | 128) {
            let message = format!("blocks that end with the message's length have 64 or 128 bytes, not {bytes}");
            return self.fail(Diagnostic::error(&codes::E0340, size.span, message));
        }
        let length_bytes = if is_merkle_damgard { bytes as u32 / 8 } else { 0 };
        let blocks = Blocks { bytes: bytes as u32, pad: pad_byte, length_bytes };
        Ok((Ty { atom: ty.atom, dims: vec![blocks.length()] }, Some(blocks)))
    }

    fn lanes(&mut self, stream: &ast::StreamLoop) -> Result<Option<u32>> {
        let count = |attribute: &ast::Attribute| match attribute.kind {
            AttributeKind::Lanes(count) => Some(count),
            _ => None,
        };
        if let Some(other) = stream.attributes.iter().find(|attribute| count(attribute).is_none()) {
            let message = "a loop over a stream is never unrolled: its length is not known";
            return self.fail(Diagnostic::error(&codes::E0340, other.span, message));
        }
        let Some(attribute) = stream.attributes.first() else { return Ok(None) };
        match count(attribute) {
            Some(lanes) if stream.is_fold && stream.attributes.len() == 1 && (1..=MOST_LANES).contains(&lanes) => {
                Ok(Some(lanes))
            }
            _ => {
                let message = format!("`_lanes` says once how many accumulators a fold has, from 1 to {MOST_LANES}");
                self.fail(Diagnostic::error(&codes::E0342, attribute.span, message))
            }
        }
    }

    /// The variables that these statements update.
    fn carried(&self, statements: &[Statement]) -> Vec<VarId> {
        self.targets(statements, &|equation| equation.is_update, &|_| true)
    }

    /// The streams of results that these statements assign.
    fn outputs(&self, statements: &[Statement]) -> Vec<VarId> {
        self.targets(statements, &|equation| !equation.is_update, &|var| var.stream)
    }

    fn targets(
        &self,
        statements: &[Statement],
        is_meant: &dyn Fn(&ast::Equation) -> bool,
        is_such: &dyn Fn(&Var) -> bool,
    ) -> Vec<VarId> {
        let mut found = Vec::new();
        for statement in statements {
            match statement {
                Statement::Equation(equation) if is_meant(equation) => {
                    for target in &equation.targets {
                        if let Some(Meaning::Words(id)) = self.meaning(&target.name.name)
                            && is_such(&self.vars[id.0 as usize])
                            && !found.contains(&id)
                        {
                            found.push(id);
                        }
                    }
                }
                Statement::Equation(_) | Statement::Stream(_) => {}
                Statement::Forall(inner) => {
                    for id in self.targets(&inner.statements, is_meant, is_such) {
                        if !found.contains(&id) {
                            found.push(id);
                        }
                    }
                }
            }
        }
        found
    }

    /// The variable that holds the values of a variable. In the loop that makes a result, these are what the iteration
    /// makes. Fails for any other stream.
    pub(crate) fn no_stream(&mut self, variable: &ast::Variable, var: VarId) -> Result<VarId> {
        if !self.vars[var.0 as usize].stream {
            return Ok(var);
        }
        let open = self.open_outputs.iter().find(|output| output.result == var);
        if let Some(output) = open.filter(|_| variable.selectors.is_empty()) {
            return Ok(output.made);
        }
        let name = &variable.name.name;
        let message = format!("`{name}` is a stream, and this takes values of a length that is known");
        let note = if self.params.contains(&var) {
            format!("`forall x in {name} {{ … }}` and `fold x in {name} {{ … }}` go through it")
        } else {
            format!("in `forall x in s {{ … }}`, the equation `{name} = …` gives the element for x")
        };
        self.fail(Diagnostic::error(&codes::E0340, variable.span, message).note(note))
    }

    /// Reports streams of results that are not made by exactly one loop, or of which nothing says how long they are.
    pub(crate) fn check_outputs(&mut self, trees: &[Tree], returns: &[VarId]) {
        let mut makers: Vec<(VarId, VarId, Span)> = Vec::new();
        for_each_stream(trees, &mut |stream| {
            let of = |output: &Output| (output.result, stream.header.parts[0], stream.passage.span);
            makers.extend(stream.header.outputs.iter().map(of));
        });
        for &id in returns.iter().filter(|id| self.vars[id.0 as usize].stream) {
            let count = makers.iter().filter(|(result, ..)| *result == id).count();
            let var = &self.vars[id.0 as usize];
            if count != 1 && self.assigned_wrongly.insert(id) {
                let message = format!("{count} loops give the elements of `{}`, and one has to", var.name);
                let diagnostic = Diagnostic::error(&codes::E0340, var.span, message);
                self.shared.report(diagnostic);
            }
        }
        for &(result, text, span) in makers.iter().filter(|(_, text, _)| returns.contains(text)) {
            let ty = |id: VarId| &self.vars[id.0 as usize].ty;
            let is_as_long = |&(made, source, _): &(VarId, VarId, Span)| made == text && ty(source) == ty(text);
            if self.assigned_wrongly.contains(&text) || makers.iter().any(is_as_long) {
                continue;
            }
            self.assigned_wrongly.insert(result);
            let name = |id: VarId| &self.vars[id.0 as usize].name;
            let message =
                format!("`{}` is made of `{1}`, and `{1}` of a stream of another type", name(result), name(text));
            let note = "a result has as many elements as the stream that it is made of, so that both have one type";
            self.shared.report(Diagnostic::error(&codes::E0340, span, message).note(note));
        }
    }
}

/// Calls `f` with the stream of each loop over one.
fn for_each_stream(trees: &[Tree], f: &mut dyn FnMut(&StreamTree)) {
    for tree in trees {
        match tree {
            Tree::Loop(LoopTree { stream: Some(stream), .. }) => f(stream),
            Tree::Loop(tree) => tree.blocks.iter().for_each(|block| for_each_stream(block, f)),
            Tree::Equation(_) => {}
        }
    }
}
