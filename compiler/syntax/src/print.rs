//! The printer: from the syntax tree back to text that parses to the same tree.

use std::fmt::Write;

use num_bigint::BigUint;

use crate::ast::*;
use crate::precedence::{self, ADD, BITWISE, SHIFT};

/// The tree as a program. Parsing it gives the same tree, except for places; comments are lost.
///
/// Parentheses are written where the tree has them, and where the text would be read differently without them.
pub fn print(file: &File) -> String {
    Printer::default().file(file)
}

/// The text of one expression in a program.
pub fn print_expr(expr: &Expr) -> String {
    Printer::default().expr(expr)
}

/// The text of one type in a program.
pub fn print_type(ty: &Type) -> String {
    let mut printer = Printer::default();
    printer.ty(ty);
    printer.out
}

/// The options and the state of printing.
#[derive(Debug, Clone, Default)]
pub struct Printer {
    all_parentheses: bool,
    indent: usize,
    out: String,
}

impl Printer {
    /// A printer that puts parentheses around every operator inside another one, to show how a program is read.
    #[must_use]
    pub fn with_all_parentheses() -> Self {
        Printer { all_parentheses: true, ..Printer::default() }
    }

    pub fn file(mut self, file: &File) -> String {
        for (i, item) in file.items.iter().enumerate() {
            if i > 0 && !matches!((&file.items[i - 1], item), (Item::Include(_), Item::Include(_))) {
                self.out.push('\n');
            }
            self.item(item);
        }
        self.out
    }

    pub fn expr(mut self, expr: &Expr) -> String {
        self.expression(expr, 0, false);
        self.out
    }

    fn write(&mut self, text: impl std::fmt::Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.out, "{text}");
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    fn separated<T>(&mut self, items: &[T], separator: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.write(separator);
            }
            print(self, item);
        }
    }

    // Definitions.

    fn item(&mut self, item: &Item) {
        match item {
            Item::Include(include) => self.write(format_args!("include \"{}\"", include.path)),
            Item::TypeAlias(alias) => {
                self.write(format_args!("type {} = ", alias.name.name));
                self.ty(&alias.ty);
            }
            Item::Field(field) => {
                let family = if field.is_binary { "GF2" } else { "GF" };
                self.write(format_args!("field {} = {family}(", field.name.name));
                self.expression(&field.modulus, 0, false);
                self.write(")");
            }
            Item::Constant(constant) => {
                self.write(format_args!("const {} : ", constant.name.name));
                self.ty(&constant.ty);
                self.write(" = ");
                self.expression(&constant.value, 0, false);
            }
            Item::Node(definition) => {
                self.definition("node", definition, "\n", Self::node_body);
            }
            Item::Perm(definition) => self.definition("perm", definition, " ", Self::entries),
            Item::Table(definition) => self.definition("table", definition, " ", Self::entries),
        }
        self.out.push('\n');
    }

    fn definition<B>(&mut self, keyword: &str, definition: &Definition<B>, before: &str, body: fn(&mut Self, &B)) {
        self.attributes(&definition.attributes);
        let brackets = if matches!(definition.body, Family::Indexed(_)) { "[]" } else { "" };
        self.write(format_args!("{keyword}{brackets} {}(", definition.name.name));
        self.separated(&definition.params, ", ", Self::declaration);
        self.write(") returns (");
        self.separated(&definition.returns, ", ", Self::declaration);
        self.write(")");
        match &definition.body {
            Family::One(only) => {
                self.write(before);
                body(self, only);
            }
            Family::Indexed(members) => {
                self.write(" [\n");
                self.separated(members, ";\n", body);
                self.write("\n]");
            }
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            match attribute.kind {
                AttributeKind::Inline => self.write("_inline "),
                AttributeKind::NoInline => self.write("_no_inline "),
                AttributeKind::Interleave(factor) => self.write(format_args!("_interleave({factor}) ")),
                AttributeKind::NoOpt => self.write("_no_opt "),
                AttributeKind::Instruction(instruction) => {
                    self.write(format_args!("_instruction({}) ", instruction.name()));
                }
                AttributeKind::MsbFirst => self.write("_msb_first "),
                AttributeKind::LsbFirst => self.write("_lsb_first "),
                AttributeKind::Unroll => self.write("_unroll "),
                AttributeKind::NoUnroll => self.write("_no_unroll "),
                AttributeKind::Pipelined => self.write("_pipelined "),
                AttributeKind::Lanes(count) => self.write(format_args!("_lanes({count}) ")),
            }
        }
    }

    fn entries(&mut self, entries: &Entries) {
        self.write("{ ");
        self.integers(&entries.values);
        self.write(" }");
    }

    fn integers(&mut self, integers: &[Integer]) {
        self.separated(integers, ", ", |printer, integer| printer.write(&integer.value));
    }

    fn node_body(&mut self, body: &NodeBody) {
        if !body.vars.is_empty() {
            self.write("vars ");
            self.separated(&body.vars, ",\n     ", Self::declaration);
            self.write("\n");
        }
        self.write("let");
        self.block(&body.statements);
        self.write("tel");
    }

    // Declarations and types.

    fn declaration(&mut self, declaration: &Declaration) {
        self.separated(&declaration.names, ", ", |printer, name| printer.write(&name.name));
        self.write(": ");
        for modifier in &declaration.modifiers {
            self.write(match modifier.kind {
                ModifierKind::Const => "const ",
                ModifierKind::LazyLift => "lazyLift ",
                ModifierKind::LittleEndian => "le ",
                ModifierKind::BigEndian => "be ",
                ModifierKind::Planes => "planes ",
                ModifierKind::Public => "pub ",
            });
        }
        self.ty(&declaration.ty);
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.base {
            BaseType::Nat => self.write("nat"),
            BaseType::Named(name) => self.write(&name.name),
            BaseType::Pinned { name, pin } => self.write(format_args!("{}<{}>", name.name, pin.text)),
            BaseType::Words { direction, bits, length, is_vector } => {
                let direction = match direction {
                    None => String::new(),
                    Some(Direction::Vertical) => "<V>".to_string(),
                    Some(Direction::Horizontal) => "<H>".to_string(),
                    Some(Direction::Bitslice) => "<B>".to_string(),
                    Some(Direction::Parameter(name)) => format!("<'{name}>"),
                    Some(Direction::Number(number)) => format!("<{number}>"),
                };
                match (bits, is_vector) {
                    (Bits::Known(1), true) => self.write(format_args!("b{direction}{length}")),
                    (Bits::Known(bits), false) => self.write(format_args!("u{direction}{bits}")),
                    (Bits::Known(bits), true) => self.write(format_args!("u{direction}{bits}x{length}")),
                    (Bits::Parameter(name), false) => self.write(format_args!("u{direction}'{name}")),
                    // The grammar has vectors only of the size 'm.
                    (Bits::Parameter(_), true) => self.write(format_args!("v{direction}{length}")),
                }
            }
        }
        if ty.is_stream {
            self.write("[*]");
        }
        for dim in &ty.dims {
            self.write("[");
            self.static_expression(dim, ADD);
            self.write("]");
        }
    }

    // Statements.

    fn block(&mut self, statements: &[Statement]) {
        self.indent += 1;
        for (i, statement) in statements.iter().enumerate() {
            self.line();
            match statement {
                Statement::Equation(equation) => {
                    self.equation(equation);
                    if i + 1 < statements.len() {
                        self.write(";");
                    }
                }
                Statement::Forall(forall) => self.forall(forall),
                Statement::Stream(stream) => self.stream(stream),
            }
        }
        self.indent -= 1;
        self.line();
    }

    fn equation(&mut self, equation: &Equation) {
        match &equation.targets[..] {
            [only] => self.variable(only),
            several => {
                self.write("(");
                self.separated(several, ", ", Self::variable);
                self.write(")");
            }
        }
        let operator = equation.operator.map_or("", BinaryOperator::text);
        let colon = if equation.is_update { ":" } else { "" };
        self.write(format_args!(" {operator}{colon}= "));
        self.expression(&equation.value, 0, false);
    }

    fn forall(&mut self, forall: &Forall) {
        self.attributes(&forall.attributes);
        let word = if forall.is_fold { "fold" } else { "forall" };
        self.write(format_args!("{word} {} in [", forall.counter.name));
        self.static_expression(&forall.first, ADD);
        self.write(", ");
        self.static_expression(&forall.last, ADD);
        self.write("] {");
        self.block(&forall.statements);
        self.write("}");
    }

    fn stream(&mut self, stream: &StreamLoop) {
        self.attributes(&stream.attributes);
        let word = if stream.is_fold { "fold" } else { "forall" };
        self.write(format_args!("{word} {} in ", stream.element.name));
        match &stream.blocks {
            None => self.expression(&stream.stream, 0, false),
            Some(Blocks { size, pad }) => {
                self.write("blocks(");
                self.expression(&stream.stream, 0, false);
                self.write(", ");
                self.static_expression(size, ADD);
                self.write(", ");
                self.static_expression(pad, ADD);
                self.write(")");
            }
        }
        self.write(" {");
        self.block(&stream.statements);
        self.write("}");
    }

    // Expressions.

    fn variable(&mut self, variable: &Variable) {
        self.write(&variable.name.name);
        for selector in &variable.selectors {
            self.write("[");
            self.selector(&selector.kind);
            self.write("]");
        }
    }

    fn selector(&mut self, kind: &SelectorKind) {
        match kind {
            SelectorKind::Index(index) => self.static_expression(index, ADD),
            SelectorKind::Range(first, last) => {
                self.static_expression(first, ADD);
                self.write("..");
                self.static_expression(last, ADD);
            }
            SelectorKind::Slice(parts) => self.separated(parts, ", ", Self::selector),
        }
    }

    fn literal(&mut self, value: &BigUint) {
        if *value < BigUint::from(10_000u32) {
            self.write(value);
        } else {
            self.write(format_args!("{value:#x}"));
        }
    }

    /// Writes an expression, in which operators looser than `level` need parentheses. With `colon_is_taken` a literal
    /// with a type needs them, too: it stands between `?` and `:`, or before `<`.
    fn expression(&mut self, expr: &Expr, level: u8, colon_is_taken: bool) {
        let expr = self.within_parentheses(expr);
        let needs_parentheses = match &expr.kind {
            ExprKind::Literal { ty, .. } | ExprKind::Pack { ty, .. } => ty.is_some() && colon_is_taken,
            _ => match operator_level(expr) {
                Some(own) => own < level || (self.all_parentheses && level > 0),
                None => false,
            },
        };
        self.perhaps_parenthesised(expr, level, colon_is_taken, needs_parentheses);
    }

    /// Writes the left operand of an operator of level `own`, in a chain in which operators looser than `level` need
    /// parentheses.
    fn left_operand(&mut self, left: &Expr, own: u8, level: u8, colon_is_taken: bool) {
        let left = self.within_parentheses(left);
        let needs_parentheses = match operator_level(left) {
            None => return self.expression(left, level, colon_is_taken),
            Some(_) if self.all_parentheses => true,
            Some(0) => true,
            // A bitwise operator or a shift continues after a shift, while an arithmetic operator belongs to its
            // amount.
            Some(SHIFT) => level > SHIFT || !matches!(own, SHIFT | BITWISE),
            Some(inner) => inner < own,
        };
        self.perhaps_parenthesised(left, level, colon_is_taken, needs_parentheses);
    }

    /// If all parentheses are written, those of the tree are not needed.
    fn within_parentheses<'e>(&self, mut expr: &'e Expr) -> &'e Expr {
        while let (true, ExprKind::Parenthesised(inner)) = (self.all_parentheses, &expr.kind) {
            expr = inner;
        }
        expr
    }

    fn perhaps_parenthesised(&mut self, expr: &Expr, level: u8, colon_is_taken: bool, parentheses: bool) {
        if parentheses {
            self.write("(");
            self.bare_expression(expr, 0, false);
            self.write(")");
        } else {
            self.bare_expression(expr, level, colon_is_taken);
        }
    }

    fn bare_expression(&mut self, expr: &Expr, level: u8, colon_is_taken: bool) {
        match &expr.kind {
            ExprKind::Literal { value, ty } => {
                self.literal(value);
                self.annotation(ty);
            }
            ExprKind::Variable(variable) => self.variable(variable),
            ExprKind::Tuple(elements) => self.bracketed(elements),
            ExprKind::Parenthesised(inner) => self.bracketed(std::slice::from_ref(inner)),
            ExprKind::Not(operand) => {
                self.write("~");
                self.expression(operand, BITWISE + 1, colon_is_taken);
            }
            ExprKind::Negate(operand) => {
                self.write("-");
                self.expression(operand, BITWISE + 1, colon_is_taken);
            }
            ExprKind::Binary { operator, left, right } => {
                let own = precedence::level(*operator);
                self.left_operand(left, own, level, colon_is_taken);
                self.write(format_args!(" {} ", operator.text()));
                self.expression(right, own + 1, colon_is_taken);
            }
            ExprKind::Shift { operator, operand, amount } => {
                self.left_operand(operand, SHIFT, level, colon_is_taken);
                self.write(format_args!(" {} ", operator.text()));
                self.static_expression(amount, if self.all_parentheses { BITWISE } else { ADD });
            }
            ExprKind::Comparison { comparison, left, right } => {
                // `<` after a type opens its representation.
                self.expression(left, SHIFT, colon_is_taken || *comparison == Comparison::Less);
                self.write(format_args!(" {} ", comparison.text()));
                self.expression(right, SHIFT, colon_is_taken);
            }
            ExprKind::Selected { operand, selectors } => {
                let operand = self.within_parentheses(operand);
                let has_sign = matches!(operand.kind, ExprKind::Not(_) | ExprKind::Negate(_));
                self.perhaps_parenthesised(operand, 0, false, has_sign || operator_level(operand).is_some());
                for selector in selectors {
                    self.write("[");
                    self.selector(&selector.kind);
                    self.write("]");
                }
            }
            ExprKind::Call { name, index, arguments } => {
                self.write(&name.name);
                if let Some(index) = index {
                    self.write("<");
                    self.static_expression(index, ADD);
                    self.write(">");
                }
                self.bracketed(arguments);
            }
            ExprKind::Decode { order, ty, operand } => {
                self.write(format_args!("{}<", order.text()));
                self.ty(ty);
                self.write(">");
                match &operand.kind {
                    ExprKind::Tuple(elements) => self.bracketed(elements),
                    _ => self.bracketed(std::slice::from_ref(operand)),
                }
            }
            ExprKind::Shuffle { operand, pattern } => {
                self.write("Shuffle(");
                self.expression(operand, 0, false);
                self.write(", [");
                self.integers(pattern);
                self.write("])");
            }
            ExprKind::Bitmask { operand, bit } => {
                self.write("Bitmask(");
                self.expression(operand, 0, false);
                self.write(", ");
                self.static_expression(bit, ADD);
                self.write(")");
            }
            ExprKind::Pack { high, low, ty } => {
                self.write("Pack(");
                self.expression(high, 0, false);
                self.write(", ");
                self.expression(low, 0, false);
                self.write(")");
                self.annotation(ty);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expression(condition, SHIFT, colon_is_taken);
                self.write(" ? ");
                let level = if self.all_parentheses { SHIFT } else { 0 };
                self.expression(then, level, true);
                self.write(" : ");
                self.expression(otherwise, level, colon_is_taken);
            }
            ExprKind::Error => self.write("<error>"),
        }
    }

    fn annotation(&mut self, ty: &Option<Type>) {
        if let Some(ty) = ty {
            self.write(" : ");
            self.ty(ty);
        }
    }

    fn bracketed(&mut self, expressions: &[Expr]) {
        self.write("(");
        self.separated(expressions, ", ", |printer, expr| printer.expression(expr, 0, false));
        self.write(")");
    }

    /// Writes a static expression, in which operators looser than `level` need parentheses.
    fn static_expression(&mut self, expr: &Expr, level: u8) {
        let expr = self.within_parentheses(expr);
        match &expr.kind {
            ExprKind::Binary { operator, left, right } => {
                let own = precedence::level(*operator);
                let needs_parentheses = own < level || (self.all_parentheses && level > ADD);
                if needs_parentheses {
                    self.write("(");
                }
                self.static_expression(left, own);
                self.write(format_args!(" {} ", operator.text()));
                self.static_expression(right, own + 1);
                if needs_parentheses {
                    self.write(")");
                }
            }
            ExprKind::Parenthesised(inner) => {
                self.write("(");
                self.static_expression(inner, ADD);
                self.write(")");
            }
            _ => self.expression(expr, BITWISE + 1, true),
        }
    }
}

/// The level of the operator at the top of an expression, 0 for a conditional.
fn operator_level(expr: &Expr) -> Option<u8> {
    match &expr.kind {
        ExprKind::Binary { operator, .. } => Some(precedence::level(*operator)),
        ExprKind::Shift { .. } => Some(SHIFT),
        ExprKind::Conditional { .. } | ExprKind::Comparison { .. } => Some(0),
        _ => None,
    }
}
