//! Functions that stay functions: their callers have calls, so that the machine code is as small as the text.

pub(super) const MACRO: &str = "KEPT";

/// The text before the type of such a function.
pub(super) const STORAGE: &str = "KEPT static ";

const DEFINITION: &str = "\
/* A call of a function stays a call: small code is wanted. */
#if defined(__GNUC__)
#define KEPT __attribute__((noinline))
#else
#define KEPT
#endif
";

/// The macro, if a text uses it.
pub(crate) fn definition(text: &str) -> Option<String> {
    text.contains(STORAGE).then(|| DEFINITION.to_owned())
}
