//! The text of types, declarations and constants.

use num_bigint::BigUint;

use crate::field::{Field, FieldKind, polynomial};
use crate::program::{Atom, ByteOrder, Shape, Slicing, Ty, Var};
use crate::shape::field_name;

/// `field fe = GF(0x…)`
pub(super) fn definition(field: &Field) -> String {
    let name = &field.name;
    match &field.kind {
        FieldKind::Prime(modulus) => format!("field {name} = GF({modulus:#x})"),
        FieldKind::Binary(modulus) => format!("field {name} = GF2({})", polynomial::text(modulus)),
    }
}

/// `x0 : u<V>8x4, x1 : fe`
pub(super) fn declarations(fields: &[Field], shape: &Shape, letter: char) -> String {
    let one = |(i, &(atom, count)): (usize, &(Atom, u32))| format!("{letter}{i} : {}", vector(fields, atom, count));
    shape.0.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

pub(super) fn declaration(fields: &[Field], var: &Var) -> String {
    let shared = if var.shared { "const " } else { "" };
    let public = if var.public { "pub " } else { "" };
    let bytes = match (var.bytes, var.ty.atom.field()) {
        (ByteOrder::Big, None) | (ByteOrder::Little, Some(_)) => "",
        (ByteOrder::Big, Some(_)) => "be ",
        (ByteOrder::Little, None) => "le ",
        (ByteOrder::Planes, _) => "planes ",
    };
    let ty = type_text(fields, &var.ty);
    let ty = match (var.stream, ty.find('[')) {
        (false, _) => ty,
        (true, None) => format!("{ty}[*]"),
        (true, Some(at)) => format!("{}[*]{}", &ty[..at], &ty[at..]),
    };
    format!("{} : {shared}{public}{bytes}{ty}", var.name)
}

/// `u<V>8`, `fe`
pub(super) fn element(fields: &[Field], atom: Atom) -> String {
    match atom.field() {
        Some(id) => field_name(fields, id).to_owned(),
        None => vector(fields, atom, 1),
    }
}

/// `u<V>8x4`, `fe<51>[4]`
fn vector(fields: &[Field], atom: Atom, count: u32) -> String {
    let direction = match atom.slicing {
        Slicing::Vertical => 'V',
        Slicing::Horizontal => 'H',
        Slicing::Bitslice => 'B',
        Slicing::Limbs(id) => {
            let name = field_name(fields, id);
            let pin = fields.get(id.0 as usize).and_then(|field| field.pin);
            let element = pin.map_or_else(|| name.to_owned(), |pin| format!("{name}<{pin}>"));
            return if count == 1 { element } else { format!("{element}[{count}]") };
        }
    };
    let word = format!("u<{direction}>{}", atom.bits);
    if count == 1 { word } else { format!("{word}x{count}") }
}

fn type_text(fields: &[Field], ty: &Ty) -> String {
    let (length, dims) = match ty.dims.as_slice() {
        [dims @ .., length] if *length > 1 && ty.atom.field().is_none() => (*length, dims),
        dims => (1, dims),
    };
    dims.iter().fold(vector(fields, ty.atom, length), |text, dim| format!("{text}[{dim}]"))
}

/// One typed literal for each word, or for each run of one-bit words.
pub(super) fn constants(values: &[u64], shape: &Shape) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = values;
    for &(atom, count) in &shape.0 {
        let (now, later) = rest.split_at(rest.len().min(count as usize));
        rest = later;
        if atom.bits == 1 && count > 1 {
            texts.push(format!("{} : {}", bits_literal(now), vector(&[], atom, count)));
        } else {
            texts.extend(now.iter().map(|value| format!("{value:#x} : {}", vector(&[], atom, 1))));
        }
    }
    texts
}

/// One typed literal for each element of a field.
pub(super) fn elements(fields: &[Field], values: &[BigUint], shape: &Shape) -> Vec<String> {
    let one = |(value, atom): (&BigUint, Atom)| {
        let name = atom.field().map_or("", |id| field_name(fields, id));
        format!("{value:#x} : {name}")
    };
    values.iter().zip(shape.atoms()).map(one).collect()
}

fn bits_literal(bits: &[u64]) -> String {
    let padding = (4 - bits.len() % 4) % 4;
    let padded: Vec<u64> = std::iter::repeat_n(0, padding).chain(bits.iter().copied()).collect();
    let digits: String = padded
        .chunks(4)
        .map(|d| char::from_digit(d.iter().fold(0, |n, &b| n << 1 | b as u32), 16).unwrap_or('0'))
        .collect();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { "0".to_owned() } else { format!("0x{digits}") }
}
