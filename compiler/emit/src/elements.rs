//! H atoms: constants and permutations of the elements of a register's parts.

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::isa::LaneOp;
use crate::language::Language;
use crate::machine::Machine;
use crate::words::byte_control;

/// A register whose elements are all ones where `bits` is 1, in every part.
pub(crate) fn constant(machine: &Machine, bits: &[u64]) -> String {
    let part = machine.part_bits();
    let element = (part as usize / bits.len()).max(1);
    let ones = u128::MAX >> (128 - element);
    let word =
        bits.iter().enumerate().fold(0u128, |word, (i, bit)| word | if *bit == 1 { ones << (i * element) } else { 0 });
    if machine.is_vector() {
        machine.splat_part(word as u64, (word >> 64) as u64)
    } else {
        machine.language.literal(machine.register_bits, word as u64)
    }
}

/// Element `i` of the result is element `pattern[i]` of `a`, or zero, in every part. `a` is evaluated once.
pub(crate) fn permute(machine: &Machine, helpers: &mut Helpers, pattern: &[Option<u8>], a: &Expr) -> Expr {
    let identity = pattern.iter().enumerate().all(|(i, from)| *from == Some(i as u8));
    if identity {
        return a.clone();
    }
    if pattern.iter().all(Option::is_none) {
        return Expr::primary(machine.zero());
    }
    if !machine.is_vector() {
        return by_distance(machine, helpers, pattern, a);
    }
    if let Some(selector) = quarters(pattern)
        && let Some(shuffled) = machine.lanes(helpers, LaneOp::Quarters(selector), 32, &[a])
    {
        return shuffled;
    }
    if pattern.len() <= 16 {
        let bytes = 16 / pattern.len();
        let control = byte_control(machine, |i| pattern[i / bytes].map(|from| from * bytes as u8 + (i % bytes) as u8));
        let shuffled = shuffle(machine, helpers, "a", control);
        let (t, body) = (machine.register(), format!("    {}\n", machine.language.result(&shuffled)));
        return Expr::call(&helpers.numbered(t, "permute", &[(t, "a")], &body), &[a]);
    }
    by_nibbles(machine, helpers, pattern, a)
}

fn shuffle(machine: &Machine, helpers: &mut Helpers, a: &str, control: String) -> String {
    let args = [&Expr::primary(a), &Expr::primary(control)];
    machine.lanes(helpers, LaneOp::Shuffle, 8, &args).expect("every machine shuffles bytes").text
}

/// Shifts 16-bit lanes; for elements that a shift does not carry out of their bytes.
fn shifted_16(machine: &Machine, helpers: &mut Helpers, shift: LaneOp, a: &str) -> String {
    machine.lanes(helpers, shift, 16, &[&Expr::primary(a)]).expect("every machine shifts 16-bit lanes").text
}

/// The selector of a shuffle of 32-bit quarters, if the pattern is one.
fn quarters(pattern: &[Option<u8>]) -> Option<u8> {
    let mut selector = 0;
    // In units of 1/32 of a part, so that whole quarters can be recognised.
    let source = |i: usize| {
        let at = i * pattern.len();
        pattern[at / 32].map(|from| usize::from(from) * 32 / pattern.len() + i % (32 / pattern.len()))
    };
    if pattern.len() > 32 {
        return None;
    }
    for quarter in 0..4 {
        let first = source(quarter * 8)?;
        if !first.is_multiple_of(8) || (1..8).any(|i| source(quarter * 8 + i) != Some(first + i)) {
            return None;
        }
        selector |= ((first / 8) as u8) << (2 * quarter);
    }
    Some(selector)
}

/// Permutes elements in a plain word: elements that move equally far move together.
fn by_distance(machine: &Machine, helpers: &mut Helpers, pattern: &[Option<u8>], a: &Expr) -> Expr {
    let bits = machine.register_bits;
    let element = bits / pattern.len() as u32;
    let ones = u64::MAX >> (64 - element);
    // For each rotation to the left: the elements of the result that it brings, straight and wrapped around.
    let mut groups: Vec<(u32, u64, u64)> = Vec::new();
    for (to, from) in pattern.iter().enumerate().filter_map(|(to, from)| from.map(|from| (to as u32, u32::from(from))))
    {
        let distance = (to + pattern.len() as u32 - from) % pattern.len() as u32 * element;
        let mask = ones << (to * element);
        let (straight, wrapped) = if to >= from { (mask, 0) } else { (0, mask) };
        match groups.iter_mut().find(|group| group.0 == distance) {
            Some(group) => *group = (distance, group.1 | straight, group.2 | wrapped),
            None => groups.push((distance, straight, wrapped)),
        }
    }
    let all = u64::MAX >> (64 - bits);
    let t = machine.register();
    let terms: Vec<String> = groups
        .iter()
        .map(|&(distance, straight, wrapped)| {
            let (moved, arriving) = match (distance, straight, wrapped) {
                (0, ..) => ("a".to_owned(), all),
                (d, _, 0) => (format!("(a << {d})"), all << d & all),
                (d, 0, _) => (format!("(a >> {})", bits - d), all >> (bits - d)),
                (d, ..) => (format!("((a << {d}) | (a >> {}))", bits - d), all),
            };
            let mask = straight | wrapped;
            if mask == arriving { moved } else { format!("({moved} & {})", machine.language.literal(bits, mask)) }
        })
        .collect();
    let cast = if bits < 32 { format!("({t})") } else { String::new() };
    let body = match (machine.language, &terms[..]) {
        (Language::C, _) => format!("    return {cast}({});\n", terms.join("\n        | ")),
        (Language::Rust, [one]) => {
            format!("    {}\n", one.strip_prefix('(').and_then(|one| one.strip_suffix(')')).unwrap_or(one))
        }
        (Language::Rust, _) => format!("    {}\n", terms.join("\n        | ")),
    };
    let name = helpers.numbered(t, "permute", &[(t, "a")], &body);
    Expr::call(&name, &[a])
}

/// Elements of 4, 2 or 1 bits in a vector register: each position within the bytes goes to each other one by a shuffle
/// of bytes.
fn by_nibbles(machine: &Machine, helpers: &mut Helpers, pattern: &[Option<u8>], a: &Expr) -> Expr {
    let element = 128 / pattern.len();
    let a_byte = 8 / element;
    let t = machine.register();
    let mut body = String::new();
    let mut terms = Vec::new();
    let ones = (1u64 << element) - 1;
    for from in 0..a_byte {
        let shift = from * element;
        let shifted = match shift {
            0 => "a".to_owned(),
            _ => shifted_16(machine, helpers, LaneOp::Shr(shift as u32), "a"),
        };
        let mut used = false;
        for to in 0..a_byte {
            let source = |byte: usize| {
                pattern[byte * a_byte + to].filter(|e| usize::from(*e) % a_byte == from).map(|e| e / a_byte as u8)
            };
            if (0..16).all(|byte| source(byte).is_none()) {
                continue;
            }
            used = true;
            let moved = shuffle(machine, helpers, &format!("x{from}"), byte_control(machine, source));
            terms.push(match to * element {
                0 => moved,
                k => shifted_16(machine, helpers, LaneOp::Shl(k as u32), &moved),
            });
        }
        if used {
            let masked = machine.binary(&Expr::primary(shifted), "&", &Expr::primary(machine.splat(8, ones)));
            body.push_str(&format!("    {}\n", machine.language.define(t, &format!("x{from}"), &masked.text)));
        }
    }
    let sum = match machine.language {
        Language::C => terms.join("\n        | "),
        Language::Rust => {
            let terms = terms.into_iter().map(Expr::primary);
            terms.reduce(|sum, term| machine.binary(&sum, "|", &term)).map_or_else(|| machine.zero(), |sum| sum.text)
        }
    };
    body.push_str(&format!("    {}\n", machine.language.result(&sum)));
    let name = helpers.numbered(t, "permute", &[(t, "a")], &body);
    Expr::call(&name, &[a])
}
