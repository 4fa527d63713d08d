//! Filetests: terms as written, and in normal form.

use culet_term::Terms;

#[test]
fn filetests() {
    culet_filetest::run("term", |case| vec![("expected", answer(&case.input))]);
}

fn answer(input: &str) -> String {
    let mut terms = Terms::new();
    let roots = match terms.parse(input) {
        Ok(roots) => roots,
        Err(error) => return format!("{error}\n"),
    };
    let text = terms.print(&roots);
    let mut again = Terms::new();
    let same = again.parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.print(&same), text, "the text of a normal form is in normal form");
    text
}
