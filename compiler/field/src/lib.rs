//! Elements of fields as limbs: how words hold them, what each operation does with limbs, and where carries go.
//!
//! | file | contents |
//! |---|---|
//! | `primes` | elements of prime fields: limbs with room for carries, or full words in Montgomery's form; what is impossible |
//! | `interval` | intervals of integers |
//! | `machine` | numbers of one or two words with their bounds, written as word operations |
//! | `unsaturated`, `freeze` | operations on limbs, and the canonical form |
//! | `saturated` | full words; the part above the top folds back |
//! | `squares` | squares of numbers in full words |
//! | `montgomery` | arithmetic in Montgomery's form |
//! | `ifma` | limbs whose products are sums of 52 by 52 bits |
//! | `mont52` | limbs of 52 bits in Montgomery's form |
//! | `lanes` | the choice of one of these two for elements side by side; what is impossible |
//! | `side_by_side` | limbs of elements in vectors that multiply 32 bits by 32 |
//! | `binary` | polynomials over GF(2) in full words |
//! | `representation` | the operations that each of these has |
//! | `carries` | plans: where limbs are carried, and in which order |
//! | `expand` | functions on elements become functions on words, as a plan says; they meet with tight elements |
//! | `plan` | the search for a plan from which no carry can be taken away |
//! | `explain` | why each carry of a plan is there |
//! | `check` | the checker that gates code generation: it knows the word operations only |
//! | `chain` | inverses as powers |
//! | `constants` | operations on constants, and constants that are written out |
//! | `batch` | inverses that share one inversion |
//! | `inverse` | `finv` as a chain of squarings and multiplications |
//! | `arithmetic` | the functions of one field, and the bounds with which they fit together |
//! | `order` | operations on elements in an order in which they do not wait for one another |
//! | `products` | products as calls |
//! | `program` | whole programs, each function with a plan of its own |

pub mod arithmetic;
pub mod batch;
pub mod binary;
pub mod carries;
pub mod chain;
pub mod check;
pub mod constants;
pub mod expand;
pub mod explain;
mod freeze;
pub mod ifma;
pub mod interval;
pub mod inverse;
pub mod lanes;
pub mod machine;
pub mod mont52;
pub mod montgomery;
pub mod order;
pub mod plan;
pub mod primes;
pub mod products;
pub mod program;
pub mod representation;
pub mod saturated;
mod several;
pub mod side_by_side;
mod squares;
pub mod unsaturated;
