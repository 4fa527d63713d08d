//! The text of a program that was made by hand or at random, with all parentheses and all types.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use culet_types::program::{
    Affine, Assign, Atom, BinaryOperator, Body, ByteOrder, CounterId, Expr, ExprKind, Node, Place, Program, Run,
    ShiftOperator, Slicing, Step, Ty, Var, VarId,
};

/// The program as a text of the language. A step that writes atoms for the first time becomes an equation, any other
/// step an update.
///
/// # Panics
///
/// If the program has parts that cannot be written: more than one dimension, selections that are no shifts, patterns
/// with holes.
pub fn source(program: &Program) -> String {
    program.nodes.iter().map(|node| Printer { program, node }.node()).collect::<Vec<_>>().join("\n")
}

struct Printer<'p> {
    program: &'p Program,
    node: &'p Node,
}

impl Printer<'_> {
    fn node(&self) -> String {
        let node = self.node;
        let keyword = if matches!(node.body, Body::Table(_)) { "table" } else { "node" };
        let attribute = match node.inline {
            Some(true) => "_inline ",
            Some(false) => "_no_inline ",
            None => "",
        };
        let (params, returns) = (self.declarations(&node.params), self.declarations(&node.returns));
        let mut text = format!("{attribute}{keyword} {} ({params}) returns ({returns})\n", node.name);
        match &node.body {
            Body::Table(table) => {
                let values: Vec<String> = table.values.iter().map(u64::to_string).collect();
                let _ = writeln!(text, "{{ {} }}", values.join(", "));
            }
            Body::Steps(steps) => {
                let ids = (0..node.vars.len() as u32).map(VarId);
                let locals: Vec<VarId> =
                    ids.filter(|id| !node.params.contains(id) && !node.returns.contains(id)).collect();
                if !locals.is_empty() {
                    let _ = writeln!(text, "vars {}", self.declarations(&locals));
                }
                text.push_str("let\n");
                let updates = updates(node, steps);
                self.steps(steps, 1, &updates, &mut text);
                text.push_str("tel\n");
            }
        }
        text
    }

    fn declarations(&self, ids: &[VarId]) -> String {
        let declaration = |id: &VarId| {
            let Var { name, ty, shared, bytes, .. } = self.node.var(*id);
            let order = match bytes {
                ByteOrder::Big => "",
                ByteOrder::Little => "le ",
                ByteOrder::Planes => "planes ",
            };
            format!("{name}: {}{order}{}", if *shared { "const " } else { "" }, type_name(ty))
        };
        ids.iter().map(declaration).collect::<Vec<_>>().join(", ")
    }

    fn steps(&self, steps: &[Step], depth: usize, updates: &HashSet<*const Assign>, text: &mut String) {
        let indent = "  ".repeat(depth);
        for step in steps {
            match step {
                Step::Assign(assign) => {
                    let targets: Vec<String> = assign.targets.iter().map(|place| self.place(place)).collect();
                    let targets =
                        if targets.len() == 1 { targets.concat() } else { format!("({})", targets.join(", ")) };
                    let sign = if updates.contains(&std::ptr::from_ref(assign)) { ":=" } else { "=" };
                    let _ = writeln!(text, "{indent}{targets} {sign} {};", self.expression(&assign.value));
                }
                Step::Loop(l) => {
                    let attribute = match l.unroll {
                        Some(true) => "_unroll ",
                        Some(false) => "_no_unroll ",
                        None => "",
                    };
                    let (counter, first, last) = (counter_name(l.counter), number(l.first), number(l.last));
                    let _ = writeln!(text, "{indent}{attribute}forall {counter} in [{first}, {last}] {{");
                    self.steps(&l.steps, depth + 1, updates, text);
                    let _ = writeln!(text, "{indent}}}");
                }
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        let Var { name, ty, .. } = self.node.var(place.var);
        match (&ty.dims[..], &place.runs[..]) {
            ([], _) => name.clone(),
            (&[atoms], [Run { start, length, stride: 1 }]) if *length == atoms && start.terms.is_empty() => {
                name.clone()
            }
            ([_], [Run { start, length: 1, .. }]) => format!("{name}[{}]", affine(start)),
            ([_], [Run { start, length, stride: 1 }]) => {
                let last = Affine { constant: start.constant + i64::from(*length) - 1, ..start.clone() };
                format!("{name}[{}..{}]", affine(start), affine(&last))
            }
            ([_], runs) => {
                let positions = runs.iter().flat_map(|run| {
                    (0..i64::from(run.length)).map(|k| {
                        let constant = run.start.constant + k * i64::from(run.stride);
                        affine(&Affine { constant, ..run.start.clone() })
                    })
                });
                format!("{name}[{}]", positions.collect::<Vec<_>>().join(", "))
            }
            _ => panic!("{name} has more than one dimension"),
        }
    }

    fn expression(&self, expression: &Expr) -> String {
        match &expression.kind {
            ExprKind::Constant(values) => {
                let literal = |(value, atom): (&u64, Atom)| format!("({value:#x} : {})", atom_name(atom));
                tuple(values.iter().zip(expression.shape.atoms()).map(literal).collect())
            }
            ExprKind::Read(place) => self.place(place),
            ExprKind::Concat(parts) => tuple(parts.iter().map(|part| self.expression(part)).collect()),
            ExprKind::Select { operand, pattern } => self.select(operand, pattern),
            ExprKind::Not(operand) => format!("(~{})", self.expression(operand)),
            ExprKind::Binary { operator, left, right } => {
                let sign = match operator {
                    BinaryOperator::And => "&",
                    BinaryOperator::Or => "|",
                    BinaryOperator::Xor => "^",
                    BinaryOperator::Add => "+",
                    BinaryOperator::Subtract => "-",
                    BinaryOperator::Multiply => "*",
                    BinaryOperator::Divide => "/",
                };
                format!("({} {sign} {})", self.expression(left), self.expression(right))
            }
            ExprKind::Shift { operator, operand, amount } => {
                let sign = match operator {
                    ShiftOperator::Left => "<<",
                    ShiftOperator::Right => ">>",
                    ShiftOperator::RightArithmetic => ">>!",
                    ShiftOperator::RotateLeft => "<<<",
                };
                format!("({} {sign} {amount})", self.expression(operand))
            }
            ExprKind::Shuffle { operand, pattern } => {
                let entry = |entry: &Option<u32>| entry.expect("a pattern without holes").to_string();
                let pattern: Vec<String> = pattern.iter().map(entry).collect();
                format!("Shuffle({}, [{}])", self.expression(operand), pattern.join(", "))
            }
            ExprKind::Bitmask { operand, bit } => format!("Bitmask({}, {bit})", self.expression(operand)),
            ExprKind::Pack { high, low } => {
                let (atom, count) = expression.shape.0[0];
                let ty = Ty { atom, dims: if count == 1 { vec![] } else { vec![count] } };
                format!("(Pack({}, {}) : {})", self.expression(high), self.expression(low), type_name(&ty))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.expression(condition), self.expression(then), self.expression(otherwise))
            }
            ExprKind::Call { node, argument } => {
                let arguments = match &argument.kind {
                    ExprKind::Concat(parts) => parts.iter().map(|part| self.expression(part)).collect(),
                    _ => vec![self.expression(argument)],
                };
                format!("{}({})", self.program.node(*node).name, arguments.join(", "))
            }
            other => panic!("random programs have no {other:?}"),
        }
    }

    fn select(&self, operand: &Expr, pattern: &[Option<u32>]) -> String {
        let count = pattern.len() as u32;
        assert_eq!(count, operand.shape.count(), "a selection that is a shift");
        let operand = self.expression(operand);
        for distance in 0..count {
            let is = |source: &dyn Fn(u32) -> Option<u32>| (0..count).all(|k| pattern[k as usize] == source(k));
            if distance == 0 && is(&Some) {
                return operand;
            } else if is(&|k| Some((k + distance) % count)) {
                return format!("({operand} <<< {distance})");
            } else if is(&|k| Some(k + distance).filter(|&source| source < count)) {
                return format!("({operand} << {distance})");
            } else if is(&|k| k.checked_sub(distance)) {
                return format!("({operand} >> {distance})");
            }
        }
        panic!("the selection {pattern:?} is no shift")
    }
}

fn tuple(parts: Vec<String>) -> String {
    if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) }
}

fn atom_name(atom: Atom) -> String {
    let direction = match atom.slicing {
        Slicing::Vertical => 'V',
        Slicing::Horizontal => 'H',
        Slicing::Bitslice => 'B',
        Slicing::Limbs(_) => panic!("random programs have no fields"),
    };
    format!("u<{direction}>{}", atom.bits)
}

fn type_name(ty: &Ty) -> String {
    let dims: Vec<String> = ty.dims.iter().map(|dim| format!("[{dim}]")).collect();
    format!("{}{}", atom_name(ty.atom), dims.concat())
}

fn counter_name(counter: CounterId) -> String {
    format!("i{}", counter.0)
}

/// A number as an expression without a sign, which the language does not have.
fn number(value: i64) -> String {
    if value < 0 { format!("0 - {}", -value) } else { value.to_string() }
}

fn affine(index: &Affine) -> String {
    let term = |&(counter, factor): &(CounterId, i64)| match factor.abs() {
        1 => counter_name(counter),
        factor => format!("{factor} * {}", counter_name(counter)),
    };
    let mut text = String::new();
    for positive in index.terms.iter().filter(|(_, factor)| *factor > 0) {
        let sign = if text.is_empty() { "" } else { " + " };
        let _ = write!(text, "{sign}{}", term(positive));
    }
    if index.constant > 0 || text.is_empty() {
        let sign = if text.is_empty() { "" } else { " + " };
        let _ = write!(text, "{sign}{}", index.constant.max(0));
    }
    for negative in index.terms.iter().filter(|(_, factor)| *factor < 0) {
        let _ = write!(text, " - {}", term(negative));
    }
    if index.constant < 0 {
        let _ = write!(text, " - {}", -index.constant);
    }
    text
}

/// The steps that write an atom that has been written before.
fn updates(node: &Node, steps: &[Step]) -> HashSet<*const Assign> {
    let params = node.params.iter().flat_map(|&id| (0..node.var(id).ty.atoms()).map(move |atom| (id, i64::from(atom))));
    let mut written = params.collect();
    let mut updates = HashSet::new();
    simulate(steps, &mut HashMap::new(), &mut written, &mut updates);
    updates
}

fn simulate(
    steps: &[Step],
    counters: &mut HashMap<CounterId, i64>,
    written: &mut HashSet<(VarId, i64)>,
    updates: &mut HashSet<*const Assign>,
) {
    for step in steps {
        match step {
            Step::Assign(assign) => {
                for place in &assign.targets {
                    for run in &place.runs {
                        let start = run.start.evaluate(|counter| counters[&counter]);
                        for k in 0..i64::from(run.length) {
                            if !written.insert((place.var, start + k * i64::from(run.stride))) {
                                updates.insert(std::ptr::from_ref(assign));
                            }
                        }
                    }
                }
            }
            Step::Loop(l) => {
                for value in l.values() {
                    counters.insert(l.counter, value);
                    simulate(&l.steps, counters, written, updates);
                }
            }
        }
    }
}
