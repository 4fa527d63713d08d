//! `docs/ciphers.md` is complete: each description has a row of its table and a section.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use culet_driver::slicing_name;
use culet_primitives_tests::shelf::{Entry, entries, root};

/// A row of the overview table.
struct Row {
    name: String,
    anchor: String,
    slicings: String,
    link: String,
}

fn document() -> String {
    fs::read_to_string(root().join("../docs/ciphers.md")).expect("docs/ciphers.md is there")
}

/// The table's rows, by the stem of the description that each of them names.
fn rows(document: &str) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    for line in document.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, stem, .., slicings, link] = cells[..] else { panic!("too few cells: {line}") };
        let (name, anchor) = name.trim_start_matches('[').rsplit_once("](#").expect("the name is a link");
        let anchor = anchor.trim_end_matches(')');
        let (name, anchor, slicings, link) = (name.into(), anchor.into(), slicings.into(), link.into());
        let double = rows.insert(stem.trim_matches('`').to_owned(), Row { name, anchor, slicings, link });
        assert!(double.is_none(), "two rows for {stem}");
    }
    rows
}

/// The text of each section, by its anchor.
fn sections(document: &str) -> BTreeMap<String, &str> {
    let anchor = |title: &str| -> String {
        let kept = title.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect()
    };
    let parts = document.split("\n## ").skip(1);
    parts.map(|part| (anchor(part.lines().next().unwrap_or_default()), part)).collect()
}

/// The slicings of a description in order, such as `H, V16, B`.
fn slicings(entry: &Entry) -> String {
    let slicings = entry.primitive.slicings();
    let shown = slicings.iter().map(|(slicing, word)| {
        slicing_name(*slicing).to_uppercase() + &word.map_or_else(String::new, |word| word.to_string())
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_table_says_what_the_descriptions_say() {
    let document = document();
    let rows = rows(&document);
    let entries = entries();
    for entry in &entries {
        let row = rows.get(&entry.stem).unwrap_or_else(|| panic!("`{}` has no row", entry.stem));
        assert_eq!(row.name, entry.primitive.name, "{}", entry.stem);
        assert_eq!(row.slicings, slicings(entry), "{}", entry.stem);
        assert!(row.link.contains("](speed.md"), "{}: {}", entry.stem, row.link);
    }
    let described: BTreeSet<&String> = entries.iter().map(|entry| &entry.stem).collect();
    let extra: Vec<&String> = rows.keys().filter(|stem| !described.contains(stem)).collect();
    assert!(extra.is_empty(), "rows without a description: {extra:?}");
}

#[test]
fn every_description_has_a_section() {
    let document = document();
    let (rows, sections) = (rows(&document), sections(&document));
    for entry in entries() {
        let row = &rows[&entry.stem];
        let section = sections.get(&row.anchor);
        let section = section.unwrap_or_else(|| panic!("`{}`: no section #{}", entry.stem, row.anchor));
        assert!(section.contains(&format!("`{}.toml`", entry.stem)), "#{} does not name {}", row.anchor, entry.stem);
        // Every node that a description names is explained.
        let block = entry.primitive.block.iter();
        let block = block.flat_map(|b| [Some(&b.encrypt), b.decrypt.as_ref(), b.key_schedule.as_ref()]).flatten();
        let answers = entry.primitive.known_answer.iter().map(|answer| &answer.node);
        let stream = entry.primitive.stream.iter().map(|stream| &stream.node);
        for node in block.chain(stream).chain(answers) {
            assert!(section.contains(&format!("`{node}`")), "#{} does not name the node {node}", row.anchor);
        }
    }
}
