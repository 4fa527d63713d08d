//! The pipeline as a library: from a path and [`Options`] to a program, its intermediate representation, C, and engines
//! that compute with it.
//!
//! Nothing here prints; source texts come through [`Reader`], compiled code through `culet-native`.

mod answers;
mod choices;
mod cipher;
mod engine;
mod inspect;
mod intermediate;
mod library;
mod load;
mod modes;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod mutation;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod on_bytes;
mod options;
mod pipeline;
mod primitive;
mod prove;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod replay;
mod sbox;
mod single;
mod words_proof;

pub use answers::{Mismatch, arrange, check_answer, check_mode_answer};
pub use cipher::{KeyedBlock, KeyedStream, Maker, expand_key, key_schedule};
pub use culet_emit::LANES;
pub use engine::{Engine, EngineError, Parameter};
pub use inspect::{check, dump, stages};
pub use library::{Library, LibraryFile, Refused, library};
pub use load::{DiskReader, Reader, Source, load, read_file, read_text, unreadable};
pub use modes::{BlockCipher, Direction, Mode, ModeError, Stream, apply};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use mutation::{Accepted, Mutation, MutationError, Trials, mutate_kernel};
pub use options::{DEFAULT_GRAIN, Interleave, Options, amount_name, parse_slicing, slicing_name};
pub use pipeline::{Compiled, Lowered, compile, elaborate, has_code, lower, node_signature, with_code};
pub use primitive::{Block, KnownAnswer, ModeAnswer, Primitive, PrimitiveError, StreamCipher, parse_hex, to_hex};
pub use prove::{FunctionProof, each_proof, functions, kind, prove_kernel, replayed};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use replay::{Replay, replay};
pub use sbox::{Progress as SboxProgress, keep_sbox, kept_sbox, sbox_cost, sbox_node, search_sbox};
pub use single::{Generated, Single, Words, carries, generate, words};
pub use words_proof::{prove_all_elements, prove_elements, prove_limbs};
