//! Proofs that a function on elements, which divides a fold among accumulators, computes what its program means for
//! streams of every length. `messages` has those of functions without accumulators.
//!
//! The program folds blocks b₀, b₁, … into h, one after the other: F(h, b). The function has a loop over whole
//! groups of blocks, with accumulators t, alone or side by side. The code after that loop makes h of them: h = R(t).
//! The function has loops over the blocks that groups leave over, and code for the last part of a block. The proof
//! consists of identities in unknowns:
//!
//! - both begin with the same h₀, and make the same results of the same h;
//! - blocks that are too few for the loop over groups make F(h₀, blocks), for each number of them;
//! - R of the accumulators after the first group is F(h₀, group);
//! - R of the accumulators after another group is F(R(t), group), for any t: so R(t) is the program's state after every
//!   group. Blocks after that, if they are less than a group, make F(R(t), blocks) of t;
//! - the code for a part of a block computes F(h, part), for any h and each length of the part.
//!
//! Other numbers of blocks are no cases of their own: except for the loop over groups, the iterations of all loops depend
//! only on the blocks after the last group.
//!
//! The iterations of a loop differ only in the bytes that they read. In the intermediate representation that is a law;
//! in a program it holds because no iteration reads what another one defines. `pieces` cuts both.

use culet_ir::{Held, Module};
use culet_meaning::Value;
use culet_types::program::{Program, Var};

use super::folds::{Fold, Piece};
use super::messages;
use super::pieces::{Loops, ModulePiece, first_group, over, verified};
use super::symbols::Element;
use super::{Both, Term, Values, compare};

/// Summary of the identities that were proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identities {
    /// Number of identities.
    pub count: u32,
    /// Number of accumulators of the loop over groups; 0 without such a loop.
    pub accumulators: usize,
}

/// Compares as [`compare`] does, for streams of every length.
///
/// # Errors
///
/// A message that says what differs, or what is not supported.
pub fn compare_all(program: &Program, module: &Module) -> Result<Identities, String> {
    let entry = program.entry();
    if !entry.params.iter().any(|&param| entry.var(param).stream) {
        return compare(program, module, &[]).map(|()| Identities { count: 1, accumulators: 0 });
    }
    verified(module)?;
    let fold = Fold::of(program)?;
    let func = module.entry();
    let first = func.region(func.body).insts.iter().find_map(|&inst| over(func, inst));
    if first.is_none_or(|first| first_group(first).is_none()) {
        return messages::compare(program, module, &fold);
    }
    let (1, Some(blocks), []) = (fold.carried().count(), fold.stream.blocks, &fold.stream.outputs[..]) else {
        return Err("folds over blocks that carry one variable are known here".to_owned());
    };
    if blocks.length_bytes > 0 {
        return Err("folds of messages that end with their length are not known here".to_owned());
    }
    if let Some(var) = fold.carried().find(|var| var.ty.atoms() != 1 || var.ty.atom.field().is_none()) {
        return Err(format!("`{}` is not one element of a field", var.name));
    }
    let loops = Loops::of(module, fold.block)?;
    let one_fold = fold.piece(Piece::Fold);
    let mut proof = Proof { both: Both::new(program, module)?, fold: &one_fold, count: 0 };
    let state = proof.both.symbols.free(0);

    let none = proof.both.inputs(&[0])?;
    let begins = proof.meant(&fold.piece(Piece::Before), &none, None)?;
    let begun = proof.found(&loops.cut(ModulePiece::Before)?, &none, &[])?;
    proof.equal(begins, begun, || "what the fold begins with".to_owned())?;
    let ends = proof.both.meant(&fold.piece(Piece::After), &none, &[vec![Value::Element(state)]], None)?;
    let ended = proof.both.found(&loops.cut(ModulePiece::After)?, &none, &[Held::Element(state)])?;
    let results: Vec<&Var> = entry.returns.iter().map(|&id| entry.var(id)).collect();
    proof.both.same(&ended, &ends, &results)?;
    proof.count += 1;

    let (block, blocks) = (fold.block as usize, loops.cut(ModulePiece::Blocks)?);
    let groups = &loops.groups;
    let (bytes, least) = (groups.bytes as usize, groups.least as usize);
    let all = proof.both.inputs(&[least.max(2 * bytes)])?;
    for length in (0..least).step_by(block) {
        proof.iteration(&blocks, &part(program, &all, 0..length), begins, || format!("{length} bytes"))?;
    }
    let group = loops.cut(ModulePiece::Group)?;
    proof.iteration(&group, &part(program, &all, 0..bytes), begins, || "the first group".to_owned())?;
    let mut states = vec![begins];
    states.extend((1..=groups.accumulators()).map(|number| proof.both.symbols.free(number)));
    let module = loops.cut(ModulePiece::Groups)?;
    let before = proof.found(&module, &part(program, &all, 0..bytes), &states)?;
    for end in (bytes..=2 * bytes).step_by(block).skip(1) {
        let meant = proof.fold(&part(program, &all, bytes..end), before)?;
        let after = proof.found(&module, &part(program, &all, 0..end), &states)?;
        proof.equal(meant, after, || format!("what {} bytes after a group add", end - bytes))?;
    }
    let rest = loops.cut(ModulePiece::Rest)?;
    for length in 1..block {
        let left = proof.both.inputs(&[length])?;
        proof.iteration(&rest, &left, state, || format!("{length} bytes that are left"))?;
    }
    Ok(Identities { count: proof.count, accumulators: loops.groups.accumulators() })
}

/// Returns the inputs with only a range of the stream's bytes.
fn part(program: &Program, inputs: &[Vec<Term>], range: std::ops::Range<usize>) -> Vec<Vec<Term>> {
    let entry = program.entry();
    let all = entry.params.iter().zip(inputs);
    all.map(|(&param, bytes)| if entry.var(param).stream { bytes[range.clone()].to_vec() } else { bytes.clone() })
        .collect()
}

struct Proof<'p> {
    both: Both<'p>,
    /// The program's fold, which takes any state.
    fold: &'p Program,
    count: u32,
}

impl Proof<'_> {
    /// Returns the element that a program computes.
    fn meant(&mut self, program: &Program, inputs: &[Vec<Term>], state: Option<Element>) -> Result<Element, String> {
        let state: Vec<Values> = state.into_iter().map(|state| vec![Value::Element(state)]).collect();
        match &self.both.meant(program, inputs, &state, None)?.concat()[..] {
            [Value::Element(element)] => Ok(*element),
            _ => Err("the program's fold gives no element".to_owned()),
        }
    }

    /// Applies the program's fold to a state.
    fn fold(&mut self, inputs: &[Vec<Term>], state: Element) -> Result<Element, String> {
        self.meant(self.fold, inputs, Some(state))
    }

    /// Returns the element that a module computes.
    fn found(&mut self, module: &Module, inputs: &[Vec<Term>], states: &[Element]) -> Result<Element, String> {
        let states: Vec<Held<Term, Element>> = states.iter().map(|&state| Held::Element(state)).collect();
        match &self.both.found(module, inputs, &states)?.concat()[..] {
            [Held::Element(element)] => Ok(*element),
            _ => Err("a loop gives no element".to_owned()),
        }
    }

    /// Checks that a module makes the same of a state as the program's fold.
    fn iteration(
        &mut self,
        module: &Module,
        inputs: &[Vec<Term>],
        state: Element,
        what: impl Fn() -> String,
    ) -> Result<(), String> {
        let meant = self.fold(inputs, state)?;
        let found = self.found(module, inputs, &[state])?;
        self.equal(meant, found, what)
    }

    fn equal(&mut self, meant: Element, found: Element, what: impl Fn() -> String) -> Result<(), String> {
        self.count += 1;
        if meant == found { Ok(()) } else { Err(format!("{} is not what the program means", what())) }
    }
}
