//! A function on words as expressions of C: two words that belong together become one integer of twice the width.
//!
//! `lo, hi = mulwide a, b` is `(wide)a * b`; a sum of such pairs, which is two `addc`, is one `+`; two words shifted right
//! together are `(word)(x >> n)`. C compilers find the flags again; what they make of it is proved, not believed.

use std::collections::HashMap;

use culet_ir::{Func, InstData, Op, SlotKind, Type, Value};

/// The number of a node.
pub type NodeId = usize;

/// An expression.
#[derive(Debug, Clone)]
pub struct Node {
    pub kind: Kind,
    pub args: Vec<NodeId>,
    /// Whether it has two words.
    pub is_wide: bool,
    pub uses: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A name or a constant, as it is written.
    Leaf(String),
    /// What is read from memory, as it is written, and a name for it.
    Load { text: String, name: String },
    /// An operator between words, or wide integers.
    Binary(&'static str),
    /// A sum of three words, the last one a carry, in two words; or a difference.
    Chain(&'static str),
    /// The low word of two.
    Low,
    /// A word, from this bit of two words up.
    ShrToWord(u32),
    /// A shift by a constant, of the same width.
    Shift(&'static str, u32),
    /// The lowest bit of the high word: a borrow.
    BorrowBit,
    /// The high word above the low one.
    Join,
    /// `condition ? then : otherwise` by a mask: the mask is the first argument.
    Choose,
    /// All ones if the bit is 1, else 0.
    Mask,
    /// A narrower word of so many bits, from this bit up.
    Part { low: u32, bits: u32 },
    /// A high part above a low one of so many bits.
    Concat(u32),
}

/// The nodes of a function, and what it stores.
pub struct Nodes {
    pub nodes: Vec<Node>,
    /// Where each stored value goes, as it is written.
    pub stores: Vec<(String, NodeId)>,
}

/// Why a function cannot be written.
pub type Unwritable = String;

/// # Errors
///
/// An operation that is not one of a field's functions.
pub fn nodes(func: &Func, bits: u32) -> Result<Nodes, Unwritable> {
    let mut builder = Builder {
        func,
        bits,
        nodes: Vec::new(),
        stores: Vec::new(),
        words: HashMap::new(),
        pairs: HashMap::new(),
        lower: HashMap::new(),
        masks: HashMap::new(),
        names: HashMap::new(),
    };
    for &inst in &func.region(func.body).insts {
        builder.inst(func.inst(inst))?;
    }
    let Builder { mut nodes, stores, .. } = builder;
    count_uses(&mut nodes, &stores);
    Ok(Nodes { nodes, stores })
}

/// Uses by what is needed.
fn count_uses(nodes: &mut [Node], stores: &[(String, NodeId)]) {
    for (_, value) in stores {
        nodes[*value].uses += 1;
    }
    for id in (0..nodes.len()).rev() {
        if nodes[id].uses > 0 {
            for arg in nodes[id].args.clone() {
                nodes[arg].uses += 1;
            }
        }
    }
}

struct Builder<'f> {
    func: &'f Func,
    bits: u32,
    nodes: Vec<Node>,
    stores: Vec<(String, NodeId)>,
    words: HashMap<Value, NodeId>,
    /// Nodes of two words, low and high.
    pairs: HashMap<(Value, Value), NodeId>,
    /// Of a carry: the low words that were added or subtracted, and the result.
    lower: HashMap<Value, (Value, Value, Value)>,
    masks: HashMap<Value, NodeId>,
    names: HashMap<String, NodeId>,
}

impl Builder<'_> {
    fn node(&mut self, kind: Kind, args: Vec<NodeId>, is_wide: bool) -> NodeId {
        self.nodes.push(Node { kind, args, is_wide, uses: 0 });
        self.nodes.len() - 1
    }

    fn leaf(&mut self, text: String) -> NodeId {
        if let Some(&known) = self.names.get(&text) {
            return known;
        }
        let id = self.node(Kind::Leaf(text.clone()), Vec::new(), false);
        self.names.insert(text, id);
        id
    }

    /// The constant that a value is.
    fn constant(&self, value: Value) -> Option<u64> {
        let culet_ir::Origin::Result(inst, _) = self.func.value(value).origin else { return None };
        match &self.func.inst(inst).op {
            Op::Const(words) => words.first().copied(),
            _ => None,
        }
    }

    fn word(&mut self, value: Value) -> Result<NodeId, Unwritable> {
        if let Some(constant) = self.constant(value) {
            return Ok(self.leaf(literal(constant)));
        }
        if let Some(&known) = self.words.get(&value) {
            return Ok(known);
        }
        // One word of a pair.
        let of_low = self.pairs.iter().find(|((low, _), _)| *low == value).map(|(_, &pair)| pair);
        let of_high = self.pairs.iter().find(|((_, high), _)| *high == value).map(|(_, &pair)| pair);
        let id = match (of_low, of_high) {
            (Some(pair), _) => self.node(Kind::Low, vec![pair], false),
            (None, Some(pair)) => self.node(Kind::ShrToWord(self.bits), vec![pair], false),
            (None, None) => match self.lower.values().find(|lower| lower.2 == value).copied() {
                // The low word of a sum whose high word comes later, or never.
                Some((a, b, _)) => {
                    let op = if self.is_difference(value) { "-" } else { "+" };
                    let (a, b) = (self.word(a)?, self.word(b)?);
                    self.node(Kind::Binary(op), vec![a, b], false)
                }
                None => return Err(format!("{value} is not known to C")),
            },
        };
        self.words.insert(value, id);
        Ok(id)
    }

    fn is_difference(&self, value: Value) -> bool {
        match self.func.value(value).origin {
            culet_ir::Origin::Result(inst, _) => self.func.inst(inst).op == Op::SubB,
            culet_ir::Origin::Param(..) => false,
        }
    }

    /// Two words as one integer; a word above which there is nothing is itself.
    fn pair(&mut self, low: Value, high: Value) -> Option<NodeId> {
        if let Some(&pair) = self.pairs.get(&(low, high)) {
            return Some(pair);
        }
        match (self.constant(low), self.constant(high)) {
            (Some(low), Some(high)) if high > 0 => {
                let (high, low) = (self.leaf(literal(high)), self.leaf(literal(low)));
                Some(self.node(Kind::Join, vec![high, low], true))
            }
            (_, Some(0)) => self.word(low).ok(),
            _ => None,
        }
    }

    fn inst(&mut self, data: &InstData) -> Result<(), Unwritable> {
        let arg = |index: usize| data.args[index];
        let word_bits = data.results.first().map_or(0, |&result| self.func.ty(result).bits());
        let node = match &data.op {
            Op::Const(_) => return Ok(()),
            Op::Add => self.binary("+", data)?,
            Op::Sub => self.binary("-", data)?,
            Op::Mul => self.binary("*", data)?,
            Op::And => self.binary("&", data)?,
            Op::Or => self.binary("|", data)?,
            Op::Shl(n) => self.shift("<<", u32::from(*n), arg(0))?,
            Op::Shr(_) if self.pairs.keys().any(|&(_, high)| high == data.results[0]) => return Ok(()),
            Op::Shr(n) => self.shift(">>", u32::from(*n), arg(0))?,
            Op::MulWide => {
                let (a, b) = (self.word(arg(0))?, self.word(arg(1))?);
                let product = self.node(Kind::Binary("*"), vec![a, b], true);
                self.pairs.insert((data.results[0], data.results[1]), product);
                return Ok(());
            }
            Op::AddC | Op::SubB => return self.with_carry(data),
            Op::Funnel(n) => {
                let pair = self.pair(arg(1), arg(0)).ok_or("words that do not belong together are shifted")?;
                let amount = word_bits - u32::from(*n);
                if let Some(rest) = self.rest(arg(0), amount) {
                    let shifted = self.node(Kind::Shift(">>", amount), vec![pair], true);
                    self.pairs.insert((data.results[0], rest), shifted);
                    return Ok(());
                }
                self.node(Kind::ShrToWord(word_bits - u32::from(*n)), vec![pair], false)
            }
            Op::Select => self.select(data)?,
            Op::Extract(low) => {
                let a = self.word(arg(0))?;
                self.node(Kind::Part { low: u32::from(*low), bits: word_bits }, vec![a], false)
            }
            Op::Concat => self.concat(data)?,
            Op::Load { slot, index } => {
                let slot = self.func.slot(*slot);
                if slot.element == Type::Word(1) {
                    self.leaf(slot.name.clone())
                } else {
                    let text = format!("{}[{}]", slot.name, index.constant);
                    let is_byte = slot.element.bits() < self.bits;
                    let name = format!("{}{}", slot.name, index.constant);
                    if is_byte { self.leaf(text) } else { self.node(Kind::Load { text, name }, Vec::new(), false) }
                }
            }
            Op::Store { slot, index } => {
                let slot = self.func.slot(*slot);
                if !matches!(slot.kind, SlotKind::Output) {
                    return Err("only results are stored".to_owned());
                }
                let place = format!("{}[{}]", slot.name, index.constant);
                let value = self.word(arg(0))?;
                self.stores.push((place, value));
                return Ok(());
            }
            op => return Err(format!("`{}` has no form in C here", op.name())),
        };
        self.words.insert(data.results[0], node);
        Ok(())
    }

    /// The high word of two that are shifted right, if it is shifted, too.
    fn rest(&self, high: Value, amount: u32) -> Option<Value> {
        let shift = Op::Shr(amount as u8);
        let rest = self.func.insts.iter().find(|inst| inst.op == shift && inst.args[0] == high)?;
        rest.results.first().copied()
    }

    fn binary(&mut self, operator: &'static str, data: &InstData) -> Result<NodeId, Unwritable> {
        let (a, b) = (self.word(data.args[0])?, self.word(data.args[1])?);
        Ok(self.node(Kind::Binary(operator), vec![a, b], false))
    }

    fn shift(&mut self, operator: &'static str, amount: u32, value: Value) -> Result<NodeId, Unwritable> {
        let a = self.word(value)?;
        Ok(self.node(Kind::Shift(operator, amount), vec![a], false))
    }

    fn concat(&mut self, data: &InstData) -> Result<NodeId, Unwritable> {
        let low = self.word(data.args[1])?;
        if self.constant(data.args[0]) == Some(0) {
            // C would compute with narrow words in `int`.
            return Ok(self.node(Kind::Low, vec![low], false));
        }
        let high = self.word(data.args[0])?;
        Ok(self.node(Kind::Concat(self.func.ty(data.args[1]).bits()), vec![high, low], false))
    }

    fn select(&mut self, data: &InstData) -> Result<NodeId, Unwritable> {
        let mask = match self.masks.get(&data.args[0]) {
            Some(&mask) => mask,
            None => {
                let bit = self.word(data.args[0])?;
                let mask = self.node(Kind::Mask, vec![bit], false);
                self.masks.insert(data.args[0], mask);
                mask
            }
        };
        let (then, otherwise) = (self.word(data.args[1])?, self.word(data.args[2])?);
        Ok(self.node(Kind::Choose, vec![mask, then, otherwise], false))
    }

    /// Low words wait for their high words; other sums with carries are written in two words.
    fn with_carry(&mut self, data: &InstData) -> Result<(), Unwritable> {
        let operator = if data.op == Op::AddC { "+" } else { "-" };
        let [a, b, carry] = [0, 1, 2].map(|index| data.args[index]);
        let (sum, out) = (data.results[0], data.results[1]);
        if let Some((low_a, low_b, low_sum)) = self.lower.get(&carry).copied()
            && let (Some(x), Some(y)) = (self.pair(low_a, a), self.pair(low_b, b))
            && !self.is_used(out)
        {
            let whole = self.node(Kind::Binary(operator), vec![x, y], true);
            self.pairs.insert((low_sum, sum), whole);
            return Ok(());
        }
        if self.constant(carry) == Some(0) && self.is_carried_in_pairs(out) {
            self.lower.insert(out, (a, b, sum));
            return Ok(());
        }
        let args = vec![self.word(a)?, self.word(b)?, self.word(carry)?];
        let whole = self.node(Kind::Chain(operator), args, true);
        let low = self.node(Kind::Low, vec![whole], false);
        let high = match operator {
            "+" => self.node(Kind::ShrToWord(self.bits), vec![whole], false),
            _ => self.node(Kind::BorrowBit, vec![whole], false),
        };
        self.words.insert(sum, low);
        self.words.insert(out, high);
        Ok(())
    }

    fn is_used(&self, value: Value) -> bool {
        self.func.insts.iter().any(|inst| inst.args.contains(&value))
    }

    /// Whether a carry goes only into the sum of the high words that belong to the low ones.
    fn is_carried_in_pairs(&mut self, carry: Value) -> bool {
        let users: Vec<&InstData> = self.func.insts.iter().filter(|inst| inst.args.contains(&carry)).collect();
        let [user] = users[..] else { return false };
        let culet_ir::Origin::Result(maker, _) = self.func.value(carry).origin else { return false };
        let maker = self.func.inst(maker);
        let (out, highs, lows) = (user.results.get(1).copied(), user.args.clone(), maker.args.clone());
        matches!(user.op, Op::AddC | Op::SubB)
            && highs[2] == carry
            && out.is_some_and(|out| !self.is_used(out))
            && self.pair(lows[0], highs[0]).is_some()
            && self.pair(lows[1], highs[1]).is_some()
    }
}

fn literal(value: u64) -> String {
    match value {
        0..=0xffff => value.to_string(),
        _ => format!("{value:#x}"),
    }
}
