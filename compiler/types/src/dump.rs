//! The text form of a program: monomorphic source text.
//!
//! The text parses, and elaborates to a program with the same text. Nodes have their symbols as names. Steps are in
//! order, and every assignment is written `:=`, because only the order counts now. A `perm` stands for every selection
//! of atoms that is no shift of a sequence. The text does not keep the name of a node before specialisation.

mod atoms;

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};

use num_bigint::BigUint;

use crate::field::Field;
use crate::program::{
    Affine, Atom, BinaryOperator, Blocks, Body, CounterId, Endian, Expr, ExprKind, Loop, Node, Place, Program, Run,
    Shape, ShiftOperator, Step, Stream, Table, Var, VarId,
};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for field in &self.fields {
            writeln!(f, "{}", atoms::definition(field))?;
        }
        let mut perms = Perms::new(self);
        for (i, node) in self.nodes.iter().enumerate() {
            let mut text = String::new();
            NodeText::new(self, node, &mut perms).write(&mut text)?;
            for perm in perms.new.drain(..) {
                f.write_str(&perm)?;
            }
            if i > 0 || !self.fields.is_empty() {
                f.write_char('\n')?;
            }
            f.write_str(&text)?;
        }
        Ok(())
    }
}

/// The perms that stand for selections of atoms.
struct Perms<'t> {
    fields: &'t [Field],
    names: HashMap<(Shape, Vec<u32>), String>,
    taken: HashSet<String>,
    /// Texts of perms that have not been written yet.
    new: Vec<String>,
}

impl<'t> Perms<'t> {
    fn new(program: &'t Program) -> Self {
        let taken = program.nodes.iter().map(|node| node.symbol.clone()).collect();
        Perms { fields: &program.fields, names: HashMap::new(), taken, new: Vec::new() }
    }

    fn name(&mut self, operand: &Shape, pattern: &[u32]) -> String {
        let key = (operand.clone(), pattern.to_vec());
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let mut k = self.names.len() + 1;
        while self.taken.contains(&format!("select_{k}")) {
            k += 1;
        }
        let name = format!("select_{k}");
        self.taken.insert(name.clone());
        let atoms: Vec<Atom> = operand.atoms().collect();
        let mut selected = Shape::default();
        pattern.iter().for_each(|&from| selected.push(atoms[from as usize], 1));
        let list: Vec<String> = pattern.iter().map(|from| (from + 1).to_string()).collect();
        let (inputs, outputs) =
            (atoms::declarations(self.fields, operand, 'x'), atoms::declarations(self.fields, &selected, 'y'));
        self.new.push(format!("\nperm {name} ({inputs}) returns ({outputs}) {{\n  {}\n}}\n", list.join(", ")));
        self.names.insert(key, name.clone());
        name
    }
}

struct NodeText<'t, 'p> {
    program: &'p Program,
    node: &'t Node,
    perms: &'t mut Perms<'p>,
    counters: Vec<String>,
    /// The variables that the innermost loop over a stream carries.
    carried: Option<&'t [VarId]>,
    /// The least and the greatest value of each counter whose loop has begun.
    ranges: HashMap<CounterId, (i64, i64)>,
}

impl<'t, 'p> NodeText<'t, 'p> {
    fn new(program: &'p Program, node: &'t Node, perms: &'t mut Perms<'p>) -> Self {
        let names: HashSet<&str> = node.vars.iter().map(|v| v.name.as_str()).collect();
        let name = |k: u32| {
            let mut name = format!("i{k}");
            while names.contains(name.as_str()) {
                name.push('_');
            }
            name
        };
        NodeText {
            program,
            node,
            perms,
            counters: (0..node.counters).map(name).collect(),
            carried: None,
            ranges: HashMap::new(),
        }
    }

    fn write(&mut self, out: &mut String) -> fmt::Result {
        let (node, fields) = (self.node, &*self.program.fields);
        match node.inline {
            Some(true) => out.push_str("_inline "),
            Some(false) => out.push_str("_no_inline "),
            None => {}
        }
        if let Some(n) = node.interleave {
            write!(out, "_interleave({n}) ")?;
        }
        if node.no_opt {
            out.push_str("_no_opt ");
        }
        if let Some(instruction) = node.instruction {
            write!(out, "_instruction({}) ", instruction.name())?;
        }
        let keyword = if matches!(node.body, Body::Table(_)) { "table" } else { "node" };
        let list = |ids: &[VarId]| {
            ids.iter().map(|&id| atoms::declaration(fields, node.var(id))).collect::<Vec<_>>().join(", ")
        };
        write!(out, "{keyword} {} ({}) returns ({})", node.symbol, list(&node.params), list(&node.returns))?;
        match &node.body {
            Body::Table(table) => table_text(table, out),
            Body::Steps(steps) => {
                out.push('\n');
                // A loop declares its element, and what it makes of a result has the result's name.
                let is_element = |id: &VarId| {
                    steps.iter().any(|step| match step {
                        Step::Loop(Loop { stream: Some(stream), .. }) => {
                            stream.element == *id || stream.outputs.iter().any(|output| output.made == *id)
                        }
                        _ => false,
                    })
                };
                let is_local = |id: &VarId| !node.params.contains(id) && !node.returns.contains(id) && !is_element(id);
                let locals: Vec<VarId> = (0..node.vars.len() as u32).map(VarId).filter(is_local).collect();
                if !locals.is_empty() {
                    let lines: Vec<_> =
                        locals.iter().map(|&id| format!("  {}", atoms::declaration(fields, node.var(id)))).collect();
                    writeln!(out, "vars\n{}", lines.join(",\n"))?;
                }
                out.push_str("let\n");
                self.steps(steps, 1, out)?;
                out.push_str("tel\n");
                Ok(())
            }
        }
    }

    fn steps(&mut self, steps: &'t [Step], depth: usize, out: &mut String) -> fmt::Result {
        for step in steps {
            let indent = "  ".repeat(depth);
            match step {
                Step::Assign(assign) => {
                    let targets: Vec<String> = assign.targets.iter().flat_map(|p| self.variables(p)).collect();
                    let value = self.expr(&assign.value);
                    // In a loop over a stream, only carried variables are updated.
                    let is_carried =
                        |carried: &[VarId]| assign.targets.iter().any(|place| carried.contains(&place.var));
                    let sign = if self.carried.is_none_or(is_carried) { ":=" } else { "=" };
                    match targets.as_slice() {
                        [target] => writeln!(out, "{indent}{target} {sign} {value};")?,
                        _ => writeln!(out, "{indent}({}) {sign} {value};", targets.join(", "))?,
                    }
                }
                Step::Loop(inner) => self.loop_text(inner, depth, out)?,
            }
        }
        Ok(())
    }

    fn loop_text(&mut self, inner: &'t Loop, depth: usize, out: &mut String) -> fmt::Result {
        let indent = "  ".repeat(depth);
        let attribute = match inner.unroll {
            Some(true) => "_unroll ",
            Some(false) => "_no_unroll ",
            None => "",
        };
        if let Some(stream) = &inner.stream {
            self.stream_head(stream, &indent, out)?;
            self.carried = Some(&stream.carried);
            self.steps(&inner.steps, depth + 1, out)?;
            self.carried = None;
            return writeln!(out, "{indent}}}");
        }
        let Loop { counter, first, last, .. } = *inner;
        let name = &self.counters[counter.0 as usize];
        let (from, to) = (integer(first), integer(last));
        writeln!(out, "{indent}{attribute}forall {name} in [{from}, {to}] {{")?;
        self.ranges.insert(counter, (first.min(last), first.max(last)));
        self.steps(&inner.steps, depth + 1, out)?;
        writeln!(out, "{indent}}}")
    }

    fn stream_head(&self, stream: &Stream, indent: &str, out: &mut String) -> fmt::Result {
        let lanes = stream.lanes.map_or_else(String::new, |count| format!("_lanes({count}) "));
        let word = if stream.carried.is_empty() { "forall" } else { "fold" };
        let element = &self.node.var(stream.element).name;
        let var = self.joined(&stream.parts);
        match stream.blocks {
            None => writeln!(out, "{indent}{lanes}{word} {element} in {var} {{"),
            Some(Blocks { bytes, pad, length_bytes }) => {
                let pad = if length_bytes > 0 { "md".to_owned() } else { pad.to_string() };
                writeln!(out, "{indent}{lanes}{word} {element} in blocks({var}, {bytes}, {pad}) {{")
            }
        }
    }

    /// `m`, or `(k, m)`
    fn joined(&self, parts: &[VarId]) -> String {
        let names: Vec<&str> = parts.iter().map(|&part| self.node.var(part).name.as_str()).collect();
        if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
    }

    // ---- Places ----

    /// The variables with selectors that denote a place.
    fn variables(&self, place: &Place) -> Vec<String> {
        let var = self.node.var(place.var);
        place.runs.iter().flat_map(|run| self.run(var, run)).collect()
    }

    fn run(&self, var: &Var, run: &Run) -> Vec<String> {
        let dims = var.ty.dims.as_slice();
        let is_whole = run.start == Affine::default() && run.stride == 1 && run.length == var.ty.atoms();
        if is_whole {
            return vec![var.name.clone()];
        }
        // Searches for the dimension along which the run goes. Each of its elements has `size` atoms.
        let mut size = 1;
        for (k, &dim) in dims.iter().enumerate().rev() {
            let is_along = if run.length == size && run.stride == 1 {
                // One whole element: the brackets end before this dimension.
                return vec![self.indexed(var, &run.start, k + 1, None)];
            } else if size > 1 && run.stride == 1 {
                run.length.is_multiple_of(size) && run.length / size < dim
            } else {
                run.stride.unsigned_abs() == size && run.length <= dim
            };
            if is_along {
                let elements = if size > 1 && run.stride == 1 { run.length / size } else { run.length };
                let whole_elements = size == 1 || (run.stride == 1 && size > 1);
                let sign = i64::from(run.stride.signum());
                if let Some(text) = self.along(var, run, k, elements, sign, whole_elements) {
                    return vec![text];
                }
            }
            size *= dim;
        }
        let atom = |i: u32| {
            let mut start = run.start.clone();
            start.constant += i64::from(i) * i64::from(run.stride);
            self.indexed(var, &start, dims.len(), None)
        };
        (0..run.length).map(atom).collect()
    }

    /// A range in dimension `k`, if it stays in one row.
    fn along(&self, var: &Var, run: &Run, k: usize, elements: u32, sign: i64, whole_elements: bool) -> Option<String> {
        let dims = &var.ty.dims;
        let (indices, greatest) = self.indices(&run.start, dims)?;
        let other = i64::from(elements - 1) * sign;
        let (least, most) = greatest[k];
        if least.min(least + other) < 0 || most.max(most + other) >= i64::from(dims[k]) {
            return None;
        }
        let mut text = var.name.clone();
        for (d, index) in indices.iter().enumerate() {
            if d == k && whole_elements && elements == dims[k] && sign > 0 {
                break;
            }
            if d == k {
                let mut last = index.clone();
                last.constant += other;
                write!(text, "[{}..{}]", self.affine(index), self.affine(&last)).ok()?;
                if whole_elements {
                    break;
                }
            } else {
                write!(text, "[{}]", self.affine(index)).ok()?;
            }
        }
        Some(text)
    }

    fn indexed(&self, var: &Var, start: &Affine, depth: usize, _: Option<()>) -> String {
        let Some((indices, _)) = self.indices(start, &var.ty.dims) else { return var.name.clone() };
        indices.iter().take(depth).fold(var.name.clone(), |text, index| format!("{text}[{}]", self.affine(index)))
    }

    /// The indices of an atom and the range of each, all within their dimensions if that is possible.
    #[expect(clippy::type_complexity)]
    fn indices(&self, start: &Affine, dims: &[u32]) -> Option<(Vec<Affine>, Vec<(i64, i64)>)> {
        let mut sizes = vec![1i64; dims.len()];
        for d in (1..dims.len()).rev() {
            sizes[d - 1] = sizes[d] * i64::from(dims[d]);
        }
        let mut rest = start.clone();
        let mut indices = Vec::with_capacity(dims.len());
        for (d, &size) in sizes.iter().enumerate() {
            let mut index = Affine::default();
            for (counter, factor) in &mut rest.terms {
                let share = if d + 1 == dims.len() { *factor } else { *factor / size };
                if share != 0 {
                    index.terms.push((*counter, share));
                    *factor -= share * size;
                }
            }
            indices.push(index);
        }
        // The constant is distributed from the last index on, so that the least value of each index lies in its
        // dimension.
        let mut constant = rest.constant;
        for d in (0..dims.len()).rev() {
            let (least, _) = self.range(&indices[d])?;
            let dim = i64::from(dims[d]);
            let here = if d == 0 { constant } else { (constant + least).rem_euclid(dim) - least };
            indices[d].constant = here;
            constant = (constant - here) / dim;
        }
        let ranges = indices.iter().map(|index| self.range(index)).collect::<Option<Vec<_>>>()?;
        Some((indices, ranges))
    }

    fn range(&self, affine: &Affine) -> Option<(i64, i64)> {
        crate::statics::range(affine, |counter| self.ranges.get(&counter).copied().unwrap_or((0, 0)))
    }

    fn affine(&self, affine: &Affine) -> String {
        let mut text = String::new();
        for &(counter, factor) in &affine.terms {
            let name = &self.counters[counter.0 as usize];
            let sign = match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "0 - ",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += sign;
            match factor.unsigned_abs() {
                1 => text += name,
                factor => text += &format!("{factor} * {name}"),
            }
        }
        match (text.is_empty(), affine.constant) {
            (true, constant) => integer(constant),
            (false, 0) => text,
            (false, constant) => {
                format!("{text} {} {}", if constant < 0 { '-' } else { '+' }, constant.unsigned_abs())
            }
        }
    }

    // ---- Expressions ----

    fn expr(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(values) => tuple(atoms::constants(values, &expr.shape)),
            ExprKind::Elements(values) => tuple(self.literals(values, &expr.shape)),
            ExprKind::Read(place) => tuple(self.variables(place)),
            ExprKind::Length(parts) => {
                let parts = self.joined(parts);
                if parts.starts_with('(') { format!("length{parts}") } else { format!("length({parts})") }
            }
            ExprKind::Concat(parts) => tuple(parts.iter().flat_map(|part| self.elements(part)).collect()),
            ExprKind::Select { operand, pattern } => self.select(operand, pattern),
            ExprKind::Not(operand) => format!("~{}", self.operand(operand)),
            ExprKind::Negate(operand) => format!("-{}", self.operand(operand)),
            ExprKind::Binary { operator, left, right } => {
                let first = match &left.kind {
                    ExprKind::Binary { operator: inner, .. } if same_level(*inner, *operator) => self.expr(left),
                    _ => self.operand(left),
                };
                format!("{first} {} {}", operator_text(*operator), self.operand(right))
            }
            ExprKind::Shift { operator, operand, amount } => {
                let text = self.operand(operand);
                if operand.shape.count() != 1 {
                    // Only division shifts several atoms at once.
                    let divisor = atoms::constants(
                        &[1 << amount],
                        &Shape(expr.shape.0.iter().take(1).map(|&(a, _)| (a, 1)).collect()),
                    );
                    return format!("{text} / {}", tuple(divisor));
                }
                let operator = match operator {
                    ShiftOperator::Left => "<<",
                    ShiftOperator::Right => ">>",
                    ShiftOperator::RightArithmetic => ">>!",
                    ShiftOperator::RotateLeft => "<<<",
                };
                format!("{text} {operator} {amount}")
            }
            ExprKind::Shuffle { operand, pattern } => self.shuffle(operand, pattern),
            ExprKind::Bitmask { operand, bit } => format!("Bitmask({}, {bit})", self.expr(operand)),
            ExprKind::Pack { high, low } => format!("Pack({}, {})", self.expr(high), self.expr(low)),
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.operand(condition);
                let then = self.operand(then);
                format!("{condition} ? {then} : {}", self.operand(otherwise))
            }
            ExprKind::Regroup { order, operand } => self.conversion(*order, expr, operand),
            ExprKind::Decode(operand) if expr.shape.count() == 1 => {
                let field = expr.shape.0.iter().find_map(|(atom, _)| atom.field());
                let name = field.map_or("", |id| &self.program.field(id).name);
                format!("{name}({})", self.elements(operand).join(", "))
            }
            ExprKind::Decode(operand) | ExprKind::Encode(operand) => self.conversion(Endian::Little, expr, operand),
            ExprKind::Declassify { operand, .. } => format!("declassify({})", self.expr(operand)),
            ExprKind::Lookup { table, index } => {
                let ExprKind::Read(place) = &table.kind else { return String::new() };
                let rows = self.rows(place, expr.shape.count());
                format!("{rows}[{}]", self.expr(index))
            }
            ExprKind::Call { node, argument } => {
                let arguments = self.elements(argument);
                format!("{}({})", self.program.node(*node).symbol, arguments.join(", "))
            }
        }
    }

    /// `le<T>(x)`, `be<T>(x)`
    fn conversion(&mut self, order: Endian, expr: &Expr, operand: &Expr) -> String {
        let name = if order == Endian::Little { "le" } else { "be" };
        let ty = expr.shape.0.first().map_or_else(String::new, |&(atom, _)| atoms::element(&self.program.fields, atom));
        format!("{name}<{ty}>({})", self.elements(operand).join(", "))
    }

    /// The part of a variable from which a secret position selects. Each element has `size` atoms.
    fn rows(&self, place: &Place, size: u32) -> String {
        let var = self.node.var(place.var);
        let Some(run) = place.runs.first() else { return var.name.clone() };
        let mut below = var.ty.atoms();
        let depth = var.ty.dims.iter().position(|dim| {
            let is_it = below == run.length && below / dim == size;
            below /= dim;
            is_it
        });
        self.indexed(var, &run.start, depth.unwrap_or(0), None)
    }

    /// The parts of a tuple or a list of arguments.
    fn elements(&mut self, expr: &Expr) -> Vec<String> {
        match &expr.kind {
            ExprKind::Concat(parts) => parts.iter().flat_map(|part| self.elements(part)).collect(),
            ExprKind::Read(place) => self.variables(place),
            ExprKind::Constant(values) => atoms::constants(values, &expr.shape),
            ExprKind::Elements(values) => self.literals(values, &expr.shape),
            _ => vec![self.expr(expr)],
        }
    }

    /// An operand, in parentheses where it needs them.
    fn operand(&mut self, expr: &Expr) -> String {
        let text = self.expr(expr);
        let needs_none = match &expr.kind {
            ExprKind::Regroup { .. } | ExprKind::Decode(_) | ExprKind::Encode(_) | ExprKind::Lookup { .. } => true,
            ExprKind::Call { .. } | ExprKind::Declassify { .. } | ExprKind::Bitmask { .. } => true,
            ExprKind::Not(_) | ExprKind::Negate(_) => true,
            ExprKind::Shuffle { pattern, .. } => pattern.iter().all(Option::is_some),
            // Tuples have their own parentheses; single variables and calls of perms need none.
            ExprKind::Read(_) | ExprKind::Concat(_) => true,
            ExprKind::Select { .. } => text.ends_with(')') && !text.starts_with('('),
            ExprKind::Constant(_) | ExprKind::Elements(_) => text.ends_with(')') && text.starts_with('('),
            _ => false,
        };
        if needs_none { text } else { format!("({text})") }
    }

    fn literals(&self, values: &[BigUint], shape: &Shape) -> Vec<String> {
        atoms::elements(&self.program.fields, values, shape)
    }

    /// A literal that is zero.
    fn zero(&self, atom: Atom) -> Vec<String> {
        let shape = Shape::of(atom, 1);
        match atom.field() {
            Some(_) => self.literals(&[BigUint::ZERO], &shape),
            None => atoms::constants(&[0], &shape),
        }
    }

    fn select(&mut self, operand: &Expr, pattern: &[Option<u32>]) -> String {
        let count = operand.shape.count();
        let is_sequence = count > 1 && pattern.len() as u32 == count && operand.shape.0.len() == 1;
        if is_sequence {
            let is = |f: &dyn Fn(u32) -> Option<u32>| pattern.iter().zip(0..).all(|(&from, k)| from == f(k));
            for amount in
                (0..=count).filter(|&a| pattern.first() == Some(&Some(a)) || a == count || a == leading(pattern))
            {
                let operator = if is(&|k| (k + amount < count).then_some(k + amount)) {
                    "<<"
                } else if is(&|k| k.checked_sub(amount)) {
                    ">>"
                } else if is(&|k| Some((k + amount) % count)) {
                    "<<<"
                } else {
                    continue;
                };
                return format!("{} {operator} {amount}", self.operand(operand));
            }
        }
        let mut arguments = self.elements(operand);
        let mut shape = operand.shape.clone();
        if pattern.contains(&None) {
            // One additional argument, a zero, for atoms that nothing fills.
            if let Some(&(atom, _)) = operand.shape.0.first() {
                arguments.extend(self.zero(atom));
                shape.push(atom, 1);
            }
        }
        let pattern: Vec<u32> = pattern.iter().map(|from| from.unwrap_or(count)).collect();
        format!("{}({})", self.perms.name(&shape, &pattern), arguments.join(", "))
    }

    fn shuffle(&mut self, operand: &Expr, pattern: &[Option<u32>]) -> String {
        let list: Vec<String> = pattern.iter().map(|from| from.unwrap_or(0).to_string()).collect();
        let text = format!("Shuffle({}, [{}])", self.expr(operand), list.join(", "));
        if pattern.iter().all(Option::is_some) {
            return text;
        }
        let mask = pattern.iter().fold(0, |mask, from| mask << 1 | u64::from(from.is_some()));
        let masks = atoms::constants(&vec![mask; operand.shape.count() as usize], &operand.shape);
        format!("{text} & {}", tuple(masks))
    }
}

/// The number of atoms at the front that are zero.
fn leading(pattern: &[Option<u32>]) -> u32 {
    pattern.iter().take_while(|from| from.is_none()).count() as u32
}

fn table_text(table: &Table, out: &mut String) -> fmt::Result {
    out.push_str(" {\n");
    for row in table.values.chunks(16) {
        let values: Vec<String> = row.iter().map(u64::to_string).collect();
        writeln!(out, "  {},", values.join(", "))?;
    }
    // No comma follows the last value.
    out.truncate(out.len() - 2);
    out.push_str("\n}\n");
    Ok(())
}

fn tuple(mut parts: Vec<String>) -> String {
    match parts.len() {
        1 => parts.remove(0),
        _ => format!("({})", parts.join(", ")),
    }
}

fn integer(value: i64) -> String {
    if value < 0 { format!("0 - {}", value.unsigned_abs()) } else { value.to_string() }
}

fn operator_text(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::And => "&",
        BinaryOperator::Or => "|",
        BinaryOperator::Xor => "^",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
    }
}

/// Whether two operators associate to the left without parentheses.
fn same_level(a: BinaryOperator, b: BinaryOperator) -> bool {
    let level = |operator| match operator {
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => 0,
        BinaryOperator::Add | BinaryOperator::Subtract => 1,
        BinaryOperator::Multiply | BinaryOperator::Divide => 2,
    };
    level(a) == level(b)
}
