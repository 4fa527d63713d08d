//! Everything on the page `docs/add-a-cipher.md` works as it stands: the files it shows, the commands it gives.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{directory, stderr, stdout};

/// The fence's words and the text of each block of code.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push((fence.to_owned(), text.join("\n") + "\n"));
        }
    }
    found
}

#[test]
fn the_page_can_be_followed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/add-a-cipher.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let dir = directory();
    let (mut files, mut commands) = (0, 0);
    for (fence, text) in blocks(&page) {
        if let Some((_, name)) = fence.split_once(" file=") {
            fs::write(dir.path().join(name), text).expect("the file is written");
            files += 1;
            continue;
        }
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let ["culet", arguments @ ..] = words.as_slice() else { panic!("`{line}` is no command of ours") };
            let output = Command::new(env!("CARGO_BIN_EXE_culet"))
                .args(arguments)
                .current_dir(dir.path())
                .env("XDG_CACHE_HOME", dir.path())
                .env_remove("CC")
                .output()
                .expect("the command runs");
            assert!(output.status.success(), "{line}\n{}{}", stdout(&output), stderr(&output));
            if arguments[0] == "test" {
                assert!(stdout(&output).ends_with(" passed, 0 failed\n"), "{line}\n{}", stdout(&output));
            }
            commands += 1;
        }
    }
    assert_eq!((files, commands), (2, 8));
    assert!(dir.path().join("out/speck.h").is_file() && dir.path().join("speck.enc").is_file());
}
