//! Proofs that a function computes what its program means for streams of every length, if its loops take one block after
//! another as the program does, alone or some at once.
//!
//! The program's loop takes a state s and blocks b₀, b₁, … to new states, and each block adds bytes to results. The
//! function has a chain of loops ([`chain`](super::chain)): each takes the groups of blocks that the loop before it
//! leaves over. The proof consists of identities in unknowns, for any state, any bytes and any number of the stream's
//! bytes:
//!
//! - both begin with the same state, and what stands between two loops hands it on;
//! - an iteration of a loop over groups of k blocks makes of a state what k iterations of the program make of it, and
//!   adds the same bytes to each result;
//! - for each number of bytes below a block of the last loop: what follows that loop gives, of any state and such an end
//!   of the stream, the results that the program gives of them, and adds the same bytes.
//!
//! By induction over the iterations, the loops compute the state that the program has after as many blocks. The bytes that
//! they add stand one after another, since an iteration's number and the size of what it adds decide where they are.

use culet_decide::bits::{self, Budget, Verdict};
use culet_ir::{Held, Module};
use culet_meaning::Value;
use culet_term::{InputKind, Term};
use culet_types::program::Program;

use super::chain::{Chain, Cut};
use super::folds::{Fold, Piece};
use super::lengths::Identities;
use super::symbols::Element;
use super::{Both, Values};

type AnyHeld = Held<Term, Element>;

/// Compares as [`compare`](super::compare) does, for streams of every length.
///
/// # Errors
///
/// A message that says what differs, or what is not supported.
pub(super) fn compare(program: &Program, module: &Module, fold: &Fold<'_>) -> Result<Identities, String> {
    let chain = Chain::of(module, fold.block)?;
    let mut proof = Proof::new(program, module, fold, &chain)?;
    proof.begins()?;
    for number in 0..chain.count() {
        proof.iteration(number)?;
    }
    for length in 0..chain.block(chain.count() - 1) {
        proof.end(length as usize)?;
    }
    Ok(Identities { count: proof.count, accumulators: 0 })
}

struct Proof<'a, 'p> {
    both: Both<'p>,
    fold: &'a Fold<'p>,
    chain: &'a Chain<'a>,
    /// The number of the stream's bytes.
    length: Term,
    /// Unknown values of the variables that the program's loop carries.
    state: Vec<Values>,
    count: u32,
}

impl<'a, 'p> Proof<'a, 'p> {
    fn new(
        program: &'p Program,
        module: &Module,
        fold: &'a Fold<'p>,
        chain: &'a Chain<'a>,
    ) -> Result<Proof<'a, 'p>, String> {
        let mut both = Both::new(program, module)?;
        let length = both.terms.fresh(InputKind::Word, "number of bytes", 64);
        let (mut state, mut number) = (Vec::new(), 0);
        for var in fold.carried() {
            let any = (0..var.ty.atoms()).map(|_| {
                number += 1;
                match var.ty.atom.field() {
                    Some(_) => Value::Element(both.symbols.free(number)),
                    None => {
                        let name = format!("{} carried in {}", number, var.name);
                        Value::Word(both.terms.fresh(InputKind::Word, &name, var.ty.atom.bits))
                    }
                }
            });
            state.push(any.collect());
        }
        Ok(Proof { both, fold, chain, length, state, count: 0 })
    }

    /// Proves that both have the same state before the first loop, and that it is handed on between loops.
    fn begins(&mut self) -> Result<(), String> {
        let none = self.both.inputs(&[0])?;
        for number in 0..self.chain.count() {
            let meant = match number {
                0 => self.meant(Piece::Before, &none)?,
                _ => self.state.clone(),
            };
            let found = self.found(Cut::Before(number), &none)?;
            let what = if number == 0 { "what the fold begins with" } else { "what one loop hands on to the next" };
            self.same_state(&found, &meant, what)?;
        }
        Ok(())
    }

    fn iteration(&mut self, number: usize) -> Result<(), String> {
        let bytes = self.chain.block(number);
        let what = format!("an iteration over {bytes} bytes");
        let block = self.both.inputs(&[bytes as usize])?;
        let mut meant = self.meant(Piece::Fold, &block)?;
        let mut found = self.found(Cut::Iteration(number), &block)?;
        let added = meant.split_off(self.state.len());
        let count = found.len() - self.chain.carried(number).count();
        let state = found.split_off(count);
        self.same_state(&state, &meant, &what)?;
        let entry = self.both.program.entry();
        let results = entry.returns.iter().map(|&id| entry.var(id)).filter(|var| var.stream);
        let results: Vec<_> = results.collect();
        self.both.same(&found, &added, &results).map_err(|why| format!("{what}: {why}"))?;
        self.count += 1;
        Ok(())
    }

    /// Proves what follows the last loop, on a stream that ends with `length` bytes after the last block.
    fn end(&mut self, length: usize) -> Result<(), String> {
        let end = self.both.inputs(&[length])?;
        let meant = self.meant(Piece::End, &end)?;
        let found = self.found(Cut::End, &end)?;
        let entry = self.both.program.entry();
        let results: Vec<_> = entry.returns.iter().map(|&id| entry.var(id)).collect();
        let what = |why| format!("what follows the blocks, with {length} bytes that are left: {why}");
        self.both.same(&found, &meant, &results).map_err(what)?;
        self.count += 1;
        Ok(())
    }

    /// Returns what a piece of the program gives, from the unknown state on if it takes one.
    fn meant(&mut self, piece: Piece, inputs: &[Vec<Term>]) -> Result<Vec<Values>, String> {
        let state = if piece == Piece::Before { &[][..] } else { &self.state };
        let inputs = self.fold.whole(inputs);
        self.both.meant(&self.fold.piece(piece), &inputs, state, Some(self.length))
    }

    /// Returns what a piece of the module gives, from the unknown state on if it takes one.
    fn found(&mut self, cut: Cut, inputs: &[Vec<Term>]) -> Result<Vec<Vec<AnyHeld>>, String> {
        let module = self.chain.cut(cut)?;
        let mut more = Vec::new();
        if self.chain.has_length {
            more.push(Held::Word([self.length].into_iter().collect()));
        }
        let number = match cut {
            Cut::Before(number) | Cut::Iteration(number) => number,
            Cut::End => self.chain.count() - 1,
        };
        if cut != Cut::Before(0) {
            let types: Vec<_> = self.chain.carried(number).collect();
            let values: Vec<_> = self.state.iter().flatten().collect();
            if types.len() != values.len() {
                return Err(format!("a loop over the stream carries {} values, not {}", types.len(), values.len()));
            }
            for value in values {
                more.push(match value {
                    Value::Word(word) => Held::Word([*word].into_iter().collect()),
                    Value::Element(element) => Held::Element(*element),
                });
            }
        }
        self.both.found(&module, inputs, &more)
    }

    /// Checks that values that a loop of the module carries, each in an output of its own, are those of the program's
    /// variables, in their order.
    fn same_state(&mut self, found: &[Vec<AnyHeld>], meant: &[Values], what: &str) -> Result<(), String> {
        let (found, meant): (Vec<_>, Vec<_>) = (found.iter().flatten().collect(), meant.iter().flatten().collect());
        let wrong = || Err(format!("{what} is not what the program means"));
        if found.len() != meant.len() {
            return wrong();
        }
        let mut pairs = Vec::new();
        for pair in found.into_iter().zip(meant) {
            match pair {
                (Held::Word(lanes), Value::Word(meant)) if lanes.len() == 1 => pairs.push((lanes[0], *meant)),
                (Held::Element(found), Value::Element(meant)) if found == meant => {}
                _ => return wrong(),
            }
        }
        self.count += 1;
        match self.both.open(&pairs) {
            None => Ok(()),
            Some(_) => wrong(),
        }
    }
}

impl Both<'_> {
    /// Returns the index of a pair of words that are not proved equal for all values of their inputs, if there is one.
    pub(super) fn open(&mut self, pairs: &[(Term, Term)]) -> Option<usize> {
        let open: Vec<usize> = (0..pairs.len()).filter(|&place| pairs[place].0 != pairs[place].1).collect();
        if open.is_empty() {
            return None;
        }
        let differ: Vec<(Term, Term)> = open.iter().map(|&place| pairs[place]).collect();
        match bits::compare(&mut self.terms, &differ, &Budget::default()).verdict {
            Verdict::Equal(_) => None,
            Verdict::Different { output, .. } | Verdict::Undecided { output, .. } => Some(open[output]),
        }
    }
}
