//! Contracts from what fiat-crypto writes above each function of a C file: its postconditions, and the bounds of limbs.
//!
//! The comment at the head of such a file has the modulus (`m = … (from "…")` or `s-c = … (from "…")`) and the weights
//! of limbs (`eval z = z[0] + (z[1] << 51) + …`); the comment above a type has the bounds of its limbs.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A function, with the text of its contract, or the reason why it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiatFunction {
    pub symbol: String,
    pub contract: Result<String, String>,
}

/// The functions of a file that fiat-crypto made, in its order; none where there are no such comments.
pub fn fiat_contracts(text: &str) -> Vec<FiatFunction> {
    let head = Head::of(text);
    let mut found = Vec::new();
    for (start, _) in text.match_indices(NAMED) {
        let Some((comment, after)) = text[start + NAMED.len()..].split_once("*/") else { break };
        let (Some(symbol), Some(end)) = (comment.split_whitespace().next(), after.find(['{', ';'])) else { continue };
        let contract = Said::of(comment).contract(symbol, &after[..end], &head);
        found.push(FiatFunction { symbol: symbol.to_owned(), contract });
    }
    found
}

const NAMED: &str = "* The function ";
const MONTGOMERY: &str = "from_montgomery ";

/// The modulus, the limbs and the types that the comments of a file define.
#[derive(Default)]
struct Head {
    modulus: Option<String>,
    /// The weights of limbs, as powers of 2.
    positions: Vec<u32>,
    /// Array types, with the bits of a word and the bound of each limb.
    types: BTreeMap<String, (u32, Vec<u64>)>,
}

impl Head {
    fn of(text: &str) -> Head {
        let mut head = Head::default();
        let mut bounds = Vec::new();
        for line in text.lines() {
            let said = line.trim().trim_start_matches("/*").trim_end_matches("*/").trim();
            if said.starts_with("m = ") || said.starts_with("s-c = ") {
                head.modulus =
                    said.split_once("(from \"").and_then(|(_, from)| Some(from.split_once('"')?.0.to_owned()));
            } else if let Some(sum) = said.strip_prefix("eval z = ") {
                let weight = |term: &str| term.split_once("<< ").map_or(Some(0), |(_, weight)| number(weight));
                head.positions = sum.split(" + ").filter_map(weight).map(|weight| weight as u32).collect();
            } else if let Some(said) = said.strip_prefix("Bounds: ") {
                bounds = numbers(said);
            } else if let Some((word, rest)) = said.strip_prefix("typedef ").and_then(|said| said.split_once(' '))
                && let (Some(bits), Some((name, _))) = (bits(word), rest.split_once('['))
            {
                head.types.insert(name.to_owned(), (bits, std::mem::take(&mut bounds)));
            }
        }
        head
    }
}

/// The postconditions and bounds in the comment above a function.
#[derive(Default)]
struct Said {
    postconditions: Vec<String>,
    /// Numbers that are below the modulus, before or after the call.
    reduced: Vec<String>,
    /// The bound of each limb, by the argument's name.
    bounds: BTreeMap<String, Vec<u64>>,
}

impl Said {
    fn of(comment: &str) -> Said {
        let mut said = Said::default();
        let mut is_after = false;
        for line in comment.lines().map(|line| line.trim().trim_start_matches('*').trim()) {
            let reduced = line.strip_prefix("0 ≤ eval ").and_then(|line| line.strip_suffix(" < m"));
            if line.ends_with("conditions:") || line.ends_with("Bounds:") {
                is_after = line == "Postconditions:";
            } else if let Some(name) = reduced {
                said.reduced.push(name.to_owned());
            } else if let Some((name, bounds)) = line.split_once(": [") {
                said.bounds.insert(name.to_owned(), numbers(bounds));
            } else if is_after && !line.is_empty() {
                said.postconditions.push(line.to_owned());
            }
        }
        said
    }

    fn contract(&self, symbol: &str, prototype: &str, head: &Head) -> Result<String, String> {
        let (_, parameters) = prototype.split_once('(').ok_or("it has no parameters")?;
        let parameters = parameters.trim().trim_end_matches(')');
        let (mut equation, mut is_reduced) = (self.equation()?, false);
        // The bytes of a reduced number are said byte by byte.
        if equation.is_empty() {
            (equation, is_reduced) = ("out1 = arg1 mod m".to_owned(), true);
        }
        let mut text = format!("symbol = \"{symbol}\"\nequation = \"{equation}\"\n");
        if equation.contains('m') {
            let modulus = head.modulus.as_ref().ok_or("the head of the file does not say the modulus")?;
            let _ = writeln!(text, "\n[constants]\nm = \"{modulus}\"");
        }
        if equation.contains('R') {
            let word = head.positions.get(1).copied().unwrap_or(64);
            let _ = writeln!(text, "R = \"2^{}\"", word as usize * head.positions.len());
        }
        for parameter in parameters.split(',') {
            let argument = self.argument(parameter, head, is_reduced)?;
            let _ = write!(text, "\n[[argument]]\n{argument}");
        }
        Ok(text)
    }

    /// The entries of an argument in a contract.
    fn argument(&self, parameter: &str, head: &Head, is_reduced: bool) -> Result<String, String> {
        let parameter = parameter.replace('*', " * ");
        let words: Vec<&str> = parameter.split_whitespace().filter(|&word| word != "const").collect();
        let [ty, .., name] = words[..] else { return Err(format!("the parameter `{parameter}` is not understood")) };
        let (name, length) = name.split_once('[').map_or((name, None), |(name, length)| (name, number(length)));
        let is_pointer = length.is_some() || words.contains(&"*") || head.types.contains_key(ty);
        let known = head.types.get(ty);
        let bits = known.map(|(bits, _)| *bits).or_else(|| bits(ty)).ok_or(format!("the type `{ty}` is not known"))?;
        let typed = || known.map(|(_, bounds)| bounds.clone());
        let bounds = self.bounds.get(name).cloned().or_else(typed).ok_or(format!("`{name}` has no bounds"))?;
        let direction = match (is_pointer, name.starts_with("out")) {
            (true, true) => "out",
            (true, false) => "in",
            (false, _) => "value",
        };
        let mut text = format!("name = \"{name}\"\ndirection = \"{direction}\"\nbits = {bits}\n");
        if bounds.len() > 1 {
            let _ = writeln!(text, "limbs = {}", bounds.len());
            let _ = match (bits, bounds.len() == head.positions.len()) {
                (8, _) => writeln!(text, "radix = 8"),
                (_, true) => writeln!(text, "positions = {:?}", head.positions),
                (_, false) => return Err(format!("the weights of the limbs of `{name}` are not known")),
            };
        }
        let below: Vec<String> = bounds.iter().map(|&bound| format!("\"{}\"", u128::from(bound) + 1)).collect();
        let _ = match &below[..] {
            [one] => writeln!(text, "below = {one}"),
            all => writeln!(text, "below = [{}]", all.join(", ")),
        };
        if self.reduced.iter().any(|reduced| reduced == name) || is_reduced && direction == "out" {
            text.push_str("value_below = \"m\"\n");
        }
        Ok(text)
    }

    /// The equation that the postconditions are; an empty one for the bytes of a reduced number.
    fn equation(&self) -> Result<String, String> {
        match &self.postconditions[..] {
            [one] if one.starts_with("out1 = map") && one.contains("(eval arg1 mod m)") => Some(String::new()),
            [one] => one_equation(one),
            [low, high] => carried(low, high),
            _ => None,
        }
        .ok_or_else(|| format!("no equation says this: {}", self.postconditions.join("; ")))
    }
}

/// An equation between numbers, modulo `m` or not. The Montgomery form `x` of a number stands for `x` divided by R.
fn one_equation(said: &str) -> Option<String> {
    let (left, right) = said.split_once(" = ")?;
    if let Some(choice) = right.strip_prefix("(if arg1 = 0 then arg2 else arg3)") {
        return choice.is_empty().then(|| format!("{left} = arg2 + arg1 * (arg3 - arg2)"));
    }
    if !left.starts_with("eval ") {
        return is_plain(right).then(|| format!("{left} = {right}"));
    }
    let (left, right) = (left.strip_suffix(" mod m")?, right.strip_suffix(" mod m")?);
    let right = right.strip_prefix('(').and_then(|right| right.strip_suffix(')')).unwrap_or(right);
    let operand = |text: &str| text.replace("bytes_eval ", "").replace("eval ", "");
    // A factor that undoes Montgomery's form: `((2^64)⁻¹ mod m)^4`.
    if let Some((number, factor)) = right.split_once(" * ((2^")
        && factor.contains("⁻¹ mod m)^")
    {
        return Some(format!("{} * R = {} mod m", operand(left), operand(number)));
    }
    let plain = |text: &str| operand(text).replace(&format!("({MONTGOMERY}"), "").replace(')', "");
    let equation = match (left.contains(MONTGOMERY), right.matches(MONTGOMERY).count()) {
        (false, 0) => format!("{} = {}", operand(left), negated(&operand(right))),
        (true, 0) if right == "1" => format!("{} = R", plain(left)),
        (true, 0) => format!("{} = {} * R", plain(left), operand(right)),
        (true, 2) if right.contains(" * ") => format!("{} * R = {}", plain(left), plain(right)),
        (true, _) if !right.contains(" * ") => format!("{} = {}", plain(left), negated(&plain(right))),
        _ => return None,
    };
    let names = equation.replace('R', "");
    is_plain(&names).then(|| format!("{equation} mod m"))
}

/// The equation of two words, of which the second is what does not fit into the first.
fn carried(low: &str, high: &str) -> Option<String> {
    let (sum, modulus) = low.strip_prefix("out1 = ")?.rsplit_once(" mod ")?;
    let sum = sum.strip_prefix('(').and_then(|sum| sum.strip_suffix(')')).unwrap_or(sum);
    let high = high.strip_prefix("out2 = ")?;
    let (sign, high) = high.strip_prefix('-').map_or(("+", high), |high| ("-", high));
    let is_rest = high.starts_with('⌊') && high.contains(sum) && high.ends_with(&format!("/ {modulus}⌋"));
    (is_rest && is_plain(sum)).then(|| format!("out1 {sign} {modulus} * out2 = {}", negated(sum)))
}

/// A sum whose first summand may have a sign, as contracts write it.
fn negated(sum: &str) -> String {
    let sum = sum.replace("+ -", "- ");
    sum.strip_prefix('-').map_or(sum.clone(), |rest| format!("0 - {rest}"))
}

/// Whether a formula has names, numbers and the operators of contracts only.
fn is_plain(formula: &str) -> bool {
    let is_word = |word: &str| {
        word.is_empty() || word.parse::<u64>().is_ok() || word.starts_with("arg") || word.starts_with("out")
    };
    formula.is_ascii()
        && formula.split(|c: char| !c.is_ascii_alphanumeric()).all(is_word)
        && !formula.contains(['<', '>'])
}

/// The bits of a word's type.
fn bits(ty: &str) -> Option<u32> {
    let named = |name: &str| ty == name || ty.ends_with(&format!("_{name}"));
    match ty {
        "uint8_t" => Some(8),
        "uint16_t" => Some(16),
        "uint32_t" => Some(32),
        "uint64_t" => Some(64),
        _ if named("uint1") => Some(8),
        _ => None,
    }
}

/// The number that a text begins with.
fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The upper bounds in a list of ranges such as `[0x0 ~> 0x1], [0x0 ~> 0xff]`.
fn numbers(ranges: &str) -> Vec<u64> {
    let bound = |part: &str| {
        let digits = part.trim().trim_start_matches("0x");
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        u64::from_str_radix(&digits[..end], 16).ok()
    };
    ranges.split("~>").skip(1).filter_map(bound).collect()
}
