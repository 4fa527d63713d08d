//! Meaning of a program's entry for a kernel's memory: maps the words in its parameters' memory to the words that its
//! results' memory must hold.

mod blocks;
mod lanes;
mod words;

use culet_meaning::layout::{byte_length, byte_position, text};
use culet_meaning::{Interpreter, Layout};
use culet_types::program::{Program, Slicing, Var};

use crate::hints::Circuits;
use crate::symbolic::Symbolic;

pub use blocks::Block;

/// A program in a layout.
#[derive(Clone, Copy)]
pub struct Specification<'p> {
    pub program: &'p Program,
    pub layout: &'p Layout,
    pub circuits: &'p Circuits,
}

/// Form in which memory holds a parameter or result: the layout's registers, or the bytes of instance after instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Registers,
    Bytes,
}

/// The words in some memory, first bytes first.
#[derive(Debug, Clone)]
pub struct Contents<W> {
    /// Bits of each word but the last, which may have fewer.
    pub granule: u32,
    pub words: Vec<W>,
}

/// Size in bytes of the words of memory that holds bytes.
const GRANULE: u64 = 64;

impl<W> Contents<W> {
    fn bit<V: Symbolic<Word = W>>(&self, values: &mut V, position: u64) -> W {
        let word = &self.words[(position / u64::from(self.granule)) as usize];
        values.extract(values.width(word), word, (position % u64::from(self.granule)) as u32, 1)
    }
}

impl<'p> Specification<'p> {
    /// The entry's results and parameters, in the order of the kernel's arguments.
    pub fn variables(&self) -> impl Iterator<Item = (&'p Var, bool)> {
        let entry = self.program.entry();
        let results = entry.returns.iter().map(|&id| (entry.var(id), true));
        results.chain(entry.params.iter().map(|&id| (entry.var(id), false)))
    }

    fn groups(&self, var: &Var, is_result: bool) -> u32 {
        self.layout.own_groups(var.shared && !is_result)
    }

    /// Returns the number of instances that have bits of their own in a form of a variable.
    fn instances(&self, var: &Var, form: Form, is_result: bool) -> u32 {
        match form {
            Form::Bytes if var.shared && !is_result => 1,
            Form::Bytes => self.layout.instances(),
            Form::Registers => self.layout.instances_per_group * self.groups(var, is_result),
        }
    }

    /// Returns the size of a variable's memory in bytes.
    pub fn bytes(&self, var: &Var, form: Form, is_result: bool) -> u64 {
        match form {
            Form::Bytes => byte_length(&var.ty) * u64::from(self.instances(var, form, is_result)),
            Form::Registers => {
                let registers = self.layout.registers(&var.ty) * self.groups(var, is_result);
                u64::from(registers) * u64::from(self.layout.register_bits / 8)
            }
        }
    }

    /// Returns the alignment that memory must have, in bytes.
    pub fn alignment(&self, form: Form) -> u64 {
        match form {
            Form::Bytes => 1,
            Form::Registers => u64::from(self.layout.register_bits / 8),
        }
    }

    /// Returns the position of a bit of an atom (bit 0 is the most significant), in bits from the least significant bit
    /// of the first byte on.
    fn position(&self, var: &Var, form: Form, instance: u32, atom: u32, bit: u32) -> u64 {
        match form {
            Form::Bytes => {
                let (byte, position) = byte_position(&var.ty, var.bytes, atom, bit);
                8 * (u64::from(instance) * byte_length(&var.ty) + u64::from(byte)) + u64::from(position)
            }
            Form::Registers => {
                let at = self.layout.register_position(&var.ty, instance, atom, bit);
                let register = at.group * self.layout.registers(&var.ty) + at.register;
                u64::from(register) * u64::from(self.layout.register_bits) + u64::from(at.bit)
            }
        }
    }

    /// Returns memory that holds any values of a variable: unknowns where the form has bits, zeros elsewhere.
    ///
    /// Registers of a `const` parameter hold one value for all instances. Here each instance may have a value of its
    /// own; a proof for that holds for equal values, too.
    pub fn unknown<V: Symbolic>(&self, values: &mut V, var: &Var, form: Form, is_result: bool) -> Contents<V::Word> {
        let bits = 8 * self.bytes(var, form, is_result);
        let mut used = vec![false; bits as usize];
        for instance in 0..self.instances(var, form, is_result) {
            for atom in 0..var.ty.atoms() {
                for bit in 0..var.ty.atom.bits {
                    used[self.position(var, form, instance, atom, bit) as usize] = true;
                }
            }
        }
        let granule = match form {
            Form::Bytes => 8 * GRANULE,
            Form::Registers => u64::from(self.layout.register_bits),
        };
        let mut contents = Contents { granule: granule as u32, words: Vec::new() };
        for (index, used) in used.chunks(granule as usize).enumerate() {
            let width = used.len() as u32;
            let input = values.unknown(&format!("{}[{index}]", var.name), width);
            let mut parts: Option<V::Word> = None;
            let mut low = 0;
            for run in used.chunk_by(|a, b| a == b) {
                let length = run.len() as u32;
                let part = if run[0] { values.extract(width, &input, low, length) } else { values.zero(length) };
                parts = Some(match parts {
                    None => part,
                    Some(below) => values.concat(length, &part, low, &below),
                });
                low += length;
            }
            contents.words.extend(parts);
        }
        contents
    }

    /// Returns the atoms of an instance, as memory holds them.
    fn atoms<V: Symbolic>(
        &self,
        values: &mut V,
        var: &Var,
        form: Form,
        contents: &Contents<V::Word>,
        instance: u32,
    ) -> Vec<V::Word> {
        let atom = |atom: u32| {
            let bits: Vec<V::Word> = (0..var.ty.atom.bits)
                .rev()
                .map(|bit| contents.bit(values, self.position(var, form, instance, atom, bit)))
                .collect();
            values.join(1, &bits)
        };
        (0..var.ty.atoms()).map(atom).collect()
    }

    /// Returns the memory of a variable whose instances have these atoms; all other bits are zero.
    fn memory<V: Symbolic>(
        &self,
        values: &mut V,
        var: &Var,
        form: Form,
        is_result: bool,
        atoms: &[Vec<V::Word>],
    ) -> Contents<V::Word> {
        let bits = 8 * self.bytes(var, form, is_result);
        let zero = values.zero(1);
        let mut all = vec![zero; bits as usize];
        for (instance, atoms) in (0..).zip(atoms) {
            for (atom, word) in (0..).zip(atoms) {
                let width = var.ty.atom.bits;
                for bit in 0..width {
                    let position = self.position(var, form, instance, atom, bit);
                    all[position as usize] = values.extract(width, word, width - 1 - bit, 1);
                }
            }
        }
        let granule = match form {
            Form::Bytes => 8 * GRANULE as usize,
            Form::Registers => self.layout.register_bits as usize,
        };
        Contents { granule: granule as u32, words: all.chunks(granule).map(|bits| values.join(1, bits)).collect() }
    }

    /// Returns the contents of the results' memory after the entry has run on the parameters' memory.
    pub fn run<V: Symbolic>(
        &self,
        values: &mut V,
        form: Form,
        parameters: &[Contents<V::Word>],
    ) -> Vec<Contents<V::Word>> {
        let interpreter = Interpreter::new(self.program);
        match form {
            Form::Registers if self.is_bitsliced() => lanes::run(self, &interpreter, values, parameters),
            _ => words::run(self, &interpreter, values, form, parameters),
        }
    }

    /// Converts between bytes and registers: returns the result that packing a variable's bytes, or unpacking its
    /// registers, must give.
    pub fn convert<V: Symbolic>(
        &self,
        values: &mut V,
        var: &Var,
        is_result: bool,
        contents: &Contents<V::Word>,
        from: Form,
    ) -> Contents<V::Word> {
        let to = if from == Form::Bytes { Form::Registers } else { Form::Bytes };
        let shared = self.instances(var, from, is_result) == 1;
        let atoms: Vec<Vec<V::Word>> = (0..self.instances(var, to, is_result))
            .map(|instance| self.atoms(values, var, from, contents, if shared { 0 } else { instance }))
            .collect();
        self.memory(values, var, to, is_result, &atoms)
    }

    /// Whether every register of parameters and results holds the same bit of many instances.
    pub fn is_bitsliced(&self) -> bool {
        self.variables().all(|(var, _)| {
            let atom = var.ty.atom;
            atom.slicing == Slicing::Bitslice
                || atom.bits == 1 && self.layout.lane_bits == 1 && atom.slicing == Slicing::Vertical
        })
    }

    fn parameters(&self) -> impl Iterator<Item = &'p Var> {
        self.variables().filter(|(_, is_result)| !is_result).map(|(var, _)| var)
    }

    fn results(&self) -> impl Iterator<Item = &'p Var> {
        self.variables().filter(|(_, is_result)| *is_result).map(|(var, _)| var)
    }

    fn entry(&self) -> culet_types::program::NodeId {
        self.program.entry
    }

    /// Describes the bit at a position of a variable's memory, for messages: its number, atom and block. `None` if the
    /// position is padding.
    pub fn bit_at(&self, var: &Var, form: Form, is_result: bool, position: u64) -> Option<String> {
        for instance in 0..self.instances(var, form, is_result) {
            for atom in 0..var.ty.atoms() {
                for bit in 0..var.ty.atom.bits {
                    if self.position(var, form, instance, atom, bit) == position {
                        return Some(format!("bit {bit} of atom {atom} of block {instance}"));
                    }
                }
            }
        }
        None
    }

    /// Describes the layout of a variable's memory, in words.
    pub fn layout_text(&self, var: &Var, form: Form, is_result: bool) -> String {
        let shared = var.shared && !is_result;
        let text = match form {
            Form::Bytes if shared => text::bytes(&var.ty, var.bytes),
            Form::Bytes => {
                format!("block s from byte {} s on, {}", byte_length(&var.ty), text::bytes(&var.ty, var.bytes))
            }
            Form::Registers => {
                let groups = text::groups(&var.ty, self.layout, shared);
                let groups = groups.map_or_else(String::new, |groups| format!("; {groups}"));
                text::registers(&var.ty, self.layout) + &groups
            }
        };
        let used = var.ty.bits() * u64::from(self.instances(var, form, is_result));
        let padding = if used < 8 * self.bytes(var, form, is_result) { "; all other bits are zero" } else { "" };
        text + padding
    }

    /// Describes the layout of one block in bytes.
    pub fn block_layout(&self, var: &Var) -> String {
        let padding = if var.ty.bits() < 8 * byte_length(&var.ty) { "; all other bits are zero" } else { "" };
        text::bytes(&var.ty, var.bytes) + padding
    }
}
