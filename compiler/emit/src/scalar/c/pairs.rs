//! Registers of two words, which hold products without carries: vectors of GNU C, and the one instruction of each
//! target.

use culet_ir::Target;
use culet_types::program::Family;

use super::shapes::header;
use crate::isa::rounds::{PAIR, flags, required};
use crate::isa::steps::Steps;

pub(crate) const REGISTER: &str = PAIR;

/// Name of the function that multiplies two words.
pub(crate) const PRODUCT: &str = "clmul";

const X86: &str = "\
#include <immintrin.h>

typedef uint64_t pair __attribute__((vector_size(16)));

static inline pair clmul(uint64_t a, uint64_t b)
{
    return (pair)@clmul(@of_first_word((long long)a), @of_first_word((long long)b), 0);
}

";

const NEON: &str = "\
#include <arm_neon.h>

typedef uint64_t pair __attribute__((vector_size(16)));

static inline pair clmul(uint64_t a, uint64_t b)
{
    return (pair)@cast_u64_p128(@clmul((poly64_t)a, (poly64_t)b));
}

";

const VSX: &str = "\
#include <altivec.h>
#undef vector
#undef bool
#undef pixel

typedef uint64_t pair __attribute__((vector_size(16)));

/* The sum of the products of both words, of which the upper ones are zero here. */
static inline pair clmul(uint64_t a, uint64_t b)
{
    return (pair)@clmul((__vector unsigned long long){ a, 0 }, (__vector unsigned long long){ b, 0 });
}

";

/// The headers and the type of a target.
pub(crate) fn register(target: Target) -> String {
    format!("{}typedef uint64_t pair __attribute__((vector_size(16)));\n\n", header(target))
}

/// The headers, the type and the function of a target, and an error that names a missing flag.
pub(crate) fn definitions(target: Target) -> String {
    let definitions = match target {
        Target::Neon => NEON,
        Target::Vsx => VSX,
        Target::C32 | Target::C64 | Target::Sse | Target::SseSha => return String::new(),
        _ => X86,
    };
    required(&flags(target, &[Family::Products], false)) + &Steps::of(target, 128).fill(definitions, 64)
}
