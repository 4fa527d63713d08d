//! Parameters and results of nodes as bytes, and what a node means on them.

use culet_meaning::Interpreter;
use culet_meaning::layout::byte_length;
use culet_meaning::packing::{ConcreteValue, bytes_to_values, values_to_bytes};
use culet_native::Extent;
use culet_types::program::{Node, Program, Var, VarId};

/// A parameter or result of an engine's node, as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    /// Of one instance, and of one element of a stream.
    pub bytes: usize,
    /// One value for all instances of a call.
    pub shared: bool,
    /// Any number of elements; one instance at a time.
    pub stream: bool,
    /// Of a result that is a stream, the parameter that has as many elements.
    pub source: Option<usize>,
}

impl Parameter {
    /// Whether it can have so many bytes.
    pub fn takes(&self, bytes: usize) -> bool {
        if self.stream { bytes.is_multiple_of(self.bytes.max(1)) } else { bytes == self.bytes }
    }
}

/// Beside streams, for the longest of which the count is the number of elements, parameters and results have the bytes of one
/// instance.
pub(crate) fn extent(parameter: &Parameter, has_stream: bool) -> Extent {
    if parameter.shared || has_stream && !parameter.stream {
        Extent { fixed: parameter.bytes, per_count: 0 }
    } else {
        Extent { fixed: 0, per_count: parameter.bytes }
    }
}

/// The parameters that are streams.
pub(crate) fn lengths(inputs: &[Parameter]) -> impl Iterator<Item = usize> {
    inputs.iter().enumerate().filter(|(_, parameter)| parameter.stream).map(|(place, _)| place)
}

pub(crate) fn has_stream(inputs: &[Parameter]) -> bool {
    inputs.iter().any(|parameter| parameter.stream)
}

pub(crate) fn parameters(node: &Node) -> (Vec<Parameter>, Vec<Parameter>) {
    let list = |ids: &[VarId]| {
        ids.iter()
            .map(|&id| {
                let Var { name, ty, shared, stream, .. } = node.var(id);
                let place = |source| node.params.iter().position(|&param| param == source);
                let source = node.source_of(id).and_then(place);
                let bytes = byte_length(ty) as usize;
                Parameter { name: name.clone(), bytes, shared: *shared, stream: *stream, source }
            })
            .collect()
    };
    (list(&node.params), list(&node.returns))
}

/// The results of the interpreter for some instances, whose bytes lie one after another.
pub(crate) fn interpret(
    program: &Program,
    parameters: &[Parameter],
    inputs: &[&[u8]],
    instances: usize,
) -> Vec<Vec<u8>> {
    let node = program.entry();
    let interpreter = Interpreter::new(program);
    let mut results = vec![Vec::new(); node.returns.len()];
    for instance in 0..instances {
        let values: Vec<Vec<ConcreteValue>> = parameters
            .iter()
            .zip(inputs)
            .zip(&node.params)
            .map(|((parameter, bytes), &id)| {
                let var = node.var(id);
                if parameter.stream {
                    return bytes.chunks(parameter.bytes).flat_map(|own| bytes_to_values(program, var, own)).collect();
                }
                let bytes =
                    if parameter.shared { bytes } else { &bytes[instance * parameter.bytes..][..parameter.bytes] };
                bytes_to_values(program, var, bytes)
            })
            .collect();
        let outputs = interpreter.compute(program.entry, &values);
        for ((result, values), &id) in results.iter_mut().zip(outputs).zip(&node.returns) {
            let var = node.var(id);
            for own in values.chunks(var.ty.atoms() as usize) {
                result.extend(values_to_bytes(program, var, own));
            }
        }
    }
    results
}
