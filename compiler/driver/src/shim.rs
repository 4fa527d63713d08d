//! The C around a kernel that gives it the interface which `culet-native` calls.

use culet_emit::{Interface, SingleOutput};

/// The name of the function in [`file`].
pub(crate) const SYMBOL: &str = "culet_shim";

/// Bytes of the length of a stream, as shims take them.
pub(crate) const LENGTH: usize = 8;

/// A C file whose one function spreads pointers over the parameters of a kernel, which `header_name` declares.
pub(crate) fn file(header_name: &str, call: &str) -> String {
    let shim = function(call);
    format!("#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n#include \"{header_name}\"\n{shim}")
}

/// The statement that calls a kernel on slices with the pointers of `outputs` and `inputs` and the number `count`.
pub(crate) fn call_on_slices(interface: &Interface) -> String {
    let mut places = Places::default();
    let arguments: Vec<String> = interface.arguments.iter().map(|argument| places.next(argument.is_result)).collect();
    format!("    {}({}, count);", interface.run, arguments.join(", "))
}

/// The statement that calls a function on words likewise: once for each instance or batch of them, or once for all of a stream.
pub(crate) fn call_on_words(c: &SingleOutput) -> String {
    let has_stream = c.arguments.iter().any(|argument| argument.is_stream);
    let inputs = c.arguments.iter().filter(|argument| !argument.is_result).count();
    let mut places = Places::default();
    let mut streams = 0;
    let mut arguments = Vec::new();
    for argument in &c.arguments {
        let place = places.next(argument.is_result);
        arguments.push(match has_stream || argument.is_shared {
            true => place,
            false => format!("{place} + i * {}", argument.bytes),
        });
        if argument.is_stream && !argument.is_result {
            arguments.push(format!("culet_length(inputs[{inputs}] + {})", streams * LENGTH));
            streams += 1;
        }
    }
    let call = format!("{}({});", c.function, arguments.join(", "));
    match c.instances {
        _ if has_stream => format!("    (void)count;\n    {call}"),
        1 => format!("    for (size_t i = 0; i < count; i++)\n        {call}"),
        instances => in_batches(c, instances, &call),
    }
}

/// Where the pointers of arguments stand that follow one another.
#[derive(Default)]
struct Places {
    results: usize,
    parameters: usize,
}

impl Places {
    fn next(&mut self, is_result: bool) -> String {
        let (array, index) = if is_result { ("outputs", &mut self.results) } else { ("inputs", &mut self.parameters) };
        *index += 1;
        format!("{array}[{}]", *index - 1)
    }
}

/// Calls for whole batches, and one for the instances that remain, on copies that are long enough.
fn in_batches(c: &SingleOutput, instances: u32, call: &str) -> String {
    let mut places = Places::default();
    let (mut before, mut after, mut arguments) = (String::new(), String::new(), Vec::new());
    for (number, argument) in c.arguments.iter().enumerate() {
        let (name, bytes) = (format!("rest{number}"), argument.bytes);
        let place = places.next(argument.is_result);
        if argument.is_shared {
            arguments.push(place);
            continue;
        }
        let copied = format!("(count - i) * {bytes}");
        before.push_str(&format!("    uint8_t {name}[{}] = {{ 0 }};\n", u64::from(instances) * bytes));
        match argument.is_result {
            true => after.push_str(&format!("    memcpy({place} + i * {bytes}, {name}, {copied});\n")),
            false => before.push_str(&format!("    memcpy({name}, {place} + i * {bytes}, {copied});\n")),
        }
        arguments.push(name);
    }
    let rest = format!("{}({});", c.function, arguments.join(", "));
    format!(
        "    size_t i = 0;\n    for (; i + {instances} <= count; i += {instances})\n        {call}\n    \
         if (i == count)\n        return;\n{before}    {rest}\n{after}"
    )
}

/// The C function that spreads the pointers over the parameters of a kernel.
fn function(call: &str) -> String {
    let length = match call.contains("culet_length(") {
        true => {
            "static size_t culet_length(const uint8_t *bytes) {\n    size_t length = 0;\n    for (size_t i = sizeof length; i-- > 0;)\n        \
             length = length << 8 | bytes[i];\n    return length;\n}\n"
        }
        false => "",
    };
    format!(
        "{length}void culet_shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count);\n\
         void culet_shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count) {{\n{call}\n}}\n"
    )
}
