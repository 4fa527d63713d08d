//! Tables that a word indexes: `table S (x : u6) returns (y : u4) { … }` has a value for each value of `x`.
//!
//! Such a table is a node with a lookup at a secret position: `node S (x : u6) returns (y : u4) vars t : u4[64] let
//! t = (…); y = t[x] tel`.

use culet_syntax::ast::{
    AttributeKind, BaseType, Bits, Declaration, Definition, Entries, Equation, Expr, ExprKind, Family, Ident, NodeBody,
    Selector, SelectorKind, Statement, Type, Variable,
};
use num_bigint::BigUint;

/// Bits of the widest word that indexes a table.
const MOST_BITS: u64 = 16;

/// The node for a table of one word with a value for each of the word's values; none for another table, which works on
/// bits.
pub(crate) fn as_node(table: &Definition<Entries>) -> Option<Definition<NodeBody>> {
    let Family::One(entries) = &table.body else { return None };
    let ((index, bits), (result, _)) = (word(&table.params)?, word(&table.returns)?);
    let count = entries.values.len();
    let is_turned = table.attributes.iter().any(|attribute| attribute.kind == AttributeKind::LsbFirst);
    if is_turned || !(2..=MOST_BITS).contains(&bits) || count != 1 << bits {
        return None;
    }
    let span = entries.span;
    let mut name = Ident { name: format!("{}_values", table.name.name), span };
    while [index, result].iter().any(|other| other.name == name.name) {
        name.name.push('_');
    }
    let literal = |value: &BigUint, span| Expr { kind: ExprKind::Literal { value: value.clone(), ty: None }, span };
    let ty = Type { dims: vec![literal(&BigUint::from(count), span)], ..table.returns[0].ty.clone() };
    let vars = vec![Declaration { names: vec![name.clone()], modifiers: Vec::new(), ty, span }];
    let values = entries.values.iter().map(|entry| literal(&entry.value, entry.span)).collect();
    let at = Expr { kind: ExprKind::Variable(whole(index)), span };
    let selectors = vec![Selector { kind: SelectorKind::Index(at), span }];
    let looked_up = ExprKind::Variable(Variable { name: name.clone(), selectors, span });
    let statements = vec![equation(&name, ExprKind::Tuple(values), span), equation(result, looked_up, span)];
    Some(Definition {
        attributes: table.attributes.iter().filter(|a| a.kind != AttributeKind::MsbFirst).cloned().collect(),
        name: table.name.clone(),
        params: table.params.clone(),
        returns: table.returns.clone(),
        body: Family::One(NodeBody { vars, statements, span }),
        span: table.span,
    })
}

/// The name and the bits of the only word that is declared.
fn word(declared: &[Declaration]) -> Option<(&Ident, u64)> {
    let [Declaration { names, ty, .. }] = declared else { return None };
    let ([name], Type { base, dims, is_stream: false, .. }) = (names.as_slice(), ty) else { return None };
    match *base {
        BaseType::Words { bits: Bits::Known(bits), is_vector: false, .. } if dims.is_empty() => Some((name, bits)),
        _ => None,
    }
}

fn whole(name: &Ident) -> Variable {
    Variable { name: name.clone(), selectors: Vec::new(), span: name.span }
}

fn equation(name: &Ident, value: ExprKind, span: culet_diag::Span) -> Statement {
    let value = Expr { kind: value, span };
    Statement::Equation(Equation { targets: vec![whole(name)], operator: None, is_update: false, value, span })
}
