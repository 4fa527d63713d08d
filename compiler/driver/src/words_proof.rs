//! Proofs that the words of a program compute what it means, and machine code what the words do.

use culet_emit::SingleOutput;
use culet_image::Image;
use culet_meaning::layout::text;
use culet_prove::elements::Identities;
use culet_prove::limbs::{Compared, Difference};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_prove::{elements, limbs, single};

use crate::single::{Single, Words};

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

/// A program whose words are proved to compute what it means: what machine code is to compute.
pub(crate) struct Meant<'s> {
    single: &'s Single,
    /// Of which also the ranges of limbs are known.
    compared: Compared,
}

impl<'s> Meant<'s> {
    /// The first two theorems.
    ///
    /// # Errors
    ///
    /// The first of which something is not so, or not proved.
    pub fn of(single: &'s Single) -> Result<Meant<'s>, Rejection> {
        let words = &single.words;
        let Some(limbed) = &words.limbed else {
            return Err(open(
                "words = program",
                "programs without elements of a field have no such proof yet".to_owned(),
            ));
        };
        let compared = limbs::compare(&limbed.elements, &words.module, &limbed.holding)
            .map_err(|difference| open("words = elements", difference.to_string()))?;
        let has_stream = single.c.arguments.iter().any(|argument| argument.is_stream);
        let meant = match has_stream {
            true => elements::compare_all(&words.program, &limbed.elements).map(drop),
            false => elements::compare(&words.program, &limbed.elements, &[]),
        };
        meant.map_err(|difference| open("elements = program", difference))?;
        Ok(Meant { single, compared })
    }

    /// That the function in an image which some C compiler made of the program's C computes what the program means, for all parameters.
    ///
    /// # Errors
    ///
    /// When something is wrong with it, or not proved.
    pub fn prove(&self, image: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        let Words { program, module, .. } = &self.single.words;
        let SingleOutput { function, instances, .. } = &self.single.c;
        let mut proved = single::prove(image, function, module, &self.compared.ranges, *instances, limits)?;
        let node = program.entry();
        // The pointers are those to results and those to parameters, each in their order.
        let (mut results, mut parameters) = (node.returns.iter(), node.params.iter());
        for argument in proved.arguments.iter_mut().filter(|argument| !argument.is_word) {
            let var = if argument.is_written { results.next() } else { parameters.next() };
            let var = var.map(|&id| node.var(id));
            if let Some(var) = var.filter(|var| var.ty.atom.field().is_none() && !var.stream) {
                argument.layout = text::bytes(&var.ty, var.bytes);
            }
        }
        Ok(proved)
    }
}

fn open(claim: &str, rest: String) -> Rejection {
    Rejection::Open { claim: claim.to_owned(), rest }
}
