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

pub(super) const LOOPED_MACRO: &str = "LOOPED";

/// The text before a function that runs again and again.
pub(super) const LOOPED: &str = "LOOPED ";

/// Compilers put functions with the attribute into sections that linkers put together. Few large machines need that, and a call between
/// sections of one file is one more thing that a linker must resolve.
const LOOPED_DEFINITION: &str = "\
/* Functions of loops stand together, for small caches of instructions. */
#if defined(__GNUC__) && defined(__ELF__) && __SIZEOF_POINTER__ == 4
#define LOOPED __attribute__((hot))
#else
#define LOOPED
#endif
";

/// The macros, if a text uses them.
pub(crate) fn definitions(text: &str) -> impl Iterator<Item = String> {
    let all = [(STORAGE, DEFINITION), (LOOPED, LOOPED_DEFINITION)];
    all.into_iter().filter(|(used, _)| text.contains(used)).map(|(_, definition)| definition.to_owned())
}
