//! Numbers that stand in headers and in the library: sizes of states and contexts, of keys and messages, and names of primitives.

use std::collections::BTreeMap;
use std::fs;

use crate::library::{COMPILERS, Features, Program, path, run};

/// A program in C that compares what functions of `sodium.h` return with its macros and types.
fn comparison(header: &str) -> String {
    let mut checks = String::new();
    for line in header.lines() {
        let Some((before, _)) = line.split_once("(void);") else { continue };
        let (Some(name), is_text) = (before.rsplit([' ', '*']).next(), before.starts_with("const char *")) else {
            continue;
        };
        if let Some(state) = name.strip_suffix("bytes").filter(|state| state.ends_with("_state")) {
            checks += &format!("    CHECK({name}() == sizeof({state}));\n");
            checks += &format!("    CHECK(ALIGNMENT({state}) % ALIGNMENT(uint64_t) == 0);\n");
            continue;
        }
        let is_start =
            |word: &str| word.ends_with("bytes") && word != "randombytes" || ["primitive", "tag"].contains(&word);
        let words: Vec<&str> = name.split('_').collect();
        let Some(start) = words.iter().rposition(|word| is_start(word)) else { continue };
        let macro_name = format!("{}_{}", words[..start].join("_"), words[start..].join("_").to_uppercase());
        checks += &match is_text {
            true => format!("    CHECK(strcmp({name}(), {macro_name}) == 0);\n"),
            false => format!("    CHECK({name}() == {macro_name});\n"),
        };
    }
    let alignment = "#define ALIGNMENT(type) offsetof(struct { char before; type one; }, one)";
    format!(
        "#include <sodium.h>\n\n#include \"check.h\"\n\n{alignment}\n\nint main(void) {{\n{checks}    return 0;\n}}\n"
    )
}

#[test]
fn functions_return_what_macros_and_types_say() {
    let headers = ["sodium.h", "culet/nacl.h"].map(|name| fs::read_to_string(path("include").join(name)));
    let program = comparison(&headers.map(|text| text.expect("a header")).concat());
    for (part, least) in [("_statebytes() == sizeof", 11), ("BYTES", 120), ("strcmp", 11), ("_tag_", 4)] {
        assert!(program.matches(part).count() >= least, "few {part} in\n{program}");
    }
    let source = Features::All.directory().join("sizes.c");
    fs::write(&source, program).expect("a file");
    let source = source.to_str().expect("a path of text");
    let options = vec!["-I".to_owned(), path("tests/interface").display().to_string(), "-Wno-type-limits".to_owned()];
    let compiler = COMPILERS[0].0;
    run(&mut Program { compiler, source, options, is_static: true, features: Features::All }.build());
}

/// The types in a header that have nothing but words of 64 bits, with the numbers of these.
fn words_of_header(name: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path("include").join(name)).expect("a header");
    let types = text.split("uint64_t opaque[").skip(1).map(|rest| {
        let (words, rest) = rest.split_once("];\n} ").expect("the end of a structure");
        let (name, _) = rest.split_once(';').expect("the name of a type");
        (name.to_owned(), words.to_owned())
    });
    let mut types: BTreeMap<String, String> = types.collect();
    // Types that are others by another name have functions of their own.
    for line in text.lines().filter(|line| line.starts_with("typedef ") && line.ends_with("_state;")) {
        let [_, of, name] = line.trim_end_matches(';').split(' ').collect::<Vec<_>>()[..] else { continue };
        types.insert(name.to_owned(), types[of].clone());
    }
    types
}

/// The types in a table of the library: `name[words]: …`.
fn words_of_table(name: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path("src/names").join(name)).expect("a source");
    let rows = text.lines().filter_map(|line| line.strip_prefix("    ")?.split_once("]: ")?.0.split_once('['));
    let rows = rows.filter(|(_, words)| words.bytes().all(|digit| digit.is_ascii_digit()));
    rows.map(|(name, words)| (name.to_owned(), words.to_owned())).collect()
}

#[test]
fn the_library_knows_the_sizes_of_its_headers() {
    let (header, table) = (words_of_header("culet.h"), words_of_table("prefixed.rs"));
    assert!(header.len() > 20);
    assert_eq!(header, table);
    let (header, table) = (words_of_header("sodium.h"), words_of_table("sizes.rs"));
    assert_eq!(header.len(), 11);
    assert_eq!(header, table);
}
