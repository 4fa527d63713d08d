//! Programs with their diagnostics and the trees as which they are read.
//!
//! Setting `show`: `program` (the default) prints the tree as a program, `groups` with all parentheses, `nothing` only
//! compares diagnostics.

use culet_diag::{Diagnostics, SourceMap, render};
use culet_filetest::Case;
use culet_syntax::ast::File;
use culet_syntax::{Printer, erase_spans, parse, print};

#[test]
fn filetests() {
    culet_filetest::run("syntax", |case| {
        let mut sources = SourceMap::new();
        let file = sources.add(&case.name, case.input.clone());
        let (tree, diagnostics) = parse(file, &case.input);
        if !diagnostics.has_errors() {
            check_round_trip(&tree);
            check_warnings(case, &tree, &diagnostics);
        }
        let mut sections = vec![("diagnostics", render::text(&diagnostics, &sources, false))];
        match case.setting("show").unwrap_or("program") {
            "program" => sections.push(("program", print(&tree))),
            "groups" => sections.push(("groups", Printer::with_all_parentheses().file(&tree))),
            "nothing" => {}
            other => panic!("there is no setting `show: {other}`"),
        }
        sections
    });
}

fn erased(text: &str) -> (File, Diagnostics) {
    let file = SourceMap::new().add("again", String::new());
    let (mut tree, diagnostics) = parse(file, text);
    erase_spans(&mut tree);
    (tree, diagnostics)
}

fn check_round_trip(tree: &File) {
    let text = print(tree);
    let (again, diagnostics) = erased(&text);
    assert!(!diagnostics.has_errors(), "the printed program does not parse:\n{text}");
    let mut tree = tree.clone();
    erase_spans(&mut tree);
    assert!(tree == again, "the printed program is another one:\n{text}");
}

/// The fix of a precedence warning changes only parentheses, and removes the warning.
fn check_warnings(case: &Case, tree: &File, diagnostics: &Diagnostics) {
    let groups = |tree: &File| Printer::with_all_parentheses().file(tree);
    let mut text = case.input.clone();
    let mut fixes: Vec<_> = diagnostics.iter().filter(|d| d.code.id != "W0103").filter_map(|d| d.fix.clone()).collect();
    // Fixes are applied from the end, so that earlier places stay right. A fix inside another one waits for the next
    // round.
    fixes.sort_by_key(|fix| std::cmp::Reverse(fix.span.start));
    let mut untouched = text.len();
    for fix in fixes {
        if fix.span.end as usize <= untouched {
            text.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.replacement);
            untouched = fix.span.start as usize;
        }
    }
    if text != case.input {
        let (fixed, left) = erased(&text);
        assert_eq!(groups(tree), groups(&fixed), "a fix changes the meaning:\n{text}");
        assert!(left.len() < diagnostics.len(), "the fixes do not help:\n{text}");
    }
}

/// Every code of this room is shown by a filetest; E0199 needs a hundred errors and is in `limits.rs`.
#[test]
fn every_code_is_shown() {
    let folder = culet_filetest::repository().join("tests/filetests/syntax");
    let files =
        [folder.clone(), folder.join("errors")].into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let shown: String = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for code in culet_diag::codes::syntax::ALL.iter().filter(|code| code.id != "E0199") {
        assert!(shown.contains(&format!("[{}]: ", code.id)), "no filetest shows {}", code.id);
    }
}

/// The programs that are shipped are read without a warning, and survive printing.
#[test]
fn the_primitives_are_read_without_a_word() {
    let mut folders = vec![culet_filetest::repository().join("primitives")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ua") {
                let text = std::fs::read_to_string(&path).unwrap();
                let mut sources = SourceMap::new();
                let file = sources.add(&path, text.clone());
                let (tree, diagnostics) = parse(file, &text);
                assert!(diagnostics.is_empty(), "{}", render::text(&diagnostics, &sources, false));
                check_round_trip(&tree);
                count += 1;
            }
        }
    }
    assert!(count > 0);
}
