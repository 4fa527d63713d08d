//! Proofs that a function on elements of a field, or on words, computes what its program means.
//!
//! Both are interpreted over one domain of terms and one of symbols for elements (`symbols`), from the same unknown
//! bytes. If both give the same terms, or terms that are equal bit for bit, they are equal for all values. The time that
//! this takes does not depend on the field. Streams have the lengths that are asked for, or, by induction, any length
//! (`lengths`, `messages`).

mod chain;
mod folds;
mod lengths;
mod messages;
mod pieces;
mod programs;
mod symbols;

pub use lengths::{Identities, compare_all};
pub use programs::{Equality, Unequal, same};

use culet_ir::{Held, Module, eval_held};
use culet_meaning::layout::{byte_length, byte_position};
use culet_meaning::{FieldDomain, Interpreter, Value};
use culet_term::{Term, Terms};
use culet_types::program::{ByteOrder, Program, Var};

use crate::unknown::{Stretch, Unknown};
use symbols::{Element, Symbols};

/// The values of a parameter or result.
type Values = Vec<Value<Term, Element>>;

/// Compares the module's entry with the program's: its i-th slot that is read holds the bytes of the i-th parameter,
/// and its i-th slot that is written holds the bytes of the i-th result. Streams have `lengths` bytes, in their order.
///
/// # Errors
///
/// A message that says what differs, or what is not supported.
pub fn compare(program: &Program, module: &Module, lengths: &[usize]) -> Result<(), String> {
    let mut both = Both::new(program, module)?;
    let inputs = both.inputs(lengths)?;
    let meant = both.meant(program, &inputs, &[], None)?;
    let found = both.found(module, &inputs, &[])?;
    let entry = program.entry();
    let results: Vec<&Var> = entry.returns.iter().map(|&id| entry.var(id)).collect();
    both.same(&found, &meant, &results)
}

struct Both<'p> {
    program: &'p Program,
    terms: Terms,
    symbols: Symbols,
}

impl Both<'_> {
    fn new<'p>(program: &'p Program, module: &Module) -> Result<Both<'p>, String> {
        match (&program.fields[..], &module.fields[..]) {
            (_, []) => {}
            ([field], [other]) if field == other => {}
            ([_], [other]) => return Err(format!("the field `{}` is not that of the program", other.name)),
            _ => return Err("programs with one field at most are known here".to_owned()),
        }
        let slots = module.entry().slots.iter().filter(|slot| slot.kind.is_given()).count();
        let params = program.entry().params.len();
        if slots != params {
            return Err(format!("{slots} slots are read, and there are {params} parameters"));
        }
        Ok(Both { program, terms: Terms::new(), symbols: Symbols::default() })
    }

    /// Unknown bytes for each parameter.
    fn inputs(&mut self, lengths: &[usize]) -> Result<Vec<Vec<Term>>, String> {
        let entry = self.program.entry();
        let mut lengths = lengths.iter();
        let mut inputs = Vec::new();
        for (index, &param) in entry.params.iter().enumerate() {
            let var = entry.var(param);
            let bytes = match var.stream {
                true => *lengths.next().ok_or_else(|| format!("`{}` has no length", var.name))?,
                false => byte_length(&var.ty) as usize,
            };
            let name = |byte| format!("{index} {}[{byte}]", var.name);
            let given = |byte: usize| Unknown::Given(index, Stretch::Start, byte as i64);
            inputs.push((0..bytes).map(|byte| given(byte).word(&mut self.terms, &name(byte), 8)).collect());
        }
        Ok(inputs)
    }

    /// Returns the results of a program on the parameters of the whole program, followed by a state if it takes one. If
    /// only the last part of a stream is given, `length` is the number of all its bytes.
    fn meant(
        &mut self,
        program: &Program,
        inputs: &[Vec<Term>],
        state: &[Values],
        length: Option<Term>,
    ) -> Result<Vec<Values>, String> {
        let entry = self.program.entry();
        let mut values = Vec::new();
        for (&param, bytes) in entry.params.iter().zip(inputs) {
            values.push(self.values(entry.var(param), bytes)?);
        }
        values.extend_from_slice(state);
        let (terms, symbols) = (&mut self.terms, &mut self.symbols);
        Ok(Interpreter::new(program).run_part(terms, symbols, program.entry, &values, length))
    }

    /// Returns the outputs of a module on the inputs of the whole function, followed by more, such as states.
    fn found(
        &mut self,
        module: &Module,
        inputs: &[Vec<Term>],
        more: &[Held<Term, Element>],
    ) -> Result<Vec<Vec<Held<Term, Element>>>, String> {
        let words = |bytes: &Vec<Term>| bytes.iter().map(|&byte| Held::Word([byte].into_iter().collect())).collect();
        let mut held: Vec<Vec<Held<Term, Element>>> = inputs.iter().map(words).collect();
        held.extend(more.iter().map(|state| vec![state.clone()]));
        eval_held(&mut self.terms, &mut self.symbols, module, &held).map_err(|error| error.to_string())
    }

    /// Checks that the module's outputs are the bytes of the program's results, which are these variables.
    fn same(&mut self, found: &[Vec<Held<Term, Element>>], meant: &[Values], results: &[&Var]) -> Result<(), String> {
        if found.len() != meant.len() || results.len() != meant.len() {
            return Err(format!("there are {} results, not {}", found.len(), meant.len()));
        }
        for ((found, meant), var) in found.iter().zip(meant).zip(results) {
            let meant = self.bytes(var, meant)?;
            if found.len() != meant.len() {
                return Err(format!("`{}` has {} bytes, not {}", var.name, found.len(), meant.len()));
            }
            let byte = |held: &Held<Term, Element>| match held {
                Held::Word(lanes) if lanes.len() == 1 => Some(lanes[0]),
                _ => None,
            };
            let pairs: Option<Vec<(Term, Term)>> =
                found.iter().zip(meant).map(|(found, meant)| Some((byte(found)?, meant))).collect();
            let Some(pairs) = pairs else { return Err(format!("`{}` is not made of bytes", var.name)) };
            if let Some(byte) = self.open(&pairs) {
                return Err(format!("byte {byte} of `{}` is not what the program means", var.name));
            }
        }
        Ok(())
    }

    /// Returns the values that bytes in memory hold, as `culet_meaning::packing` says.
    fn values(&mut self, var: &Var, bytes: &[Term]) -> Result<Values, String> {
        let Some(id) = var.ty.atom.field() else { return self.words(var, bytes) };
        let field = self.program.field(id);
        let mut values = Vec::new();
        for own in bytes.chunks(field.kind.bytes() as usize) {
            let mut own = own.to_vec();
            if var.bytes == ByteOrder::Big {
                own.reverse();
            }
            let bits: Vec<Term> = own
                .iter()
                .flat_map(|&byte| (0..8).map(move |bit| (byte, bit)))
                .map(|(byte, bit)| self.terms.extract(byte, bit, 1))
                .collect();
            values.push(Value::Element(self.symbols.decode(&mut self.terms, field, &bits)));
        }
        Ok(values)
    }

    fn words(&mut self, var: &Var, bytes: &[Term]) -> Result<Values, String> {
        let each = byte_length(&var.ty) as usize;
        let mut values = Vec::new();
        for own in bytes.chunks(each) {
            for atom in 0..var.ty.atoms() {
                let mut bits = Vec::new();
                for bit in (0..var.ty.atom.bits).rev() {
                    let (byte, position) = byte_position(&var.ty, var.bytes, atom, bit);
                    let byte = *own.get(byte as usize).ok_or("a stream ends within an element")?;
                    bits.push(self.terms.extract(byte, position, 1));
                }
                values.push(Value::Word(self.terms.concat(&bits)));
            }
        }
        Ok(values)
    }

    /// Returns the bytes in memory that hold values: of one value of the variable's type, or of any number if it is a
    /// stream.
    fn bytes(&mut self, var: &Var, values: &[Value<Term, Element>]) -> Result<Vec<Term>, String> {
        let each = var.ty.atoms() as usize;
        if each == 0 || !values.len().is_multiple_of(each) || !var.stream && values.len() != each {
            return Err(format!("`{}` has {} atoms", var.name, values.len()));
        }
        let mut bytes = Vec::new();
        for value in values.chunks(each) {
            bytes.extend(self.bytes_of_one(var, value));
        }
        Ok(bytes)
    }

    fn bytes_of_one(&mut self, var: &Var, values: &[Value<Term, Element>]) -> Vec<Term> {
        let zero = self.terms.zero(1);
        let mut bits = vec![[zero; 8]; byte_length(&var.ty) as usize];
        for (atom, value) in (0..).zip(values) {
            match value {
                Value::Word(word) => {
                    for bit in 0..var.ty.atom.bits {
                        let (byte, position) = byte_position(&var.ty, var.bytes, atom, bit);
                        bits[byte as usize][position as usize] =
                            self.terms.extract(*word, var.ty.atom.bits - 1 - bit, 1);
                    }
                }
                Value::Element(element) => {
                    let Some(id) = var.ty.atom.field() else { continue };
                    let field = self.program.field(id);
                    let each = field.kind.bytes() as usize;
                    let own = self.symbols.encode(&mut self.terms, field, element);
                    for (position, bit) in own.into_iter().enumerate() {
                        let byte = if var.bytes == ByteOrder::Big { each - 1 - position / 8 } else { position / 8 };
                        bits[atom as usize * each + byte][position % 8] = bit;
                    }
                }
            }
        }
        bits.iter().map(|bits| self.terms.concat(bits)).collect()
    }
}
