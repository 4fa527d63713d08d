//! Published answers of programs that compute one instance at a time, but for those of fields: by the interpreter, and as C or Rust, of
//! which each node takes one way in turn; with `CULET_ALL` it has all.

use culet_driver::{Maker, Options, check_answer, has_code};
use culet_ir::Target;
use culet_primitives_tests::shelf::{self, Compiler, Entry, messages};
use culet_testing::draw;
use culet_types::program::Slicing;

#[test]
fn curves() {
    published("curves", 5);
}

#[test]
fn hashes() {
    published("hashes", 7);
}

#[test]
fn macs() {
    published("macs", 5);
}

#[test]
fn signatures() {
    published("signatures", 6);
}

#[test]
fn streams() {
    published("streams", 6);
}

/// All answers of a folder's descriptions, of which there are `count`.
fn published(folder: &str, count: usize) {
    let entries = shelf::entries_in(folder);
    assert_eq!(entries.len(), count, "{folder}");
    let mut turn = 0;
    for entry in &entries {
        let mut nodes: Vec<&str> = entry.primitive.known_answer.iter().map(|answer| answer.node.as_str()).collect();
        nodes.dedup();
        assert!(!nodes.is_empty(), "{}", entry.stem);
        for node in nodes {
            turn += 1;
            answers(entry, node, turn);
        }
    }
}

/// All answers of a node.
fn answers(entry: &Entry, node: &str, turn: usize) {
    for (name, options, compiler) in ways(entry, node, turn) {
        let engine = match compiler {
            Some(compiler) => compiler.engine(&entry.source, &options, level(&compiler)),
            None => {
                let engine = Maker::Interpreter.engine(&entry.source, &options);
                engine.unwrap_or_else(|d| panic!("{node}: {}", messages(&d)))
            }
        };
        for answer in entry.primitive.known_answer.iter().filter(|answer| answer.node == node) {
            let found = check_answer(&engine, None, answer, 3);
            found.unwrap_or_else(|why| panic!("{node}, {name}, {}: {why:?}", answer.source));
        }
    }
}

/// The level of optimisation. Other tests compile the same nodes with `-O3`, for which some of them take C compilers a minute. Rust code
/// has no possible panics only if it is optimised.
fn level(compiler: &Compiler) -> u8 {
    if draw::wants_all() || matches!(compiler, Compiler::Rust(..)) { 3 } else { 1 }
}

/// The interpreter, and of what compiles the node the way whose turn it is, or all of them.
fn ways(entry: &Entry, node: &str, turn: usize) -> Vec<(String, Options, Option<Compiler>)> {
    let of_node =
        |options: Options| Options { node: Some(node.to_owned()), slicing: Some(Slicing::Vertical), ..options };
    let builds = shelf::builds().into_iter().map(|(options, compiler)| (of_node(options), compiler));
    let builds: Vec<(Options, Compiler)> = builds.filter(|(options, _)| has_code(&entry.source, options)).collect();
    let (count, is_all) = (builds.len(), draw::wants_all());
    let own = builds.into_iter().enumerate().filter(|(index, _)| is_all || *index == turn % count);
    let named = own.map(|(_, (options, compiler))| {
        (format!("{} {}", options.arguments(), compiler.name()), options, Some(compiler))
    });
    [("interpreter".to_owned(), of_node(Options::new(Target::C64)), None)].into_iter().chain(named).collect()
}
