//! The pipeline as a library: from a path and [`Options`] to a program, its intermediate representation, C, and engines
//! that compute with it.
//!
//! Nothing here prints. Source texts come through [`Reader`], compiled code through `culet-native`.

mod answers;
mod choices;
mod cipher;
mod cipher_files;
mod description;
mod engine;
mod fiat;
mod inspect;
mod instructions;
mod intermediate;
mod kernel;
mod library;
mod linked;
mod load;
mod modes;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod mutation;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod on_bytes;
mod options;
mod parameters;
mod primitive;
mod program;
mod prove;
mod reasons;
mod refusal;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod replay;
mod route;
mod sbox;
mod shim;
mod single;
mod sliced;
mod together;
mod trial;
mod words_proof;

pub use answers::{Mismatch, arrange, check_answer, check_mode_answer};
pub use cipher::{KeySchedule, KeyedBlock, KeyedStream, Maker};
pub use cipher_files::{CipherRequest, compile_cipher};
pub use culet_emit::{CipherFiles, Interface, LANES, is_rust_keyword};
pub use culet_lower::one_instance;
pub use description::{Places, check_description, wrong_slicing};
pub use engine::{Engine, EngineError};
pub use fiat::{FiatFunction, fiat_contracts};
pub use inspect::{carries, check, dump, stages};
pub use kernel::{Kernel, computes_one_instance, has_code, lower, with_code};
pub use library::{Library, LibraryFile, Purpose, Refused, library};
pub use linked::Lengths;
pub use load::{DiskReader, Reader, Source, load, read_file, read_text, unreadable};
pub use modes::{BlockCipher, Direction, Mode, ModeError, Stream, apply};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use mutation::{Accepted, Mutation, MutationError, Trials};
pub use options::{DEFAULT_GRAIN, Interleave, Options, amount_name, is_c_header, parse_slicing, slicing_name};
pub use parameters::Parameter;
pub use primitive::{
    Block, KnownAnswer, ModeAnswer, NoDescription, Primitive, PrimitiveError, StreamCipher, parse_hex, to_hex,
};
pub use program::{elaborate, node_signature, other_nodes};
pub use prove::{FunctionProof, replayed};
pub use refusal::{diagnostic, kind, unequal_diagnostic};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use replay::{Replay, replay};
pub use sbox::{Progress as SboxProgress, keep_sbox, kept_sbox, sbox_cost, sbox_node, search_sbox};
pub use single::{Words, words};
pub use together::Together;
pub use words_proof::{prove_all_elements, prove_elements, prove_limbs};
