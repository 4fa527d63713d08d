//! Wrong programs that strangers write, habits of C first, below `tests/filetests/strangers`: the whole message that each
//! gets. A setting `slice: v|h|b` gives the direction.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use culet_diag::{SourceMap, render};
use culet_types::program::Slicing;
use culet_types::{Compatibility, Request, check_what_was_read, elaborate};

/// Minimum number of programs, and of codes that they get.
const PROGRAMS: usize = 100;
const CODES: usize = 35;

#[test]
fn every_wrong_program_gets_a_remedy() {
    let (programs, codes) = (Cell::new(0), RefCell::new(BTreeSet::new()));
    culet_filetest::run("strangers", |case| {
        let slicing = case.setting("slice").map(|letter| match letter {
            "v" => Slicing::Vertical,
            "h" => Slicing::Horizontal,
            "b" => Slicing::Bitslice,
            other => panic!("no slicing `{other}`"),
        });
        let mut sources = SourceMap::new();
        let file = sources.add("wrong.ua", case.input.clone());
        let (tree, mut diagnostics) = culet_syntax::parse(file, &case.input);
        // As the command does, which elaborates no program that cannot be read.
        if diagnostics.has_errors() {
            diagnostics.extend(check_what_was_read(&tree.items));
        } else {
            let compatibility = Compatibility::default();
            let request =
                Request { entry: None, slicing, word: None, lsb_first_tables: &compatibility, sources: Some(&sources) };
            diagnostics.extend(elaborate(&tree.items, &request).1);
        }
        assert!(diagnostics.has_errors(), "{} is right", case.name);
        for diagnostic in diagnostics.iter() {
            codes.borrow_mut().insert(diagnostic.code.id);
            let has_remedy =
                diagnostic.fix.is_some() || !diagnostic.notes.is_empty() || diagnostic.usual_remedy().is_some();
            assert!(has_remedy, "{}: {} has no remedy", case.name, diagnostic.code.id);
        }
        programs.set(programs.get() + 1);
        vec![("said", render::text(&diagnostics, &sources, false))]
    });
    // A filter by `CULET_FILETEST` leaves programs out.
    if std::env::var_os("CULET_FILETEST").is_none() {
        let (programs, codes) = (programs.get(), codes.borrow());
        assert!(programs >= PROGRAMS && codes.len() >= CODES, "{programs} programs, {} codes: {codes:?}", codes.len());
    }
}
