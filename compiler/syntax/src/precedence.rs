//! The precedence of operators, here and in C, the warning where the two differ, and the error where comparisons follow one another.

use culet_diag::codes::syntax::{E0121, W0101, W0102};
use culet_diag::{Diagnostic, Span};

use crate::ast::{BinaryOperator, Comparison, Expr, ExprKind, ShiftOperator};

/// Levels from loosest to tightest. Conditionals are below all of them, `~` is above.
pub(crate) const COMPARISON: u8 = 0;
pub(crate) const SHIFT: u8 = 1;
pub(crate) const ADD: u8 = 2;
pub(crate) const MULTIPLY: u8 = 3;
pub(crate) const BITWISE: u8 = 4;

pub(crate) fn level(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => BITWISE,
        BinaryOperator::Add | BinaryOperator::Subtract => ADD,
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => MULTIPLY,
    }
}

/// An operator between two operands, in either language.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Binary(BinaryOperator),
    Shift(ShiftOperator),
    Comparison(Comparison),
}

impl Operator {
    /// C's level, from loosest to tightest (ISO C 2018 §6.5.5–6.5.12).
    fn level_in_c(self) -> u8 {
        match self {
            Operator::Binary(BinaryOperator::Or) => 1,
            Operator::Binary(BinaryOperator::Xor) => 2,
            Operator::Binary(BinaryOperator::And) => 3,
            Operator::Comparison(Comparison::Equal) => 4,
            Operator::Comparison(Comparison::Less) => 5,
            Operator::Shift(_) => 6,
            Operator::Binary(BinaryOperator::Add | BinaryOperator::Subtract) => 7,
            Operator::Binary(_) => 8,
        }
    }

    /// The level for which `a<<4 + b` is written where the sum of a shifted word and `b` is meant: shifts bind tightest.
    fn level_of_habit(self) -> u8 {
        if matches!(self, Operator::Shift(_)) { 9 } else { self.level_in_c() }
    }

    fn is_bitwise(self) -> bool {
        matches!(self, Operator::Binary(operator) if level(operator) == BITWISE)
    }

    fn text(self) -> &'static str {
        match self {
            Operator::Binary(operator) => operator.text(),
            Operator::Shift(operator) => operator.text(),
            Operator::Comparison(comparison) => comparison.text(),
        }
    }
}

/// The precedence of operators in a reading.
type Level = fn(Operator) -> u8;

/// Whether an expression is a power: one of numbers, or, beside fields, one with a number as exponent.
fn is_power(expr: &Expr, has_fields: bool) -> bool {
    match &expr.kind {
        ExprKind::Binary { operator: BinaryOperator::Xor, left, right } => {
            is_number(right) && (has_fields || is_number(left))
        }
        _ => false,
    }
}

/// Whether an expression consists of numbers only.
fn is_number(mut expr: &Expr) -> bool {
    loop {
        match &expr.kind {
            ExprKind::Literal { ty, .. } => return ty.is_none(),
            ExprKind::Parenthesised(inner) => expr = inner,
            ExprKind::Binary { left, right, .. } if matches!(right.kind, ExprKind::Literal { .. }) => expr = left,
            _ => return false,
        }
    }
}

/// The operator at the top of an expression, with its operands. A power is an operand as a whole.
fn split(expr: &Expr, has_fields: bool) -> Option<(Operator, &Expr, &Expr)> {
    match &expr.kind {
        _ if is_power(expr, has_fields) => None,
        ExprKind::Binary { operator, left, right } => Some((Operator::Binary(*operator), left, right)),
        ExprKind::Shift { operator, operand, amount } => Some((Operator::Shift(*operator), operand, amount)),
        ExprKind::Comparison { comparison, left, right } => Some((Operator::Comparison(*comparison), left, right)),
        _ => None,
    }
}

/// Two neighbouring operators that a C programmer would group the other way.
struct Inversion {
    /// The operator that binds tighter here.
    inner: Operator,
    outer: Operator,
    /// The operand of `outer` that contains `inner` and needs the parentheses.
    place: Span,
    /// Whether the operand is the amount of a shift, and `inner` adds to it or multiplies it.
    is_amount: bool,
    /// Whether the amount holds a value that no static expression has.
    has_word: bool,
}

/// The error for a whole chain of operators, if it has comparisons one after another, or the warning, if C would read it differently. Parenthesised
/// parts are separate chains. Where there are fields, `^` and a number are a power, which binds as tightly as one should.
pub(crate) fn surprise(text: &str, expr: &Expr, has_fields: bool) -> Option<Diagnostic> {
    if let Some(place) = compared_comparison(expr, has_fields) {
        let message = "what a comparison gives is compared again";
        let error = Diagnostic::error(&E0121, place, message);
        return Some(match separate_comparisons(text, expr, has_fields) {
            Some(separate) => error.fix(expr.span, separate, "write parentheses around each comparison"),
            None => error.note("write parentheses around each comparison"),
        });
    }
    let mut inversions = Vec::new();
    find_inversions(expr, has_fields, &mut inversions);
    let purely_bitwise = inversions.iter().find(|i| i.inner.is_bitwise() && i.outer.is_bitwise());
    let first = purely_bitwise.or(inversions.first())?;
    let (inner, outer) = (first.inner.text(), first.outer.text());
    let is_amount = first.is_amount;
    let message = if is_amount {
        format!("`{inner}` belongs to the amount of this `{outer}`")
    } else if purely_bitwise.is_some() {
        format!("`{inner}` and `{outer}` bind equally and are read from left to right, unlike in C")
    } else {
        format!("`{inner}` binds tighter than `{outer}`, unlike in C")
    };
    let code = if purely_bitwise.is_some() { &W0101 } else { &W0102 };
    let warning = Diagnostic::warning(code, expr.span, message);
    if inversions.iter().any(|inversion| inversion.has_word) {
        return Some(match other_reading(text, expr, has_fields, Operator::level_of_habit) {
            Some(meant) => warning.fix(expr.span, meant, "an amount is known at compile time: shift first"),
            None => warning.note("an amount is known at compile time: write parentheses around each shift"),
        });
    }
    let (reader, reading) = if is_amount {
        (Operator::level_of_habit as Level, "if a shift is meant to be a part of the sum, write")
    } else {
        (Operator::level_in_c as Level, "by the precedences of C it would be")
    };
    let places: Vec<Span> = inversions.iter().map(|inversion| inversion.place).collect();
    let warning = match other_reading(text, expr, has_fields, reader) {
        Some(other) => warning.note(format!("{reading} `{other}`")),
        None => warning,
    };
    let fixed = with_parentheses(text, expr.span, &places);
    Some(warning.fix(expr.span, fixed, "write the parentheses as it is read, or others if that is not meant"))
}

/// The comparison that is the left side of another one without parentheses.
fn compared_comparison(expr: &Expr, has_fields: bool) -> Option<Span> {
    let (operator, left, right) = split(expr, has_fields)?;
    let is_compared = matches!(operator, Operator::Comparison(_)) && matches!(left.kind, ExprKind::Comparison { .. });
    let inside = || compared_comparison(left, has_fields).or_else(|| compared_comparison(right, has_fields));
    is_compared.then_some(left.span).or_else(inside)
}

/// The comparisons of a chain as C reads them, with parentheses; where there are no other operators, those of neighbours.
fn separate_comparisons(text: &str, expr: &Expr, has_fields: bool) -> Option<String> {
    let (mut operands, mut operators) = (Vec::new(), Vec::new());
    flatten(expr, has_fields, &mut operands, &mut operators);
    if !operators.iter().all(|operator| matches!(operator, Operator::Comparison(_))) {
        return other_reading(text, expr, has_fields, Operator::level_in_c);
    }
    let operands: Vec<&str> = operands.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    let pairs = operands.windows(2).zip(&operators);
    let pairs = pairs.map(|(pair, operator)| format!("({} {} {})", pair[0], operator.text(), pair[1]));
    Some(pairs.collect::<Vec<_>>().join(" & "))
}

fn find_inversions(expr: &Expr, has_fields: bool, found: &mut Vec<Inversion>) {
    let Some((outer, left, right)) = split(expr, has_fields) else { return };
    for (side, operand) in [left, right].into_iter().enumerate() {
        find_inversions(operand, has_fields, found);
        let Some((inner, ..)) = split(operand, has_fields) else { continue };
        let (inner_level, outer_level) = (inner.level_in_c(), outer.level_in_c());
        // C associates from left to right at one level, so that on the right an equal level also means the other
        // grouping.
        let differs = if side == 0 { inner_level < outer_level } else { inner_level <= outer_level };
        // `a << 2 + b` means the same in C, but is surprising there, too.
        let is_sum_as_amount =
            side == 1 && matches!(outer, Operator::Shift(_)) && inner.level_in_c() == outer.level_in_c() + 1;
        if differs || is_sum_as_amount {
            let is_amount = side == 1 && matches!(outer, Operator::Shift(_)) && !inner.is_bitwise();
            let has_word = is_amount && !may_be_static(operand) && may_be_static(first_summand(operand));
            found.push(Inversion { inner, outer, place: operand.span, is_amount, has_word });
        }
    }
}

/// The operand in front of all additions and subtractions.
fn first_summand(mut expr: &Expr) -> &Expr {
    while let ExprKind::Binary { operator: BinaryOperator::Add | BinaryOperator::Subtract, left, .. } = &expr.kind {
        expr = left;
    }
    expr
}

/// Whether an expression consists of numbers and names only, of which counters and constants are known at compile time.
fn may_be_static(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal { ty, .. } => ty.is_none(),
        ExprKind::Variable(variable) => variable.selectors.is_empty(),
        ExprKind::Parenthesised(inner) | ExprKind::Negate(inner) => may_be_static(inner),
        ExprKind::Binary { operator, left, right } => {
            level(*operator) != BITWISE && may_be_static(left) && may_be_static(right)
        }
        _ => false,
    }
}

/// The reading of the same operators and operands by other precedences, with parentheses where they matter.
fn other_reading(text: &str, expr: &Expr, has_fields: bool, level: Level) -> Option<String> {
    let mut operands = Vec::new();
    let mut operators = Vec::new();
    flatten(expr, has_fields, &mut operands, &mut operators);
    let operands: Vec<&str> = operands.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    let mut reading = Reading { operands: &operands, operators: &operators, level, next: 0 };
    let read = reading.chain(0).0;
    // The two readings of a long chain would not help.
    (read.len() <= 200 && !read.contains('\n')).then_some(read)
}

fn flatten(expr: &Expr, has_fields: bool, operands: &mut Vec<Span>, operators: &mut Vec<Operator>) {
    match split(expr, has_fields) {
        Some((operator, left, right)) => {
            flatten(left, has_fields, operands, operators);
            operators.push(operator);
            flatten(right, has_fields, operands, operators);
        }
        None => operands.push(expr.span),
    }
}

/// Reads a flat list of operands and operators by the given precedences. Recursion is bounded by the number of levels.
struct Reading<'a> {
    operands: &'a [&'a str],
    operators: &'a [Operator],
    level: Level,
    /// Number of operators that have been read.
    next: usize,
}

impl Reading<'_> {
    /// The text of a chain whose operators all bind at least as tightly as `level`, and its top operator.
    fn chain(&mut self, level: u8) -> (String, Option<Operator>) {
        let mut text = self.operands.get(self.next).copied().unwrap_or_default().to_string();
        let mut top = None;
        while let Some(&operator) = self.operators.get(self.next).filter(|&&o| (self.level)(o) >= level) {
            self.next += 1;
            let (right, right_top) = self.chain((self.level)(operator) + 1);
            text = format!("{} {} {}", group(text, top, operator), operator.text(), group(right, right_top, operator));
            top = Some(operator);
        }
        (text, top)
    }
}

/// Puts parentheses around an operand, unless it is plain or continues the same operator.
fn group(text: String, top: Option<Operator>, outer: Operator) -> String {
    if top.is_none_or(|top| top == outer) { text } else { format!("({text})") }
}

/// The text of `whole` with parentheses around each of `places` in it.
fn with_parentheses(text: &str, whole: Span, places: &[Span]) -> String {
    let mut marks: Vec<(u32, char)> = Vec::new();
    for place in places {
        marks.push((place.start, '('));
        marks.push((place.end, ')'));
    }
    marks.sort_by_key(|&(offset, _)| offset);
    let mut out = String::new();
    let mut position = whole.start;
    for (offset, mark) in marks {
        out.push_str(&text[position as usize..offset as usize]);
        out.push(mark);
        position = offset;
    }
    out.push_str(&text[position as usize..whole.end as usize]);
    out
}
