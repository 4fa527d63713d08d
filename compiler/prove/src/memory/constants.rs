//! The image in memory: the addresses of its parts, as far as they are known, and the constants that can be read there.

use std::ops::Range;

use culet_image::{Access, Field, Image, Meaning, Target};
use culet_term::{Term, Terms};
use rustc_hash::FxHashMap;

use super::{Fault, Instead, Memory, Place, at_distance};
use crate::symbolic::Symbolic;
use crate::unknown::Unknown;

/// Unknown parts of the addresses of anchors, the parts of an image that move as one; regions have such unknowns, too.
#[derive(Debug)]
pub(super) struct Bases {
    /// Bases by the number of the anchor.
    bases: Vec<Term>,
    anchors: FxHashMap<Term, usize>,
}

impl Bases {
    pub fn new(image: &Image, terms: &mut Terms) -> Bases {
        let base = |(number, alignment): (usize, u64)| {
            let name = format!("&image {number} / {alignment}");
            Unknown::Anchor(number).word(terms, &name, 64 - alignment.trailing_zeros())
        };
        let alignments = image.anchors().iter().map(|anchor| anchor.alignment);
        let bases: Vec<Term> = alignments.enumerate().map(base).collect();
        let anchors = bases.iter().enumerate().map(|(number, &base)| (base, number)).collect();
        Bases { bases, anchors }
    }

    /// Returns the address of a target as a word.
    pub fn address(&self, image: &Image, terms: &mut Terms, target: Target) -> Term {
        let Some(number) = target.anchor else { return terms.constant_u64(64, target.address) };
        let anchor = &image.anchors()[number];
        let offset = target.address.wrapping_sub(anchor.range.start) as i64;
        at_distance(terms, self.bases[number], anchor.alignment, offset)
    }

    /// Returns the image's own number for the address at an offset from an anchor; `None` if the base belongs to no
    /// anchor.
    pub fn place(&self, image: &Image, base: Term, offset: i64) -> Option<Result<u64, Fault>> {
        let anchor = &image.anchors()[*self.anchors.get(&base)?];
        let address = anchor.range.start.wrapping_add_signed(offset);
        let beyond = || Fault::Beyond { name: anchor.name.clone(), offset };
        Some(if anchor.range.contains(&address) { Ok(address) } else { Err(beyond()) })
    }
}

impl<W> Memory<'_, W> {
    /// Returns the image's own number for an address, if the address is in the image.
    pub fn in_image<V: Symbolic<Word = W>>(&self, values: &V, address: &W) -> Option<u64> {
        match self.place(values, address) {
            Ok(Place::Image(address)) => Some(address),
            _ => self.returns.get(&values.term(address)?).copied(),
        }
    }

    /// Returns the constant at an address of the image.
    pub(super) fn constants(&self, terms: &mut Terms, address: u64, bytes: u32, alignment: u32) -> Result<Term, Fault> {
        let anchor = self.image.anchor(address).map(|number| &self.image.anchors()[number]);
        let range = address..address.saturating_add(bytes.into());
        if let Some(anchor) = anchor.filter(|anchor| anchor.range.end < range.end) {
            let offset = (anchor.range.end - anchor.range.start) as i64;
            return Err(Fault::Beyond { name: anchor.name.clone(), offset });
        }
        let assumed = self.assumed(terms, range.clone());
        let none = || Fault::NoConstants { address, bytes, instead: instead_of_constants(self.image, address) };
        let constants = match assumed {
            Some(_) => &[],
            None => self.image.constants(address, bytes as usize).ok_or_else(none)?,
        };
        let (start, aligned) = anchor.map_or((0, u64::MAX / 2 + 1), |anchor| (anchor.range.start, anchor.alignment));
        let demanded = u64::from(alignment.max(1));
        if !aligned.is_multiple_of(demanded) || !(address - start).is_multiple_of(demanded) {
            let (region, offset) = ("a constant".into(), address as i64);
            return Err(Fault::Misaligned { region, offset, demanded: alignment });
        }
        if let Some(assumed) = assumed {
            return Ok(assumed);
        }
        if self.image.is_rewritten(range.clone()) {
            return Err(Fault::Unlinked(
                "the final link may make another instruction of the one that is there".to_owned(),
            ));
        }
        let mut parts = Vec::new();
        let mut known = address;
        let plain = |from: u64, to: u64| &constants[(from - address) as usize..(to - address) as usize];
        for (start, Field { bytes, meaning }) in self.image.fields(range.clone()) {
            let Meaning::Address(target) = meaning else { return Err(Fault::Unlinked(why(meaning))) };
            if start > known {
                parts.push(constant(terms, plain(known, start)));
                known = start;
            }
            let end = start.saturating_add(*bytes).min(range.end);
            let whole = self.bases.address(self.image, terms, *target);
            parts.push(terms.extract(whole, 8 * (known - start) as u32, 8 * (end - known) as u32));
            known = end;
        }
        if known < range.end {
            parts.push(constant(terms, plain(known, range.end)));
        }
        Ok(terms.concat(&parts))
    }

    /// Returns the word at these addresses, if all of its bytes are variables that are taken for granted.
    fn assumed(&self, terms: &mut Terms, range: Range<u64>) -> Option<Term> {
        let bytes: Option<Vec<u8>> = range.map(|address| self.variables.get(&address).copied()).collect();
        bytes.map(|bytes| constant(terms, &bytes))
    }
}

fn why(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Unlinked(why) => why.clone(),
        _ => "the final link fills in a distance there".to_owned(),
    }
}

fn instead_of_constants(image: &Image, address: u64) -> Instead {
    match (image.external(address).or(image.chosen(address)), image.access(address)) {
        (Some(name), Some(_)) => Instead::Chosen(name.to_owned()),
        (Some(name), None) => Instead::External(name.to_owned()),
        (None, Some(Access::Writable)) => Instead::Changing,
        (None, _) => Instead::Nothing,
    }
}

/// Returns a term of constant bytes, the first one lowest.
fn constant(terms: &mut Terms, bytes: &[u8]) -> Term {
    let limbs: Vec<u64> =
        bytes.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |limb, &byte| limb << 8 | u64::from(byte))).collect();
    terms.constant_wide(8 * bytes.len() as u32, &limbs)
}
