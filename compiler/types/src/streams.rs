//! Loops over streams: arrays of a length that is known when the program runs.
//!
//! The equations of such a loop are checked twice: with two iterations, so that one iteration cannot read values that
//! another one defines, and without the loop, since a stream may be empty.

use culet_diag::Diagnostic;
use culet_diag::codes::fields as codes;
use culet_syntax::ast::{self, AttributeKind, Statement};

use crate::node::{ActiveLoop, Meaning, NodeElaborator, Result, Stop};
use crate::order::{LoopTree, Tree};
use crate::program::{Affine, Blocks, CounterId, Stream, Ty, Var, VarId};

/// Maximum number of bytes of a block.
const MOST_BLOCK_BYTES: i64 = 4096;
/// Maximum number of accumulators of a fold in lanes.
const MOST_LANES: u32 = 1024;

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
                self.targets_fail(&stream.statements);
                Err(stop)
            }
        }
    }

    fn stream_tree(&mut self, stream: &'d ast::StreamLoop) -> Result<LoopTree> {
        let span = stream.stream.span;
        if !self.loops.is_empty() {
            let message = "a stream is gone through outside of other loops";
            return self.fail(Diagnostic::error(&codes::E0340, span, message));
        }
        let Some(Meaning::Words(var)) =
            self.meaning(&stream.stream.name).filter(|_| self.is_input(&stream.stream.name))
        else {
            let message = format!("`{}` is no stream that could be gone through", stream.stream.name);
            let note = "a parameter `m : u8[*]` is a stream; its length is known when the program runs";
            return self.fail(Diagnostic::error(&codes::E0340, span, message).note(note));
        };
        let (ty, blocks) = self.element_type(stream, var)?;
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
        let block = self.iteration(stream, element, &outputs)?;
        let header = Stream { var, element, blocks, lanes, carried, outputs };
        let (counter, block) = block;
        Ok(LoopTree {
            counter: Some(counter),
            first: 0,
            last: 1,
            unroll: Some(false),
            stream: Some(header),
            blocks: vec![block],
            span: stream.span,
        })
    }

    /// The statements of one iteration.
    fn iteration(
        &mut self,
        stream: &'d ast::StreamLoop,
        element: VarId,
        outputs: &[VarId],
    ) -> Result<(CounterId, Vec<Tree>)> {
        let counter = CounterId(self.counters.len() as u32);
        self.counters.push((0, 1));
        let hidden = self.names.insert(&stream.element.name, Meaning::Words(element));
        let value = Affine { constant: 0, terms: vec![(counter, 1)] };
        // No counter of the source has the empty name.
        self.loops.push(ActiveLoop { name: "", value, counter: Some(counter) });
        self.open_outputs = outputs.to_vec();
        let block = self.block(&stream.statements);
        self.open_outputs.clear();
        self.loops.pop();
        match hidden {
            Some(meaning) => self.names.insert(&stream.element.name, meaning),
            None => self.names.remove(stream.element.name.as_str()),
        };
        match block {
            Ok(block) => Ok((counter, block)),
            Err(Stop::Unroll(unroll)) => {
                let message = "this would have to be known for every element of a stream";
                self.fail(Diagnostic::error(&codes::E0340, unroll.span, message))
            }
            Err(stop) => Err(stop),
        }
    }

    fn is_input(&self, name: &str) -> bool {
        match self.meaning(name) {
            Some(Meaning::Words(id)) => self.vars[id.0 as usize].stream && self.params.contains(&id),
            _ => false,
        }
    }

    /// The type of an iteration's element, and the division of the stream into blocks.
    fn element_type(&mut self, stream: &'d ast::StreamLoop, var: VarId) -> Result<(Ty, Option<Blocks>)> {
        let ty = self.vars[var.0 as usize].ty.clone();
        let Some(cut @ ast::Blocks { size, pad }) = &stream.blocks else { return Ok((ty, None)) };
        let bytes = self.constant(size, "the size of a block depends on it")?;
        let is_merkle_damgard = cut.is_merkle_damgard();
        let filling = match is_merkle_damgard {
            true => 0,
            false => self.constant(pad, "what fills up a block depends on it")?,
        };
        if ty.atom.field().is_some() || ty.atom.bits != 8 || !ty.dims.is_empty() {
            let message = format!("blocks are made of bytes, and `{}` is no `u8[*]`", stream.stream.name);
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

    /// Fails if the variable is a stream, unless the current loop makes it.
    pub(crate) fn no_stream(&mut self, variable: &ast::Variable, var: VarId) -> Result<()> {
        if !self.vars[var.0 as usize].stream || (self.open_outputs.contains(&var) && variable.selectors.is_empty()) {
            return Ok(());
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

    /// Reports streams of results that are not assigned by exactly one loop.
    pub(crate) fn check_outputs(&mut self, trees: &[Tree], returns: &[VarId]) {
        for &id in returns.iter().filter(|id| self.vars[id.0 as usize].stream) {
            let makes = |tree: &&Tree| match tree {
                Tree::Loop(LoopTree { stream: Some(stream), .. }) => stream.outputs.contains(&id),
                _ => false,
            };
            let count = trees.iter().filter(makes).count();
            let var = &self.vars[id.0 as usize];
            if count != 1 && !self.assigned_wrongly.contains(&id) {
                let message = format!("{count} loops give the elements of `{}`, and one has to", var.name);
                let diagnostic = Diagnostic::error(&codes::E0340, var.span, message);
                self.shared.report(diagnostic);
            }
        }
    }
}
