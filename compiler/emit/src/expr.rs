//! C expressions as text that knows whether it needs parentheses.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expr {
    pub text: String,
    /// A name, a call, an element or a literal: needs no parentheses anywhere.
    pub primary: bool,
}

impl Expr {
    pub fn primary(text: impl Into<String>) -> Expr {
        Expr { text: text.into(), primary: true }
    }

    pub fn compound(text: impl Into<String>) -> Expr {
        Expr { text: text.into(), primary: false }
    }

    pub fn binary(left: &Expr, operator: &str, right: &Expr) -> Expr {
        Expr::compound(format!("{} {operator} {}", left.operand(), right.operand()))
    }

    /// A call of a function, or of anything else that takes arguments in parentheses, with these arguments.
    pub fn call(function: &str, arguments: &[&Expr]) -> Expr {
        let arguments: Vec<&str> = arguments.iter().map(|e| e.text.as_str()).collect();
        Expr::primary(format!("{function}({})", arguments.join(", ")))
    }

    pub fn cast(ctype: &str, operand: &Expr) -> Expr {
        Expr::compound(format!("({ctype}){}", operand.operand()))
    }

    /// The text as an operand of an operator.
    pub fn operand(&self) -> String {
        if self.primary { self.text.clone() } else { format!("({})", self.text) }
    }
}
