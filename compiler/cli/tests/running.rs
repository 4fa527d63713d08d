//! `culet run` and `culet test`: what is run, on what, and what is refused.

mod support;

use support::{code, culet, directory, stderr, text, write};

/// f60 calls f59 twice, f59 calls f58 twice …
fn doubling_chain() -> String {
    let mut chain = String::from("node f0 (a : u<B>8) returns (x : u<B>8) let x = ~a tel\n");
    for i in 1..=60 {
        chain += &format!("node f{i} (a : u<B>8) returns (x : u<B>8) let x = f{0}(f{0}(a)) tel\n", i - 1);
    }
    chain
}

#[test]
fn the_interpreter_refuses_what_would_never_end() {
    let dir = directory();
    let file = write(dir.path(), "chain.ua", doubling_chain());
    let description = "name = \"chain\"\nsource = \"chain.ua\"\nspecification = \"none\"\nslicing.allowed = [\"b\"]\n\
                       [[known_answer]]\nnode = \"f60\"\nsource = \"none\"\ninputs = { a = \"01\" }\noutputs = { x = \"01\" }\n";
    let description = write(dir.path(), "chain.toml", description);
    for arguments in
        [&["run", text(&file), "--interpret", "--input", "a=01"][..], &["test", text(&description), "--interpret"]]
    {
        let output = culet(arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        assert!(stderr(&output).contains("E0605"), "{}", stderr(&output));
    }
    assert_eq!(code(&culet(&["run", text(&file), "--interpret", "--node", "f9", "--input", "a=01"])), 0);
}
