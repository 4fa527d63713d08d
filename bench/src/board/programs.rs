//! Programs that call operations with given parameters and write what comes of them.

use std::fmt::Write as _;

/// One call of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub operation: &'static Operation,
    pub parameters: Vec<Vec<u8>>,
}

/// An operation of `bench/board/board.h`.
#[derive(Debug, PartialEq, Eq)]
pub struct Operation {
    pub name: &'static str,
    /// The name of its function.
    pub function: &'static str,
    /// A statement that writes the results to `out`; `pN` and `nN` are parameter N and its length.
    statement: &'static str,
    /// The number of results' bytes, but those of a message.
    results: usize,
    /// The place of the message among the parameters, if the results have its bytes, too.
    message: Option<usize>,
    /// The sizes of the parameters with which it is measured, in bytes.
    pub sizes: &'static [usize],
    /// The places of secrets of a fixed size among the parameters.
    pub secrets: &'static [usize],
}

const fn operation(
    name: &'static str,
    function: &'static str,
    statement: &'static str,
    results: usize,
    sizes: &'static [usize],
) -> Operation {
    Operation { name, function, statement, results, message: None, sizes, secrets: &[0] }
}

/// Bytes of the messages that are measured.
const M: usize = 256;

pub const OPERATIONS: [Operation; 11] = [
    operation("sign", "board_sign", "board_sign(out, p2, n2, p0, p1);", 64, &[32, 32, M]),
    Operation {
        secrets: &[],
        ..operation(
            "sign_open",
            "board_sign_open",
            "out[0] = (uint8_t)board_sign_open(p2, p1, n1, p0);",
            1,
            &[32, M, 64],
        )
    },
    operation("x25519", "board_x25519", "board_x25519(out, p0, p1);", 32, &[32, 32]),
    Operation {
        message: Some(3),
        ..operation(
            "box",
            "board_box",
            "memcpy(out + 16, p3, n3);\n    board_box(out, out + 16, n3, p2, p1, p0);",
            16,
            &[32, 32, 24, M],
        )
    },
    Operation {
        message: Some(2),
        ..operation(
            "secretbox",
            "board_secretbox",
            "memcpy(out + 16, p2, n2);\n    board_secretbox(out, out + 16, n2, p1, p0);",
            16,
            &[32, 24, M],
        )
    },
    Operation {
        message: Some(3),
        ..operation(
            "chacha20poly1305",
            "board_chacha20poly1305",
            "memcpy(out, p3, n3);\n    board_chacha20poly1305(out + n3, out, n3, p2, n2, p1, p0);",
            16,
            &[32, 12, 12, M],
        )
    },
    operation("sha512", "board_sha512", "board_sha512(out, p0, n0);", 64, &[M]),
    operation("sha256", "board_sha256", "board_sha256(out, p0, n0);", 32, &[M]),
    Operation {
        secrets: &[1, 2],
        ..operation(
            "p256_sign",
            "board_p256_sign",
            "out[64] = (uint8_t)board_p256_sign(out, p0, p1, p2);",
            65,
            &[32, 32, 32],
        )
    },
    Operation {
        secrets: &[],
        ..operation(
            "p256_verify",
            "board_p256_verify",
            "out[0] = (uint8_t)board_p256_verify(p2, p1, p0);",
            1,
            &[65, 32, 64],
        )
    },
    operation("public", "board_sign_public", "board_sign_public(out, p0);", 32, &[32]),
];

impl Call {
    /// The call that is measured: byte i of each parameter is i. A message that is opened has a signature of no meaning, which takes as long.
    pub fn measured(operation: &'static Operation) -> Self {
        let parameters = operation.sizes.iter().map(|&size| (0..size).map(|i| i as u8).collect()).collect();
        Self { operation, parameters }
    }

    /// The number of results' bytes.
    pub fn result_bytes(&self) -> usize {
        self.operation.results + self.operation.message.map_or(0, |place| self.parameters[place].len())
    }
}

/// The C of a program that makes calls one after the other, and writes the results of each in a line. Parameters are in RAM if they can be
/// changed before the program starts, otherwise constants.
pub fn text(calls: &[Call], are_variables: bool) -> String {
    let (declarations, statements) = parts(calls, are_variables);
    let write = |(statement, call): (&String, &Call)| {
        format!("    {statement}\n    write_hex(out, {});\n", call.result_bytes())
    };
    let body: String = statements.iter().zip(calls).map(write).collect();
    format!("{declarations}\nint main(void)\n{{\n{body}    return 0;\n}}\n")
}

/// The C of a program for a machine that counts: it makes one call, and writes what the call took, and its results.
pub fn counted(call: &Call) -> String {
    let (declarations, statements) = parts(std::slice::from_ref(call), true);
    // Statements before the last one copy a message to its place.
    let (before, counted) = statements[0].rsplit_once('\n').unwrap_or(("", &statements[0]));
    format!(
        "#include \"counts.h\"\n{declarations}\nstatic void call(void)\n{{\n    {}\n}}\n\nint main(void)\n{{\n    {before}\n    \
         write_counts(call);\n    write_hex(out, {});\n    return 0;\n}}\n",
        counted.trim_start(),
        call.result_bytes()
    )
}

/// The headers and variables of calls, and a statement for each.
fn parts(calls: &[Call], are_variables: bool) -> (String, Vec<String>) {
    let mut text = "#include \"board.h\"\n#include \"hash.h\"\n\n".to_owned();
    let kind = if are_variables { "uint8_t" } else { "static const uint8_t" };
    let longest = calls.iter().map(Call::result_bytes).max().unwrap_or(1);
    let mut statements = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let mut statement = call.operation.statement.to_owned();
        for (place, bytes) in call.parameters.iter().enumerate() {
            let digits: Vec<String> = bytes.iter().map(u8::to_string).collect();
            // C has no arrays without elements.
            let digits = if digits.is_empty() { "0".to_owned() } else { digits.join(", ") };
            let name = if calls.len() == 1 { format!("p{place}") } else { format!("p{place}_{number}") };
            let _ = writeln!(text, "{kind} {name}[] = {{ {digits} }};");
            statement = replace_word(&statement, &format!("p{place}"), &name);
            statement = replace_word(&statement, &format!("n{place}"), &bytes.len().to_string());
        }
        statements.push(statement);
    }
    let _ = write!(text, "\nstatic uint8_t out[{longest}];\n");
    (text, statements)
}

/// Replaces a name, but not as a part of other names.
fn replace_word(text: &str, name: &str, by: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_word = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        result += before;
        result += if is_word { by } else { name };
        rest = after;
    }
    result + rest
}
