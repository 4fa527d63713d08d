//! Reads the arguments of a function from a line of text: `r: out 32, k: in 32, m: public n, n: length 0..3 -> public`.

use super::{Argument, Interface, Kind, MAX_BYTES, Returned};

/// Maximum number of choices of lengths; each takes a proof.
const MAX_CHOICES: usize = 4096;
const MAX_ARGUMENTS: usize = 32;

/// The reason why a text lists no arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);

/// An argument as the text writes it.
enum Written<'t> {
    Memory { size: &'t str, alignment: u64, is_written: bool, is_public: bool },
    Secret { bits: u32 },
    Length(Vec<u64>),
}

/// Reads arguments: one [`Interface`] for each choice of the public lengths.
///
/// # Errors
///
/// The first entry that is not understood.
pub fn read(text: &str) -> Result<Vec<Interface>, Unreadable> {
    let (text, result) = match text.split_once("->") {
        None => (text, Returned::Secret),
        Some((text, result)) => (text, returned(result)?),
    };
    let entries: Vec<&str> = text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
    if entries.len() > MAX_ARGUMENTS {
        return Err(Unreadable(format!("{} arguments are more than {MAX_ARGUMENTS}", entries.len())));
    }
    let mut written: Vec<(&str, Written)> = Vec::new();
    for entry in entries {
        let (name, argument) = self::entry(entry)?;
        if written.iter().any(|(other, _)| *other == name) {
            return Err(Unreadable(format!("two arguments are called `{name}`")));
        }
        written.push((name, argument));
    }
    let mut choices: Vec<Vec<(String, u64)>> = vec![Vec::new()];
    for (name, argument) in &written {
        let Written::Length(numbers) = argument else { continue };
        let with = |number: &u64, choice: &Vec<(String, u64)>| {
            let own = (String::from(*name), *number);
            choice.iter().cloned().chain([own]).collect()
        };
        choices = choices.iter().flat_map(|choice| numbers.iter().map(move |number| with(number, choice))).collect();
        if choices.len() > MAX_CHOICES {
            return Err(Unreadable(format!("the lengths have more than {MAX_CHOICES} choices")));
        }
    }
    let interface = |lengths| Ok(Interface { result, ..interface(&written, lengths)? });
    choices.into_iter().map(interface).collect()
}

fn interface(written: &[(&str, Written)], lengths: Vec<(String, u64)>) -> Result<Interface, Unreadable> {
    let mut arguments = Vec::new();
    for (name, argument) in written {
        let kind = match argument {
            &Written::Memory { size, alignment, is_written, is_public } => {
                Kind::Memory { bytes: self::size(size, &lengths)?, alignment, is_written, is_public }
            }
            Written::Secret { bits } => Kind::Secret { bits: *bits },
            Written::Length(_) => {
                Kind::Public(lengths.iter().find(|(own, _)| own == name).map_or(0, |(_, number)| *number))
            }
        };
        arguments.push(Argument { name: (*name).to_owned(), kind });
    }
    Ok(Interface { arguments, lengths, ..Interface::default() })
}

/// Reads what is said of the number that the function returns: `public`, or `public in 2 turns`.
fn returned(text: &str) -> Result<Returned, Unreadable> {
    let wrong =
        || Unreadable(format!("after `->` there may be `public` or `public in 2 turns`, not `{}`", text.trim()));
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["public"] => Ok(Returned::Public),
        ["public", "in", turns, "turns"] => {
            let turns = turns.parse().ok().filter(|turns| *turns > 0);
            turns.map(|turns| Returned::PublicIn { turns }).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

/// Reads one argument, `NAME: in SIZE`, say.
fn entry(text: &str) -> Result<(&str, Written<'_>), Unreadable> {
    let wrong = |what: &str| Unreadable(format!("`{text}`: {what}"));
    let (name, rest) = text.split_once(':').ok_or_else(|| wrong("an argument is `NAME: KIND ...`"))?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(wrong("a name is made of letters, digits and `_`"));
    }
    let mut words = rest.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let first = words.next();
    let more: Vec<&str> = words.collect();
    let written = match (kind, first, &more[..]) {
        ("in" | "out" | "inout" | "public", Some(size), rest) => {
            let alignment = match rest {
                [] => 1,
                ["align", number] => number
                    .parse()
                    .ok()
                    .filter(|n: &u64| n.is_power_of_two() && *n <= 4096)
                    .ok_or_else(|| wrong("an alignment is a power of two, up to 4096"))?,
                _ => return Err(wrong("after the size there may be `align BYTES`, and nothing else")),
            };
            let is_written = ["out", "inout"].contains(&kind);
            Written::Memory { size, alignment, is_written, is_public: kind == "public" }
        }
        ("secret", bits, []) => {
            let bits = bits.unwrap_or("64").parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits));
            Written::Secret { bits: bits.ok_or_else(|| wrong("a secret word has 8, 16, 32 or 64 bits"))? }
        }
        ("length", Some(numbers), []) => {
            Written::Length(self::numbers(numbers).ok_or_else(|| wrong("lengths are `16`, `0..3` or `0|16|64`"))?)
        }
        _ => {
            return Err(wrong(
                "expected `in SIZE`, `out SIZE`, `inout SIZE`, `public SIZE`, `secret BITS` or `length NUMBERS`",
            ));
        }
    };
    Ok((name, written))
}

/// The numbers of a list: `16`, `0..3` (with both ends), or several of these between `|`.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    for part in text.split('|') {
        let (first, last) = part.split_once("..").unwrap_or((part, part));
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        if first > last || last - first >= MAX_CHOICES as u64 || last > MAX_BYTES {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// The value of a size: a sum of numbers, lengths, and products of these, such as `16*n+4`.
fn size(text: &str, lengths: &[(String, u64)]) -> Result<u64, Unreadable> {
    let factor = |text: &str| {
        let named = lengths.iter().find(|(name, _)| name == text).map(|(_, number)| *number);
        named.or_else(|| text.parse().ok())
    };
    let product = |text: &str| {
        text.split('*').try_fold(1u64, |product, text| product.checked_mul(factor(text)?).filter(|&p| p <= MAX_BYTES))
    };
    let sum = text.split('+').try_fold(0u64, |sum, text| sum.checked_add(product(text)?));
    sum.filter(|&sum| sum <= MAX_BYTES).ok_or_else(|| {
        Unreadable(format!("`{text}` is no size: numbers and lengths with `+` and `*`, up to {MAX_BYTES} bytes"))
    })
}
