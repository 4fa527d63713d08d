//! Choices by whether an element is 0: if the condition is that all bits of a canonical form are 0, the chosen element
//! is known.
//!
//! Batches of inverses have 1 in the place of a factor that is 0. Such a choice is a unit, whose exponents count modulo
//! q − 1 in a field of q elements, since the group of units has that order. A choice between 0, where the element is 0,
//! and a product with a power of its unit is the product with that power of the element itself, which is 0 there, too.

use culet_meaning::{ConcreteFields, FieldDomain};
use culet_term::{Node, Term, Terms};
use culet_types::field::Field;
use num_traits::{One, Zero};
use rustc_hash::FxHashSet;

use super::{Element, Product, Symbols, Unknown, power, times};

impl Symbols {
    /// Reduces exponents of units modulo the order of their group.
    pub(super) fn reduced(&self, field: &Field, mut product: Product) -> Product {
        if self.units.is_empty() {
            return product;
        }
        let order = field.kind.elements() - 1u32;
        for (atom, exponent) in &mut product {
            if self.units.contains(atom) {
                *exponent %= &order;
            }
        }
        product.retain(|(_, exponent)| !exponent.is_zero());
        product
    }

    /// Returns the chosen element if the condition is that some element is 0, and the choice is known.
    pub(super) fn where_zero(
        &mut self,
        terms: &Terms,
        field: &Field,
        condition: Term,
        (then, otherwise): (Element, Element),
    ) -> Option<Element> {
        let element = self.tested(terms, field, condition)?;
        if otherwise == element && self.value(then).is_some_and(|value| value.is_one()) {
            let unit = self.atom(Unknown::Unit(element));
            self.units.insert(unit);
            return Some(self.unknown(Unknown::Unit(element)));
        }
        if !self.of(then).is_empty() {
            return None;
        }
        let unit = *self.atoms.get(&Unknown::Unit(element))?;
        let [(product, value)] = &self.of(otherwise)[..] else { return None };
        let (mut product, value) = (product.clone(), value.clone());
        let place = product.iter().position(|(atom, _)| *atom == unit)?;
        let (_, exponent) = product.remove(place);
        let factors = self.factors(element)?;
        let (powers, factor) = power(field, &factors, &exponent);
        let product = self.reduced(field, times(&product, &powers));
        Some(self.named(vec![(product, ConcreteFields.mul(field, &value, &factor))]))
    }

    /// Returns the element that is 0 exactly where a bit is 1.
    fn tested(&self, terms: &Terms, field: &Field, bit: Term) -> Option<Element> {
        let Node::Not(any) = *terms.node(bit) else { return None };
        let mut bits = FxHashSet::default();
        let mut open = vec![any];
        while let Some(term) = open.pop() {
            match *terms.node(term) {
                Node::Or(a, b) => open.extend([a, b]),
                _ => drop(bits.insert(term)),
            }
        }
        let element = *self.encoded.get(bits.iter().next()?)?;
        let are_its = bits.iter().all(|bit| self.encoded.get(bit) == Some(&element));
        (are_its && bits.len() as u64 == field.kind.bits()).then_some(element)
    }
}
