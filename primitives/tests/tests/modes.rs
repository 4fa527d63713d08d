//! Published known answers of modes of operation, by the interpreter and compiled to C for one target.

use std::collections::HashMap;

use culet_driver::{Engine, Maker, Options, parse_hex, to_hex};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_primitives_tests::modes::{self, Computes, Message, Mode};
use culet_primitives_tests::shelf::{messages, named, rows};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let compiler = CCompiler::find(None).ok();
    let mut trials = Vec::new();
    for mode in modes::all() {
        let name = format!("{}/{}", mode.primitive, mode.name);
        trials.push(Trial::test(format!("{name}/interpreter"), || run(mode, &Maker::Interpreter)));
        if let Some(compiler) = compiler.clone() {
            let maker = Maker::Compiler { compiler, flags: vec!["-O1".into()] };
            trials.push(Trial::test(format!("{name}/c64"), move || run(mode, &maker)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Checks all answers of a mode, with its nodes compiled in the first slicing of their description.
fn run(mode: &Mode, maker: &Maker) -> Result<(), Failed> {
    let entry = named(mode.primitive);
    let (slicing, word) = entry.primitive.slicings()[0];
    let mut engines: HashMap<&str, Engine> = HashMap::new();
    for &node in mode.nodes {
        let options = Options { node: Some(node.into()), slicing: Some(slicing), word, ..Options::new(Target::C64) };
        let engine = maker.engine(&entry.source, &options).map_err(|d| format!("{node}: {}", messages(&d)))?;
        engines.insert(node, engine);
    }
    let call = |node: &str, inputs: &[&[u8]]| engines[node].run(inputs, 1).remove(0);

    let rows = rows(mode.vectors);
    if rows.is_empty() {
        return Err("no vectors".into());
    }
    for row in rows {
        let bytes = row[1..].iter().map(|word| parse_hex(word)).collect::<Result<Vec<_>, _>>()?;
        let (found, expected) = match (&mode.computes, &bytes[..]) {
            (Computes::Aead(encrypt), [key, nonce, associated, plain, cipher @ ..]) => {
                (encrypt(&call, &Message { key, nonce, associated, plain }), cipher.concat())
            }
            (Computes::Hash(hash), [message, digest]) => (hash(&call, message), digest.clone()),
            _ => return Err(format!("test {} has {} words", row[0], bytes.len()).into()),
        };
        if found != expected {
            return Err(format!("test {}: {}", row[0], to_hex(&found)).into());
        }
    }
    Ok(())
}
