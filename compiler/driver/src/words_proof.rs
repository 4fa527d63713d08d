//! Proofs that the words of a program compute what it means.

use culet_prove::elements::Identities;
use culet_prove::limbs::{Compared, Difference};
use culet_prove::{elements, limbs};

use crate::single::Words;

/// That the function on words computes, for all inputs of any length, what the one on elements of a field means.
///
/// # Errors
///
/// The first operation of which that is not proved; none of it is for programs without elements.
pub fn prove_limbs(words: &Words) -> Option<Result<Compared, Difference>> {
    let limbed = words.limbed.as_ref()?;
    Some(limbs::compare(&limbed.elements, &words.module, &limbed.holding))
}

/// That the function on elements computes what the program means, for all inputs whose streams have these lengths in bytes.
///
/// # Errors
///
/// What is not so; none of it is for programs without elements.
pub fn prove_elements(words: &Words, lengths: &[usize]) -> Option<Result<(), String>> {
    let limbed = words.limbed.as_ref()?;
    Some(elements::compare(&words.program, &limbed.elements, lengths))
}

/// That the function on elements computes what the program means, for all inputs of any length.
///
/// # Errors
///
/// What is not so, or what of the program is not known there; none of it is for programs without elements.
pub fn prove_all_elements(words: &Words) -> Option<Result<Identities, String>> {
    let limbed = words.limbed.as_ref()?;
    Some(elements::compare_all(&words.program, &limbed.elements))
}
