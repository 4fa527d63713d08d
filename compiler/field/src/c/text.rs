//! Expressions as the text of a C function.

use std::fmt::Write;

use culet_ir::{Func, SlotKind, Type};

use super::Words;
use super::nodes::{Kind, Node, NodeId, Nodes, Unwritable, nodes};

/// Lines are broken where they would be longer.
const WIDTH: usize = 110;

/// How tightly operators bind; what binds less is put in parentheses.
const ATOM: u32 = 10;
const CAST: u32 = 9;
const PRODUCT: u32 = 8;
const SUM: u32 = 7;
const SHIFT: u32 = 6;
const BITS: u32 = 5;

/// The definition of a function on words; its parameters are its slots in order.
///
/// # Errors
///
/// An operation without a form in C.
pub fn function(func: &Func, symbol: &str, words: Words) -> Result<String, Unwritable> {
    let Nodes { nodes, stores } = nodes(func, words.bits)?;
    let mut writer = Writer { nodes, words, texts: Vec::new(), out: String::new(), count: 0 };
    writer.texts = vec![None; writer.nodes.len()];
    let stored: Vec<NodeId> = stores.iter().map(|store| store.1).collect();
    for id in 0..writer.nodes.len() {
        writer.node(id, stored.contains(&id));
    }
    for (place, value) in &stores {
        let text = writer.text(*value).0;
        writer.line(&format!("{place} = {text};"));
    }
    let mut text = String::new();
    let _ = writeln!(text, "{}\n{{\n{}}}", prototype(func, symbol, words), writer.out);
    Ok(text)
}

/// `void mul(uint64_t out[5], const uint64_t a[5])`
pub fn prototype(func: &Func, symbol: &str, words: Words) -> String {
    let parameters: Vec<String> = func
        .slots
        .iter()
        .map(|slot| {
            let ty = match slot.element {
                Type::Word(1) => words.word(),
                element => words.of(element.bits()),
            };
            match (&slot.kind, slot.element) {
                (_, Type::Word(1)) => format!("{ty} {}", slot.name),
                (SlotKind::Output, _) => format!("{ty} {}[{}]", slot.name, slot.length),
                _ => format!("const {ty} {}[{}]", slot.name, slot.length),
            }
        })
        .collect();
    format!("void {symbol}({})", parameters.join(", "))
}

struct Writer {
    nodes: Vec<Node>,
    words: Words,
    /// What stands for each node where it is used, and how tightly it binds.
    texts: Vec<Option<(String, u32)>>,
    out: String,
    /// Names that were given.
    count: u32,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.out.push_str("    ");
        let mut column = 4;
        // Sums and unions are broken before an operand.
        for part in text.split_inclusive(['+', '|']) {
            let part = if column == 8 { part.trim_start() } else { part };
            if column > 8 && column + part.len() > WIDTH {
                self.out.push_str("\n        ");
                column = 8;
                self.out.push_str(part.trim_start());
            } else {
                self.out.push_str(part);
            }
            column += part.len();
        }
        self.out.push('\n');
    }

    fn text(&self, id: NodeId) -> (String, u32) {
        self.texts[id].clone().unwrap_or_default()
    }

    /// The text of an argument where what binds less than this is in parentheses.
    fn arg(&self, id: NodeId, least: u32) -> String {
        let (text, binds) = self.text(id);
        if binds < least { format!("({text})") } else { text }
    }

    /// Gives a node its text: a name if it is used more than once or stored, else its expression.
    fn node(&mut self, id: NodeId, is_stored: bool) {
        let node = self.nodes[id].clone();
        if node.uses == 0 {
            return;
        }
        if let Kind::Leaf(text) = &node.kind {
            self.texts[id] = Some((text.clone(), ATOM));
            return;
        }
        let expression = self.expression(&node);
        let name = match &node.kind {
            Kind::Load { name, .. } => Some(name.clone()),
            // What is read from memory is read before anything is stored.
            _ if node.uses > 1 || (is_stored && expression.0.contains('[')) => {
                self.count += 1;
                Some(format!("t{}", self.count - 1))
            }
            _ => None,
        };
        let Some(name) = name else {
            self.texts[id] = Some(expression);
            return;
        };
        let ty = match (&node.kind, node.is_wide) {
            (_, true) => self.words.wide(),
            (Kind::Part { bits, .. }, _) => self.words.of(*bits),
            _ => self.words.word(),
        };
        self.line(&format!("const {ty} {name} = {};", expression.0));
        self.texts[id] = Some((name, ATOM));
    }

    fn expression(&self, node: &Node) -> (String, u32) {
        let word = self.words.word();
        let wide = self.words.wide();
        let arg = |index: usize, least: u32| self.arg(node.args[index], least);
        match &node.kind {
            Kind::Leaf(text) | Kind::Load { text, .. } => (text.clone(), ATOM),
            Kind::Binary(operator) => self.binary(node, operator),
            Kind::Chain(operator) => {
                (format!("({wide}){} {operator} {} {operator} {}", arg(0, CAST), arg(1, PRODUCT), arg(2, PRODUCT)), SUM)
            }
            Kind::Low => (format!("({word}){}", arg(0, CAST)), CAST),
            Kind::ShrToWord(amount) => (format!("({word})({} >> {amount})", arg(0, CAST)), CAST),
            Kind::Shift(operator, amount) => (format!("{} {operator} {amount}", arg(0, CAST)), SHIFT),
            Kind::BorrowBit => (format!("({word})({} >> {}) & 1", arg(0, CAST), self.words.bits), BITS),
            Kind::Join => (format!("({wide}){} << {} | {}", arg(0, CAST), self.words.bits, arg(1, CAST)), BITS),
            Kind::Mask => (format!("0 - ({word}){}", arg(0, CAST)), SUM),
            Kind::Choose => {
                let [mask, then, otherwise] = [0, 1, 2].map(|index| arg(index, CAST));
                if otherwise == "0" {
                    return (format!("{mask} & {then}"), BITS);
                }
                (format!("{otherwise} ^ ({mask} & ({then} ^ {otherwise}))"), BITS)
            }
            Kind::Part { low: 0, bits } => (format!("({}){}", self.words.of(*bits), arg(0, CAST)), CAST),
            Kind::Part { low, bits } => (format!("({})({} >> {low})", self.words.of(*bits), arg(0, CAST)), CAST),
            Kind::Concat(low) => {
                let high = format!("({word}){} << {low}", arg(0, CAST));
                let is_union = matches!(self.nodes[node.args[1]].kind, Kind::Concat(_));
                let rest = arg(1, if is_union { BITS } else { CAST });
                (format!("{high} | {rest}"), BITS)
            }
        }
    }

    /// Shifts stand in unions as they are.
    fn in_union(&self, id: NodeId) -> u32 {
        if self.text(id).1 == SHIFT { SHIFT } else { CAST }
    }

    fn binary(&self, node: &Node, operator: &str) -> (String, u32) {
        let (a, b) = (node.args[0], node.args[1]);
        // One word of two that become a wide integer is converted; the other one follows.
        let converted = node.is_wide && !self.nodes[a].is_wide && !self.nodes[b].is_wide;
        let cast = if converted { format!("({})", self.words.wide()) } else { String::new() };
        let (binds, left, right) = match operator {
            "*" => (PRODUCT, CAST, CAST),
            "+" => (SUM, SUM, PRODUCT),
            "-" => (SUM, SUM, PRODUCT),
            // Compilers ask for parentheses around sums and differences.
            "|" => (BITS, self.in_union(a), self.in_union(b)),
            _ => (BITS, CAST, CAST),
        };
        let left = if converted { CAST } else { left };
        (format!("{cast}{} {operator} {}", self.arg(a, left), self.arg(b, right)), binds)
    }
}
