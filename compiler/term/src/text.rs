//! Terms as text, each node on a line, shared ones named once.
//!
//! ```text
//! t0: 64 = input x
//! t1: 64 = 0xff
//! t2: 64 = add t0 t1
//! t3: 8 = extract t2 56
//! result t3 t2
//! ```
//!
//! A line is `name: width = operation operands`. Parts of `concat` go from the least significant up; `extract` has the lowest
//! bit, `tern` first the table; `add` and `sub` may have a third operand, a carry or borrow. `//` begins a comment. Reading
//! goes through the constructors, so text need not be in normal form. Inputs of one name are one input of a text; where two of one
//! graph have the same name, the later one's number follows it.

use std::fmt::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Input, InputKind, MAX_BITS, Node, Term, Terms};

/// The reason why a text cannot be read as terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line number, from 1.
    pub line: usize,
    pub reason: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ParseError {}

impl Terms {
    /// The text of the roots and of all terms of which they are made. Names are consecutive from `t0`.
    pub fn print(&self, roots: &[Term]) -> String {
        let mut text = String::new();
        let mut names: FxHashMap<Term, usize> = FxHashMap::default();
        let mut inputs: FxHashSet<String> = FxHashSet::default();
        for term in self.cone(roots) {
            let name = names.len();
            names.insert(term, name);
            let line = self.print_node(self.node(term), &names, &mut inputs);
            let _ = writeln!(text, "t{name}: {} = {line}", self.bits(term));
        }
        text.push_str("result");
        for root in roots {
            let _ = write!(text, " t{}", names[root]);
        }
        text.push('\n');
        text
    }

    /// A name that no other input of the text has.
    fn print_input(&self, input: Input, taken: &mut FxHashSet<String>) -> String {
        let mut name = self.name(input).to_owned();
        while !taken.insert(name.clone()) {
            let _ = write!(name, "#{}", input.index());
        }
        name
    }

    fn print_node(&self, node: &Node, names: &FxHashMap<Term, usize>, inputs: &mut FxHashSet<String>) -> String {
        let mut words: Vec<String> = match node {
            Node::Input(input) => return format!("input {}", self.print_input(*input, inputs)),
            Node::Constant(limbs) => return print_constant(limbs),
            Node::Tern(table, ..) => vec![format!("tern {table:#04x}")],
            Node::Not(_) => vec!["not".into()],
            Node::And(..) => vec!["and".into()],
            Node::Or(..) => vec!["or".into()],
            Node::Xor(..) => vec!["xor".into()],
            Node::Add(..) => vec!["add".into()],
            Node::Sub(..) => vec!["sub".into()],
            Node::Mul(..) => vec!["mul".into()],
            Node::ClMul(..) => vec!["clmul".into()],
            Node::Extract(..) => vec!["extract".into()],
            Node::Concat(_) => vec!["concat".into()],
            Node::Select(..) => vec!["select".into()],
            Node::Equal(..) => vec!["equal".into()],
        };
        words.extend(node.operands().iter().map(|operand| format!("t{}", names[operand])));
        if let Node::Extract(_, low) = node {
            words.push(low.to_string());
        }
        words.join(" ")
    }

    /// Reads a text that [`Terms::print`] has written. Returns the roots.
    pub fn parse(&mut self, text: &str) -> Result<Vec<Term>, ParseError> {
        let mut names: FxHashMap<&str, Term> = FxHashMap::default();
        let mut inputs: FxHashMap<&str, Term> = FxHashMap::default();
        let mut roots = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or("").trim();
            let error = |reason| ParseError { line: number + 1, reason };
            if let Some(list) = line.strip_prefix("result") {
                for name in list.split_whitespace() {
                    roots.push(lookup(&names, name).map_err(error)?);
                }
            } else if !line.is_empty() {
                let (name, term) = self.parse_line(line, &names, &mut inputs).map_err(error)?;
                names.insert(name, term);
            }
        }
        Ok(roots)
    }

    fn parse_line<'t>(
        &mut self,
        line: &'t str,
        names: &FxHashMap<&str, Term>,
        inputs: &mut FxHashMap<&'t str, Term>,
    ) -> Result<(&'t str, Term), String> {
        let shape = || "expected `name: width = operation operands`".to_string();
        let (name, rest) = line.split_once(':').ok_or_else(shape)?;
        let (width, operation) = rest.split_once('=').ok_or_else(shape)?;
        let bits: u32 = number(width.trim())?;
        if !(1..=MAX_BITS).contains(&bits) {
            return Err(format!("a term has 1 to {MAX_BITS} bits"));
        }
        let words: Vec<&str> = operation.split_whitespace().collect();
        let (&first, arguments) = words.split_first().ok_or_else(shape)?;
        let term = match (first, arguments) {
            ("input", &[name]) => *inputs.entry(name).or_insert_with(|| self.fresh(InputKind::Word, name, bits)),
            _ => self.parse_operation(bits, first, arguments, names)?,
        };
        if self.bits(term) != bits {
            return Err(format!("`{first}` of these operands has {} bits, not {bits}", self.bits(term)));
        }
        Ok((name.trim(), term))
    }

    fn parse_operation(
        &mut self,
        bits: u32,
        operation: &str,
        arguments: &[&str],
        names: &FxHashMap<&str, Term>,
    ) -> Result<Term, String> {
        match (operation, arguments) {
            ("extract", &[a, low]) => {
                let (a, low) = (lookup(names, a)?, number(low)?);
                if u64::from(low) + u64::from(bits) > u64::from(self.bits(a)) {
                    return Err("the bits are outside the operand".into());
                }
                return Ok(self.extract(a, low, bits));
            }
            ("concat", parts) if !parts.is_empty() => {
                let parts = parts.iter().map(|part| lookup(names, part)).collect::<Result<Vec<_>, _>>()?;
                let total: u32 = parts.iter().map(|&part| self.bits(part)).sum();
                return if total == bits {
                    Ok(self.concat(&parts))
                } else {
                    Err(format!("the parts have {total} bits"))
                };
            }
            (constant, &[]) => return self.parse_constant(bits, constant),
            _ => {}
        }
        let (table, arguments) = match (operation, arguments) {
            ("tern", [table, rest @ ..]) => (u8::try_from(number(table)?).map_err(|e| e.to_string())?, rest),
            _ => (0, arguments),
        };
        let operands = arguments.iter().map(|name| lookup(names, name)).collect::<Result<Vec<_>, _>>()?;
        self.check_widths(bits, operation, &operands)?;
        Ok(match (operation, operands[..].as_ref()) {
            ("not", &[a]) => self.not(a),
            ("and", &[a, b]) => self.and(a, b),
            ("or", &[a, b]) => self.or(a, b),
            ("xor", &[a, b]) => self.xor(a, b),
            ("tern", &[a, b, c]) => self.tern(table, a, b, c),
            ("add", &[a, b]) => self.add(a, b),
            ("add", &[a, b, carry]) => self.add_carry(a, b, Some(carry)),
            ("sub", &[a, b]) => self.sub(a, b),
            ("sub", &[a, b, borrow]) => self.sub_borrow(a, b, Some(borrow)),
            ("mul", &[a, b]) => self.mul(a, b),
            ("clmul", &[a, b]) => self.clmul(a, b),
            ("select", &[condition, a, b]) => self.select(condition, a, b),
            ("equal", &[a, b]) => self.equal(a, b),
            _ => return Err(format!("no operation `{operation}` on {} operands", operands.len())),
        })
    }

    /// Checks the widths that the constructors require.
    fn check_widths(&self, bits: u32, operation: &str, operands: &[Term]) -> Result<(), String> {
        for (i, &operand) in operands.iter().enumerate() {
            let expected = match (operation, i) {
                ("select", 0) | ("add" | "sub", 2) => 1,
                ("equal", _) => self.bits(operands[0]),
                _ => bits,
            };
            let found = self.bits(operand);
            if found != expected {
                return Err(format!("operand {} of `{operation}` has {found} bits, not {expected}", i + 1));
            }
        }
        Ok(())
    }

    fn parse_constant(&mut self, bits: u32, text: &str) -> Result<Term, String> {
        let digits = text.strip_prefix("0x").ok_or_else(|| format!("no operation `{text}` without operands"))?;
        let mut limbs = Vec::new();
        for chunk in digits.as_bytes().rchunks(16) {
            let chunk = str::from_utf8(chunk).map_err(|e| e.to_string())?;
            limbs.push(u64::from_str_radix(chunk, 16).map_err(|e| format!("`{text}`: {e}"))?);
        }
        if crate::limbs::significant_bits(&limbs) > bits {
            return Err(format!("`{text}` has more than {bits} bits"));
        }
        Ok(self.constant_wide(bits, &limbs))
    }
}

fn print_constant(limbs: &[u64]) -> String {
    let top = limbs.iter().rposition(|&limb| limb != 0).unwrap_or(0);
    let mut text = format!("{:#x}", limbs[top]);
    for limb in limbs[..top].iter().rev() {
        let _ = write!(text, "{limb:016x}");
    }
    text
}

fn lookup(names: &FxHashMap<&str, Term>, name: &str) -> Result<Term, String> {
    names.get(name).copied().ok_or_else(|| format!("no term `{name}` so far"))
}

fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|e| format!("`{text}`: {e}"))
}
