//! Sums of two words of 64 bits and a carry, in an integer of 128 bits. Compilers should add with the carry flag. gcc
//! keeps the zeros above the words in memory unless a function of its own tells it of the flag.

use super::super::graph::Ty;
use super::super::syntax::{ATOM, Text};

/// The function's name.
pub(crate) const NAME: &str = "sum_64";

pub(crate) const DEFINITION: &str = "\
static inline wide sum_64(uint64_t a, uint64_t b, uint64_t carry)
{
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
    unsigned long long sum;
    const unsigned char over = __builtin_ia32_addcarryx_u64((unsigned char)carry, a, b, &sum);
    return (wide)over << 64 | sum;
#else
    return (wide)a + b + carry;
#endif
}
";

/// The sum of two words, or of such a sum and a carry; none for other operands.
pub(super) fn of_words(a: &Text, b: &Text) -> Option<Text> {
    let right = word(b)?;
    match (&a.addends, word(a)) {
        (Some(addends), _) if b.is_bit => Some(call(&addends[0], &addends[1], right)),
        (None, Some(left)) if b.is_bit => Some(call(left, "0", right)),
        (None, Some(left)) => {
            Some(Text { addends: Some(Box::new([left.to_owned(), right.to_owned()])), ..call(left, right, "0") })
        }
        _ => None,
    }
}

/// A word of 64 bits that is widened, or a constant.
fn word(a: &Text) -> Option<&str> {
    match &a.unconverted {
        Some((word, Ty::U64)) => Some(&word.text),
        _ => (a.is_literal && !a.text.contains(' ')).then_some(&a.text),
    }
}

fn call(a: &str, b: &str, carry: &str) -> Text {
    Text::new(format!("{NAME}({a}, {b}, {carry})"), ATOM)
}
