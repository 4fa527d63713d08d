//! Published answers of programs that compute one instance at a time, but for those of fields: by the interpreter, where the answers and, of many
//! nodes, the nodes are drawn, and as C or Rust, in drawn ways for a few nodes, which are drawn; with `CULET_ALL` in all ways for all nodes.

use culet_driver::{Engine, KnownAnswer, Maker, Options, check_answer, has_code};
use culet_ir::Target;
use culet_primitives_tests::shelf::{self, Compiler, Entry, messages};
use culet_testing::draw;
use culet_types::program::{Instruction, Slicing};

#[test]
fn aead() {
    published("aead", 7);
}

#[test]
fn curves() {
    published("curves", 8);
}

#[test]
fn hashes() {
    published("hashes", 7);
}

#[test]
fn macs() {
    published("macs", 9);
}

#[test]
fn nacl() {
    published("nacl", 9);
}

#[test]
fn signatures() {
    published("signatures", 21);
}

#[test]
fn streams() {
    published("streams", 9);
}

/// Answers of FIPS 197 and SP 800-38A by the instructions of other machines, each of two nodes, which are drawn.
#[test]
fn rounds_by_instructions() {
    let entry =
        shelf::entries_in("streams").into_iter().find(|entry| entry.stem == "aes_rounds").expect("a description");
    for target in [Target::Neon, Target::Vsx] {
        let subject = format!("nodes of rounds on {}", target.name());
        for (_, node) in draw::some(&subject, nodes(&entry), 2, |(_, node)| (*node).to_owned()) {
            let options = of_node(node, Options::new(target));
            for compiler in Compiler::all(target).into_iter().take(1) {
                let engine = compiler.engine(&entry.source, &options, level(&compiler));
                known_answers(&entry, node).for_each(|answer| check(node, answer, &engine, &compiler.name()));
            }
        }
    }
}

/// Maximum number of nodes of a folder that are interpreted in a run.
const INTERPRETED: usize = 20;
/// Maximum number of nodes of a folder that are compiled in a run, each in one way.
const COMPILED: usize = 2;

/// A node of a description.
type Node<'e> = (&'e Entry, &'e str);

/// All answers of a folder's descriptions, of which there are `count`.
fn published(folder: &str, count: usize) {
    let entries = shelf::entries_in(folder);
    assert_eq!(entries.len(), count, "{folder}");
    let nodes: Vec<Node<'_>> = entries.iter().flat_map(nodes).collect();
    let name = |&(entry, node): &Node<'_>| format!("{} {node}", entry.stem);
    for (entry, node) in draw::some(&format!("interpreted nodes of {folder}"), nodes.clone(), INTERPRETED, name) {
        let options = of_node(node, Options::new(Target::C64));
        let engine = Maker::Interpreter.engine(&entry.source, &options);
        let engine = engine.unwrap_or_else(|d| panic!("{node}: {}", messages(&d)));
        let own: Vec<&KnownAnswer> = known_answers(entry, node).collect();
        let count = own.len().div_ceil(3);
        for answer in draw::some(&format!("answers of {node}"), own, count, |answer| answer.source.clone()) {
            check(node, answer, &engine, "interpreter");
        }
    }
    let count = nodes.len().div_ceil(9).min(COMPILED);
    let all = draw::some(&format!("compiled nodes of {folder}"), nodes, count, name).into_iter();
    let all = all.flat_map(|(entry, node)| builds(entry, node).into_iter().map(move |build| (entry, node, build)));
    let features = |(entry, node, build): &(&Entry, &str, (Options, Compiler))| -> Vec<String> {
        [format!("{} {node}", entry.stem)].into_iter().chain(shelf::features(build)).collect()
    };
    let subject = format!("nodes of {folder}");
    for (entry, node, (options, compiler)) in draw::few(&subject, all.collect(), features, |_| 0, count) {
        let engine = compiler.engine(&entry.source, &options, level(&compiler));
        let name = format!("{} {}", options.arguments(), compiler.name());
        known_answers(entry, node).for_each(|answer| check(node, answer, &engine, &name));
    }
}

/// The nodes of a description that have published answers.
fn nodes(entry: &Entry) -> Vec<Node<'_>> {
    let mut nodes: Vec<&str> = entry.primitive.known_answer.iter().map(|answer| answer.node.as_str()).collect();
    nodes.dedup();
    assert!(!nodes.is_empty(), "{}", entry.stem);
    nodes.into_iter().map(|node| (entry, node)).collect()
}

fn known_answers<'e>(entry: &'e Entry, node: &str) -> impl Iterator<Item = &'e KnownAnswer> {
    entry.primitive.known_answer.iter().filter(move |answer| answer.node == node)
}

fn check(node: &str, answer: &KnownAnswer, engine: &Engine, name: &str) {
    let found = check_answer(engine, None, answer, 3);
    found.unwrap_or_else(|why| panic!("{node}, {name}, {}: {why:?}", answer.source));
}

/// The level of optimisation. Other tests compile the same nodes with `-O3`, for which some of them take C compilers a minute. Rust code
/// has no possible panics only if it is optimised.
fn level(compiler: &Compiler) -> u8 {
    if draw::wants_all() || matches!(compiler, Compiler::Rust(..)) { 3 } else { 1 }
}

fn of_node(node: &str, options: Options) -> Options {
    Options { node: Some(node.to_owned()), slicing: Some(Slicing::Vertical), ..options }
}

/// Whether an entry is a program with points of a curve and a hash function, which is one function on vectors, of which compilers take a minute.
fn is_large(entry: &Entry) -> bool {
    ["_ecdsa", "_deterministic", "_message"].iter().any(|end| entry.stem.ends_with(end))
}

/// Whether an entry is AES in one function, whose rounds take compilers a minute where they are no instructions.
fn is_for_instructions(entry: &Entry) -> bool {
    entry.stem.ends_with("_gcm_rounds")
}

/// All that compiles a node.
fn builds(entry: &Entry, node: &str) -> Vec<(Options, Compiler)> {
    let is_wanted = |(options, _): &(Options, Compiler)| {
        let is_small = !is_large(entry) || shelf::is_plain(options);
        let has_rounds = !is_for_instructions(entry) || options.target.has(Instruction::AesEnc);
        draw::wants_all() || (is_small && has_rounds)
    };
    let builds = shelf::builds().into_iter().chain(shelf::big_endian_builds()).filter(is_wanted);
    let builds = builds.map(|(options, compiler)| (of_node(node, options), compiler));
    builds.filter(|(options, _)| has_code(&entry.source, options)).collect()
}
