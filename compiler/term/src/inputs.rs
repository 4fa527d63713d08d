//! Unknown words: their kinds and identities.

use crate::{Input, Node, Term, Terms};

/// The kind of an unknown word. Verdicts depend on it, and never on a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum InputKind {
    /// Contents of arguments, and remains where arguments were used: they may be secret.
    Data,
    /// Contents of arguments that everybody may know.
    Public,
    /// A part of an address that the caller, the linker or the loader chooses.
    Address,
    /// Contents of registers and of the stack at the entry, other than arguments.
    Caller,
    /// A length, or a number of iterations.
    Count,
    /// A result that the processor's manual calls undefined.
    Undefined,
    /// A word of a proof in which no machine code is executed.
    Word,
}

/// The identity of an unknown word: words with equal identities and widths are one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Identity {
    pub kind: InputKind,
    /// Numbers whose meaning the creator of the inputs of a kind defines.
    pub key: [u64; 4],
}

/// The record of an input.
pub(crate) struct Known {
    kind: InputKind,
    name: Box<str>,
    term: Term,
}

impl Terms {
    /// A new unknown word. Its name is for people: another word may have the same one.
    pub fn fresh(&mut self, kind: InputKind, name: &str, bits: u32) -> Term {
        let input = Input(u32::try_from(self.inputs.len()).expect("fewer than 2^32 inputs"));
        let term = self.intern(Node::Input(input), bits);
        self.inputs.push(Known { kind, name: name.into(), term });
        term
    }

    /// The unknown word of this identity and width, made under this name where there is none so far.
    pub fn input(&mut self, identity: Identity, name: &str, bits: u32) -> Term {
        if let Some(&known) = self.identified.get(&(identity, bits)) {
            return known;
        }
        let term = self.fresh(identity.kind, name, bits);
        self.identified.insert((identity, bits), term);
        term
    }

    pub fn name(&self, input: Input) -> &str {
        &self.inputs[input.index()].name
    }

    pub fn kind(&self, input: Input) -> InputKind {
        self.inputs[input.index()].kind
    }

    /// The term that is this input.
    pub fn input_term(&self, input: Input) -> Term {
        self.inputs[input.index()].term
    }

    /// All inputs, in the order of their making.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Input> + use<> {
        (0..self.inputs.len() as u32).map(Input)
    }
}
