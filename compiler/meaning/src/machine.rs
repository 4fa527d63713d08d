//! Computation of each kind of expression from the values of its operands.

use culet_types::field::Field;
use culet_types::program::{
    Atom, BinaryOperator, Endian, Expr, ExprKind, FieldId, Program, Shape, ShiftOperator, Table,
};
use num_bigint::BigUint;

use crate::interpret::{Value, ValueOf};
use crate::{Domain, FieldDomain};

/// A stack of values, and the domains that compute with them.
pub(crate) struct Machine<'m, D: Domain, F: FieldDomain<D>> {
    pub(crate) domain: &'m mut D,
    pub(crate) fields: &'m mut F,
    pub(crate) program: &'m Program,
    pub(crate) stack: Vec<ValueOf<D, F>>,
    /// The number of bytes of the stream, if only its last part is given.
    pub(crate) length: Option<D::Word>,
}

const APART: &str = "the elaborator keeps words and elements apart";

impl<D: Domain, F: FieldDomain<D>> Machine<'_, D, F> {
    /// Replaces the operands on top of the stack, the first one deepest, by the value of the expression.
    pub(crate) fn compute(&mut self, expression: &Expr) {
        let shape = &expression.shape;
        match &expression.kind {
            ExprKind::Constant(values) => {
                let words = values.iter().zip(shape.atoms());
                self.stack.extend(words.map(|(&value, atom)| Value::Word(self.domain.constant(atom.bits, value))));
            }
            ExprKind::Elements(values) => {
                let fields = &self.program.fields;
                let elements = values.iter().zip(shape.atoms());
                self.stack.extend(
                    elements.map(|(value, atom)| Value::Element(self.fields.element(field_of(fields, atom), value))),
                );
            }
            ExprKind::Select { operand, pattern } => {
                let values = self.take(operand.shape.count());
                for (source, atom) in pattern.iter().zip(shape.atoms()) {
                    let value = match source {
                        Some(index) => values[*index as usize].clone(),
                        None => self.zero(atom),
                    };
                    self.stack.push(value);
                }
            }
            ExprKind::Not(_) => self.map(shape, |domain, bits, a| domain.not(bits, a)),
            ExprKind::Negate(_) => {
                let values = self.take(shape.count());
                for (value, atom) in values.iter().zip(shape.atoms()) {
                    let negated = self.fields.neg(field_of(&self.program.fields, atom), element(value));
                    self.stack.push(Value::Element(negated));
                }
            }
            ExprKind::Binary { operator, .. } => self.binary(*operator, shape),
            ExprKind::Shift { operator, amount, .. } => self.map(shape, |domain, bits, a| match operator {
                ShiftOperator::Left => domain.shl(bits, a, *amount),
                ShiftOperator::Right => domain.shr(bits, a, *amount),
                ShiftOperator::RightArithmetic => domain.sar(bits, a, *amount),
                ShiftOperator::RotateLeft => domain.rotl(bits, a, *amount),
            }),
            ExprKind::Shuffle { pattern, .. } => self.map(shape, |domain, bits, a| domain.shuffle(bits, a, pattern)),
            ExprKind::Bitmask { bit, .. } => self.map(shape, |domain, bits, a| {
                let chosen = domain.extract(bits, a, *bit, 1);
                domain.broadcast_bit(bits, &chosen)
            }),
            ExprKind::Pack { high, low } => self.pack(&high.shape, &low.shape),
            ExprKind::Conditional { .. } => {
                let otherwise = self.take(shape.count());
                let then = self.take(shape.count());
                let condition = self.take(1);
                for ((a, b), atom) in then.iter().zip(&otherwise).zip(shape.atoms()) {
                    let chosen = self.select(atom, word(&condition[0]), a, b);
                    self.stack.push(chosen);
                }
            }
            ExprKind::Regroup { order, operand } => self.regroup(*order, &operand.shape, shape),
            ExprKind::Decode(operand) => self.decode(&operand.shape, shape),
            ExprKind::Encode(operand) => self.encode(&operand.shape),
            // The value is the same, whoever knows it.
            ExprKind::Declassify { .. } => {}
            ExprKind::Lookup { table, index } => self.lookup(table.shape.count(), &index.shape, shape),
            ExprKind::Read(_) | ExprKind::Length(_) | ExprKind::Concat(_) | ExprKind::Call { .. } => {
                unreachable!("needs more than the stack")
            }
        }
    }

    pub(crate) fn table(&mut self, bits: u32, table: &Table) {
        let inputs: Vec<D::Word> = self.take(table.inputs).iter().map(|value| word(value).clone()).collect();
        let outputs = self.domain.table(bits, table, &inputs);
        self.stack.extend(outputs.into_iter().map(Value::Word));
    }

    fn take(&mut self, count: u32) -> Vec<ValueOf<D, F>> {
        self.stack.split_off(self.stack.len() - count as usize)
    }

    fn zero(&mut self, atom: Atom) -> ValueOf<D, F> {
        match atom.field() {
            Some(id) => Value::Element(self.fields.element(self.program.field(id), &BigUint::ZERO)),
            None => Value::Word(self.domain.constant(atom.bits, 0)),
        }
    }

    fn select(&mut self, atom: Atom, condition: &D::Word, a: &ValueOf<D, F>, b: &ValueOf<D, F>) -> ValueOf<D, F> {
        match atom.field() {
            None => Value::Word(self.domain.select(atom.bits, condition, word(a), word(b))),
            Some(id) => {
                let field = self.program.field(id);
                Value::Element(self.fields.select(self.domain, field, condition, element(a), element(b)))
            }
        }
    }

    /// Replaces each of the `shape`'s words on top of the stack.
    fn map(&mut self, shape: &Shape, mut operation: impl FnMut(&mut D, u32, &D::Word) -> D::Word) {
        let start = self.stack.len() - shape.count() as usize;
        for (value, atom) in self.stack[start..].iter_mut().zip(shape.atoms()) {
            *value = Value::Word(operation(self.domain, atom.bits, word(value)));
        }
    }

    /// Replaces two lists of atoms on top of the stack by one; `shape` is the shape of the first list and of the
    /// result.
    fn binary(&mut self, operator: BinaryOperator, shape: &Shape) {
        let middle = self.stack.len() - shape.count() as usize;
        let start = middle - shape.count() as usize;
        let (left, right) = self.stack[start..].split_at_mut(middle - start);
        for ((left, right), atom) in left.iter_mut().zip(right).zip(shape.atoms()) {
            *left = match atom.field() {
                None => Value::Word(of_words(self.domain, operator, atom.bits, word(left), word(right))),
                Some(id) => {
                    let field = self.program.field(id);
                    Value::Element(of_elements(self.fields, operator, field, element(left), element(right)))
                }
            };
        }
        self.stack.truncate(middle);
    }

    fn pack(&mut self, high: &Shape, low: &Shape) {
        let lows = self.take(low.count());
        let highs = self.take(high.count());
        let atoms = high.atoms().zip(low.atoms());
        for ((a, b), (above, below)) in highs.iter().zip(&lows).zip(atoms) {
            let packed = self.domain.concat(above.bits, word(a), below.bits, word(b));
            self.stack.push(Value::Word(packed));
        }
    }

    // ---- Bits ----

    /// The bits of words on top of the stack, one word after the other.
    fn bits(&mut self, order: Endian, shape: &Shape) -> Vec<D::Word> {
        let values = self.take(shape.count());
        let mut all = Vec::new();
        for (value, Atom { bits, .. }) in values.iter().zip(shape.atoms()) {
            let position = |k| if order == Endian::Little { k } else { bits - 1 - k };
            all.extend((0..bits).map(|k| self.domain.extract(bits, word(value), position(k), 1)));
        }
        all
    }

    /// Puts words made of these bits on the stack.
    fn push_words(&mut self, order: Endian, bits: &[D::Word], shape: &Shape) {
        let mut rest = bits;
        for atom in shape.atoms() {
            let (own, later) = rest.split_at(atom.bits as usize);
            rest = later;
            let mut done = own[0].clone();
            for (length, bit) in (1..).zip(&own[1..]) {
                done = match order {
                    Endian::Little => self.domain.concat(1, bit, length, &done),
                    Endian::Big => self.domain.concat(length, &done, 1, bit),
                };
            }
            self.stack.push(Value::Word(done));
        }
    }

    fn regroup(&mut self, order: Endian, from: &Shape, to: &Shape) {
        let bits = self.bits(order, from);
        self.push_words(order, &bits, to);
    }

    fn decode(&mut self, from: &Shape, to: &Shape) {
        let bits = self.bits(Endian::Little, from);
        let share = bits.len() / to.count().max(1) as usize;
        for (own, atom) in bits.chunks(share.max(1)).zip(to.atoms()) {
            let field = field_of(&self.program.fields, atom);
            let element = self.fields.decode(self.domain, field, own);
            self.stack.push(Value::Element(element));
        }
    }

    fn encode(&mut self, from: &Shape) {
        let values = self.take(from.count());
        for (value, atom) in values.iter().zip(from.atoms()) {
            let field = field_of(&self.program.fields, atom);
            let mut bits = self.fields.encode(self.domain, field, element(value));
            let zero = self.domain.constant(1, 0);
            bits.resize(8 * field.kind.bytes() as usize, zero);
            // Which way a byte lies in registers makes no difference here.
            let byte = Atom { slicing: culet_types::program::Slicing::Vertical, bits: 8 };
            self.push_words(Endian::Little, &bits, &Shape::of(byte, field.kind.bytes() as u32));
        }
    }

    /// Looks up the entry at a secret position: one bit of it after the other halves the table.
    fn lookup(&mut self, atoms: u32, index: &Shape, shape: &Shape) {
        let bits = self.bits(Endian::Little, index);
        let size = shape.count() as usize;
        let mut entries: Vec<Vec<ValueOf<D, F>>> =
            self.take(atoms).chunks(size.max(1)).map(<[ValueOf<D, F>]>::to_vec).collect();
        let zeros: Vec<ValueOf<D, F>> = shape.atoms().map(|atom| self.zero(atom)).collect();
        for bit in bits {
            let halves = entries.len().div_ceil(2);
            entries = (0..halves)
                .map(|k| {
                    let upper = entries.get(2 * k + 1).unwrap_or(&zeros);
                    let both = upper.iter().zip(&entries[2 * k]).zip(shape.atoms());
                    both.map(|((a, b), atom)| self.select(atom, &bit, a, b)).collect()
                })
                .collect();
        }
        self.stack.extend(entries.swap_remove(0));
    }
}

fn of_words<D: Domain>(domain: &mut D, operator: BinaryOperator, bits: u32, a: &D::Word, b: &D::Word) -> D::Word {
    match operator {
        BinaryOperator::And => domain.and(bits, a, b),
        BinaryOperator::Or => domain.or(bits, a, b),
        BinaryOperator::Xor => domain.xor(bits, a, b),
        BinaryOperator::Add => domain.add(bits, a, b),
        BinaryOperator::Subtract => domain.sub(bits, a, b),
        BinaryOperator::Multiply => domain.mul(bits, a, b),
        BinaryOperator::Divide => unreachable!("{APART}"),
    }
}

fn of_elements<D: Domain, F: FieldDomain<D>>(
    fields: &mut F,
    operator: BinaryOperator,
    field: &Field,
    a: &F::Element,
    b: &F::Element,
) -> F::Element {
    match operator {
        BinaryOperator::Add => fields.add(field, a, b),
        BinaryOperator::Subtract => fields.sub(field, a, b),
        BinaryOperator::Multiply => fields.mul(field, a, b),
        BinaryOperator::Divide => fields.div(field, a, b),
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => unreachable!("{APART}"),
    }
}

fn word<W, E>(value: &Value<W, E>) -> &W {
    match value {
        Value::Word(word) => word,
        Value::Element(_) => unreachable!("{APART}"),
    }
}

fn element<W, E>(value: &Value<W, E>) -> &E {
    match value {
        Value::Element(element) => element,
        Value::Word(_) => unreachable!("{APART}"),
    }
}

fn field_of(fields: &[Field], atom: Atom) -> &Field {
    match atom.field() {
        Some(FieldId(id)) => &fields[id as usize],
        None => unreachable!("{APART}"),
    }
}
