//! Functions on bytes, called on this CPU and compared with the interpreter. If a proof stops at bytes that are not
//! known to be right, such a call often shows that they are wrong.

use culet_image::Image;
use culet_native::replay::{Code, Passed, call};
use culet_prove::rejection::Given;
use culet_prove::run::Blocks;
use culet_prove::source::Specification;
use culet_prove::theorem::Rejection;
use culet_sbox::random::Random;
use culet_types::program::Program;

use crate::parameters::{Parameter, extent, interpret, parameters};

/// Lengths of the calls that are tried: a number of batches, and a number of blocks that is added.
const CALLS: [(usize, isize); 4] = [(0, 1), (1, 0), (1, 1), (3, -1)];

/// The results, then the parameters: the name of each, whether it is a result, and its size in bytes for this number of
/// blocks.
pub(crate) fn arguments(program: &Program, blocks: usize) -> Vec<(String, bool, usize)> {
    let (inputs, outputs) = parameters(program.entry());
    let results = outputs.into_iter().map(|parameter| (parameter, true));
    let all = results.chain(inputs.into_iter().map(|parameter| (parameter, false)));
    let bytes = |parameter: &Parameter| extent(parameter, false).bytes(blocks);
    all.map(|(parameter, is_result)| (format!("bytes of {}", parameter.name), is_result, bytes(&parameter))).collect()
}

/// Finds a call whose result is wrong; `None` if none is found, or the function cannot be run here.
pub(crate) fn refuted(image: &Image, symbol: &str, specification: &Specification, blocks: Blocks) -> Option<Rejection> {
    let function = image.function(symbol)?;
    let code = Code::with_library(image.parts(), image.externals(), function.address);
    let instances = specification.layout.instances() as usize;
    let mut random = Random::new(1);
    for (calls, more) in CALLS {
        let count = (calls * instances).checked_add_signed(more)?;
        if blocks == Blocks::Fixed && count != instances {
            continue;
        }
        let (names, held): (Vec<String>, Vec<Vec<u8>>) = arguments(specification.program, count)
            .into_iter()
            .map(|(name, is_result, bytes)| {
                (name, (0..bytes).map(|_| if is_result { 0 } else { random.below(256) as u8 }).collect())
            })
            .unzip();
        let mut passed: Vec<Passed> = held.iter().map(|bytes| Passed::Memory(bytes.clone())).collect();
        if blocks == Blocks::Any {
            passed.push(Passed::Word(count as u64));
        }
        let left = call(&code, &passed).ok()?.ok()?;
        if let Some(different) = different(specification.program, &names, (&held, &left.memory), blocks, count) {
            return Some(different);
        }
    }
    None
}

/// Finds the first byte that differs from the program's meaning.
fn different(
    program: &Program,
    names: &[String],
    (held, left): (&[Vec<u8>], &[Vec<u8>]),
    blocks: Blocks,
    count: usize,
) -> Option<Rejection> {
    let (inputs, outputs) = parameters(program.entry());
    let given: Vec<&[u8]> = held[outputs.len()..].iter().map(Vec::as_slice).collect();
    let expected = interpret(program, &inputs, &given, count);
    let (index, byte) = expected.iter().zip(left).enumerate().find_map(|(index, (expected, found))| {
        expected.iter().zip(found).position(|(a, b)| a != b).map(|byte| (index, byte))
    })?;
    let each = outputs[index].bytes.max(1);
    let mut given: Vec<(String, Given)> =
        names.iter().zip(held).map(|(name, bytes)| (name.clone(), Given::Memory(bytes.clone()))).collect();
    let values = given[outputs.len()..].iter().map(|(name, held)| (name.clone(), held.digits())).collect();
    if blocks == Blocks::Any {
        given.push(("number of blocks".to_owned(), Given::Word(count as u64)));
    }
    Some(Rejection::Different {
        result: index,
        byte: byte as u64,
        expected: expected[index].as_slice().into(),
        found: left[index].as_slice().into(),
        detail: format!("it is of block {} of {count}", byte / each),
        writer: None,
        values,
        given: given.into(),
    })
}
