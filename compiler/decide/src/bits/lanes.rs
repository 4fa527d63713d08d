//! Lanes: where operations act on every bit position alike, one literal stands for a whole register.
//!
//! Why this is sound. Let a word of w bits be computed from leaves — inputs, or slices of inputs that do not overlap —
//! and from the constants all-zeros and all-ones by bitwise operations alone. Bit i of the result is then F(bit i of
//! each leaf) for one Boolean function F that does not depend on i or w. Leaves are independent, so two such words are
//! equal on all inputs exactly if their functions are; and a word is, at each bit position, an instance of a circuit of
//! single bits exactly if its function is that circuit's.

use culet_term::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns for each pair whether both sides are bitwise over leaves that do not overlap.
pub fn are_bitwise(terms: &Terms, pairs: &[(Term, Term)]) -> Vec<bool> {
    let roots: Vec<Term> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let cone = terms.cone(&roots);
    let bitwise = bitwise_terms(terms, &cone, &FxHashSet::default());
    let both = |bitwise: &FxHashSet<Term>, &(a, b): &(Term, Term)| bitwise.contains(&a) && bitwise.contains(&b);
    let roots: Vec<Term> = pairs.iter().filter(|pair| both(&bitwise, pair)).flat_map(|&(a, b)| [a, b]).collect();
    let overlapping = overlapping_leaves(terms, &used_leaves(terms, &roots));
    let bitwise = bitwise_terms(terms, &cone, &overlapping);
    pairs.iter().map(|pair| both(&bitwise, pair)).collect()
}

/// Returns the terms of a cone that are bitwise over leaves, none of which is excluded.
fn bitwise_terms(terms: &Terms, cone: &[Term], excluded: &FxHashSet<Term>) -> FxHashSet<Term> {
    let mut bitwise = FxHashSet::default();
    for &term in cone {
        let node = terms.node(term);
        let is_bitwise = match node {
            Node::Input(_) => !excluded.contains(&term),
            Node::Extract(inner, _) => matches!(terms.node(*inner), Node::Input(_)) && !excluded.contains(&term),
            Node::Constant(_) => terms.is_zero(term) || terms.is_ones(term),
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Xor(..) | Node::Tern(..) => {
                node.operands().iter().all(|operand| bitwise.contains(operand))
            }
            _ => false,
        };
        if is_bitwise {
            bitwise.insert(term);
        }
    }
    bitwise
}

/// Returns the inputs and slices of inputs below bitwise roots. The input that a slice is cut from is not below the
/// slice.
fn used_leaves(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut leaves = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Input(_) | Node::Extract(..) => leaves.push(term),
            node => stack.extend(node.operands()),
        }
    }
    leaves
}

/// Returns the leaves that share bits with another leaf.
fn overlapping_leaves(terms: &Terms, leaves: &[Term]) -> FxHashSet<Term> {
    let mut by_input: FxHashMap<Term, Vec<(u32, u32, Term)>> = FxHashMap::default();
    for &leaf in leaves {
        let (input, low) = match *terms.node(leaf) {
            Node::Extract(inner, low) => (inner, u32::from(low)),
            _ => (leaf, 0),
        };
        by_input.entry(input).or_default().push((low, low + terms.bits(leaf), leaf));
    }
    let mut overlapping = FxHashSet::default();
    for slices in by_input.values_mut() {
        slices.sort_unstable();
        let mut furthest: Option<(u32, Term)> = None;
        for &(low, high, leaf) in slices.iter() {
            if let Some((end, other)) = furthest
                && low < end
            {
                overlapping.insert(leaf);
                overlapping.insert(other);
            }
            if furthest.is_none_or(|(end, _)| high > end) {
                furthest = Some((high, leaf));
            }
        }
    }
    overlapping
}
