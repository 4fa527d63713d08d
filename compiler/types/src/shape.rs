//! Shapes: lists of atoms, which are compared, cut into pieces, and described in words.

use culet_diag::codes::{fields as codes, types};
use culet_diag::{Diagnostic, Span};

use crate::field::Field;
use crate::program::{Atom, FieldId, Shape, Slicing};

/// The diagnostic for a difference between `found` and `wanted`; `None` if they are equal.
pub(crate) fn mismatch(fields: &[Field], found: &Shape, wanted: &Shape, span: Span) -> Option<Diagnostic> {
    if found == wanted {
        return None;
    }
    if found.count() != wanted.count() {
        let message = format!("{} wanted here, but this is {}", describe(fields, wanted), describe(fields, found));
        let error = Diagnostic::error(&types::E0301, span, message);
        return Some(match idiom_for_length(fields, found, wanted) {
            Some(idiom) => error.note(idiom),
            None => error,
        });
    }
    let position = found.atoms().zip(wanted.atoms()).position(|(f, w)| f != w)?;
    let (f, w) = found.atoms().zip(wanted.atoms()).nth(position)?;
    let which = if found.count() == 1 { "this atom".to_owned() } else { format!("atom {position} of this") };
    if f.field().is_some() || w.field().is_some() {
        let message = format!("{which} is {}, but {} is wanted", one(fields, f), one(fields, w));
        let diagnostic = Diagnostic::error(&codes::E0335, span, message);
        return Some(match (f.field(), w.field()) {
            (None, Some(field)) => {
                let name = field_name(fields, field);
                diagnostic.note(format!("`{name}(x)` is the element that the bytes x spell; a literal is `3 : {name}`"))
            }
            (Some(_), None) => diagnostic.note("`bytes(x)` and `bits(x)` are words"),
            _ => diagnostic,
        });
    }
    Some(if f.bits != w.bits {
        let verb = if w.bits == 1 { "is" } else { "are" };
        let message = format!("{which} has {}, but {} {verb} wanted", bits(f.bits), bits(w.bits));
        let error = Diagnostic::error(&types::E0302, span, message);
        match resized(f.bits, w.bits) {
            Some(idiom) => error.note(idiom),
            None => error,
        }
    } else {
        let message = format!("{which} is {}, but a {} one is wanted", direction(f.slicing), direction(w.slicing));
        Diagnostic::error(&types::E0303, span, message)
    })
}

/// The idiom for masks and products that others make of a bit.
const CHOICE: &str = "`b ? x : 0` is x where the bit b is 1, and 0 elsewhere";

/// The way to make a word of another size, if there is a short one.
pub(crate) fn resized(from: u32, to: u32) -> Option<String> {
    match (from, to) {
        (1, _) => Some(format!("a bit becomes a word by `b ? 1 : 0`; {CHOICE}")),
        (_, 1) => Some(format!("`le<u1>(x)[0]` is the lowest bit of a word; {CHOICE}")),
        (from, to) if from > to && from.is_multiple_of(to) => {
            Some(format!("`le<u{to}>(x)[0]` is the lower part of a word"))
        }
        (from, to) if from < to => Some(format!("`be<u{to}>(0 : u{}, x)` is the longer word", to - from)),
        _ => None,
    }
}

/// The way to make words of another size of several words.
pub(crate) fn cut_anew(from: u32, to: u32) -> Option<String> {
    if from.is_multiple_of(to) {
        Some(format!("`le<u{to}>(x)` and `be<u{to}>(x)` cut words into parts of {}, in either byte order", bits(to)))
    } else if to.is_multiple_of(from) {
        Some(format!("`le<u{to}>(x)` and `be<u{to}>(x)` make words of {} of these, in either byte order", bits(to)))
    } else {
        None
    }
}

/// The way to compute with numbers of a size that has no arithmetic.
pub(crate) fn instead_of_arithmetic(bits: u32) -> String {
    let sizes = "words of 8, 16, 32 or 64 bits have it";
    match [8, 16, 32, 64].into_iter().find(|&size| size > bits) {
        Some(_) if bits == 1 => format!("{sizes}; the sum of bits is `a ^ b`, their product `a & b`; {CHOICE}"),
        Some(size) => {
            let mask = (1u64 << bits) - 1;
            format!("{sizes}: declare `u{size}`, and keep the lower {bits} bits by `& {mask:#x}`")
        }
        None => format!("{sizes}; a longer number is several words, or an element of a field"),
    }
}

/// The conversion that is probably meant where the numbers of atoms differ.
fn idiom_for_length(fields: &[Field], found: &Shape, wanted: &Shape) -> Option<String> {
    let (from, to) = (uniform(found)?, uniform(wanted)?);
    match (from.field(), to.field()) {
        _ if from == to && found.count() > wanted.count() => {
            let first = match wanted.count() {
                0 => return None,
                1 => {
                    let joined = "`(x << 8) | y` joins parts of words, and `be<u64>(x, y)` words to a longer one";
                    return Some(format!("`x[0]` is the first element of an array `x`; {joined}"));
                }
                n => format!("`x[0..{}]` are the first {n} elements", n - 1),
            };
            Some(format!("{first} of an array `x`"))
        }
        (None, Some(field)) => {
            let name = field_name(fields, field);
            Some(format!("`{name}(x)` is the element that the bytes x spell, least significant first"))
        }
        (Some(_), None) => Some("`bytes(x)` are the bytes of an element, least significant first".to_owned()),
        (None, None)
            if u64::from(found.count()) * u64::from(from.bits) == u64::from(wanted.count()) * u64::from(to.bits) =>
        {
            let bits = to.bits;
            Some(format!(
                "`le<u{bits}>(x)` and `be<u{bits}>(x)` make words of {bits} bits of these, in either byte order"
            ))
        }
        _ => None,
    }
}

/// The atom to which all atoms are equal, if there is one.
pub(crate) fn uniform(shape: &Shape) -> Option<Atom> {
    match shape.0.as_slice() {
        [(atom, _)] => Some(*atom),
        _ => None,
    }
}

/// A description such as `4 atoms of 16 bits`, with the runs of different atoms one after the other.
pub(crate) fn describe(fields: &[Field], shape: &Shape) -> String {
    match shape.0.as_slice() {
        [] => "no atoms".to_owned(),
        runs if runs.len() > 4 => atoms(shape.count()),
        runs => {
            let parts: Vec<_> = runs.iter().map(|&(a, n)| run(fields, a, n)).collect();
            parts.join(", then ")
        }
    }
}

fn run(fields: &[Field], atom: Atom, count: u32) -> String {
    match atom.field() {
        Some(field) if count == 1 => format!("1 element of `{}`", field_name(fields, field)),
        Some(field) => format!("{count} elements of `{}`", field_name(fields, field)),
        None => format!("{} of {}", atoms(count), bits(atom.bits)),
    }
}

/// A description of one atom.
fn one(fields: &[Field], atom: Atom) -> String {
    match atom.field() {
        Some(field) => format!("an element of `{}`", field_name(fields, field)),
        None => format!("a word of {}", bits(atom.bits)),
    }
}

pub(crate) fn field_name(fields: &[Field], id: FieldId) -> &str {
    fields.get(id.0 as usize).map_or("", |field| &field.name)
}

/// Whether there are elements of fields among the atoms.
pub(crate) fn has_elements(shape: &Shape) -> bool {
    shape.0.iter().any(|(atom, _)| atom.field().is_some())
}

pub(crate) fn atoms(count: u32) -> String {
    if count == 1 { "1 atom".to_owned() } else { format!("{count} atoms") }
}

pub(crate) fn bits(count: u32) -> String {
    if count == 1 { "1 bit".to_owned() } else { format!("{count} bits") }
}

pub(crate) fn direction(slicing: Slicing) -> &'static str {
    match slicing {
        Slicing::Vertical => "vertical",
        Slicing::Horizontal => "horizontal",
        Slicing::Bitslice => "bitsliced",
        Slicing::Limbs(_) => "an element of a field",
    }
}

/// `times` copies of `shape`, one after the other.
pub(crate) fn repeated(shape: &Shape, times: u32) -> Shape {
    let mut all = Shape::default();
    match shape.0.as_slice() {
        [(atom, n)] => all.push(*atom, n * times),
        runs => (0..times).flat_map(|_| runs).for_each(|&(atom, n)| all.push(atom, n)),
    }
    all
}

pub(crate) fn append(shape: &mut Shape, more: &Shape) {
    for &(atom, n) in &more.0 {
        shape.push(atom, n);
    }
}

/// Cuts a shape into pieces from front to back.
pub(crate) struct Pieces<'s> {
    runs: &'s [(Atom, u32)],
    /// Number of atoms of the first run that have been taken.
    taken: u32,
}

impl<'s> Pieces<'s> {
    pub(crate) fn of(shape: &'s Shape) -> Self {
        Pieces { runs: &shape.0, taken: 0 }
    }

    /// Takes the next `count` atoms, or as many as there are.
    pub(crate) fn take(&mut self, mut count: u32) -> Shape {
        let mut piece = Shape::default();
        while let ([(atom, n), rest @ ..], 1..) = (self.runs, count) {
            let now = count.min(n - self.taken);
            piece.push(*atom, now);
            count -= now;
            self.taken += now;
            if self.taken == *n {
                self.runs = rest;
                self.taken = 0;
            }
        }
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(bits: u32) -> Atom {
        Atom { slicing: Slicing::Vertical, bits }
    }

    #[test]
    fn pieces_cross_runs() {
        let shape = Shape(vec![(atom(1), 3), (atom(8), 2)]);
        let mut pieces = Pieces::of(&shape);
        assert_eq!(pieces.take(2), Shape(vec![(atom(1), 2)]));
        assert_eq!(pieces.take(2), Shape(vec![(atom(1), 1), (atom(8), 1)]));
        assert_eq!(pieces.take(0), Shape::default());
        assert_eq!(pieces.take(9), Shape(vec![(atom(8), 1)]));
    }

    #[test]
    fn repeating_merges_equal_runs() {
        assert_eq!(repeated(&Shape::of(atom(1), 3), 2), Shape::of(atom(1), 6));
        let mixed = Shape(vec![(atom(1), 1), (atom(8), 1)]);
        assert_eq!(repeated(&mixed, 2).0.len(), 4);
        assert_eq!(repeated(&mixed, 0), Shape::default());
    }
}
