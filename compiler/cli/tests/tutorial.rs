//! Everything on the pages `docs/add-a-cipher.md`, `docs/proving.md`, `docs/fields.md` and `docs/whole-operations.md` works as it stands: the files
//! that they show, and the commands that they give.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{directory, stderr, stdout};

/// The words after the fence, and the text, of each block of code.
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
    let ours = Path::new(env!("CARGO_BIN_EXE_culet")).parent().expect("a directory").to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(ours).chain(std::env::split_paths(&others))).expect("a path");
    let (mut files, mut commands) = (0, 0);
    for (fence, text) in blocks(&page) {
        if let Some((_, name)) = fence.split_once(" file=") {
            fs::write(dir.path().join(name), text).expect("the file is written");
            files += 1;
            continue;
        }
        for line in text.lines() {
            // The page's commands are those of a shell that knows ours.
            let output = Command::new("sh")
                .args(["-c", line])
                .current_dir(dir.path())
                .env("PATH", &path)
                .env("XDG_CACHE_HOME", dir.path())
                .env_remove("CC")
                .output()
                .expect("the command runs");
            assert!(output.status.success(), "{line}\n{}{}", stdout(&output), stderr(&output));
            if line.starts_with("culet test") {
                assert!(stdout(&output).ends_with(" passed, 0 failed\n"), "{line}\n{}", stdout(&output));
            }
            commands += 1;
        }
    }
    assert_eq!((files, commands), (5, 21));
    assert!(dir.path().join("out/speck.h").is_file() && dir.path().join("speck.enc").is_file());
}

/// Whether each line of `expected` is the beginning of a line of `found`, in order.
fn begins_with(found: &str, expected: &str) -> bool {
    let mut lines = found.lines();
    expected.lines().all(|line| lines.any(|other| other.starts_with(line)))
}

/// The commands on `docs/proving.md` work, and print the verdicts that the page shows.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_page_on_proofs_can_be_followed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proving.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let dir = directory();
    let mut proofs = Vec::new();
    let mut verdicts = 0;
    for (fence, text) in blocks(&page) {
        if let Some((_, name)) = fence.split_once(" file=") {
            fs::write(dir.path().join(name), text).expect("the file is written");
            continue;
        }
        if let Some((_, verdict)) = fence.split_once(" verdict=") {
            let output: &std::process::Output = proofs.last().expect("a proof was tried");
            assert_eq!(output.status.code(), Some(if verdict == "proved" { 0 } else { 1 }), "{}", stdout(output));
            assert!(begins_with(&stdout(output), &text), "{text}\n{}", stdout(output));
            verdicts += 1;
            continue;
        }
        for line in text.lines() {
            let is_proof = line.starts_with("culet");
            let line = line.replacen("culet", env!("CARGO_BIN_EXE_culet"), 1);
            let output = Command::new("sh").args(["-c", &line]).current_dir(dir.path()).output().expect("sh runs");
            assert!(is_proof || output.status.success(), "{line}\n{}", stderr(&output));
            if is_proof {
                proofs.push(output);
            }
        }
    }
    // The page compiles one program, too.
    assert_eq!((proofs.len(), verdicts), (13, 12));
}

/// The commands on `docs/fields.md` work, and the last one before an output prints it.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_page_on_fields_can_be_followed() {
    assert_eq!(followed("fields.md"), (10, 28, 11));
}

/// The program of `docs/whole-operations.md` signs, run by the command and as C.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_page_on_whole_operations_can_be_followed() {
    assert_eq!(followed("whole-operations.md"), (3, 4, 2));
}

/// Follows a page: writes the files that it shows, and runs its commands. Returns the numbers of files, commands and outputs.
#[cfg(target_arch = "x86_64")]
fn followed(page: &str) -> (usize, usize, usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs").join(page)).expect("the page is there");
    let dir = directory();
    std::os::unix::fs::symlink(root.join("primitives"), dir.path().join("primitives")).expect("a link is made");
    let (mut files, mut commands, mut outputs) = (0, 0, 0);
    let mut last = String::new();
    for (fence, text) in blocks(&page) {
        if let Some((_, name)) = fence.split_once(" file=") {
            fs::write(dir.path().join(name), text).expect("the file is written");
            files += 1;
        } else if fence == "text output" {
            assert!(begins_with(&last, &text), "{text}\n{last}");
            outputs += 1;
        } else if fence.starts_with("sh") {
            for line in text.lines() {
                let command = line.replacen("culet", env!("CARGO_BIN_EXE_culet"), 1);
                let output =
                    Command::new("sh").args(["-c", &command]).current_dir(dir.path()).output().expect("sh runs");
                last = stdout(&output) + &stderr(&output);
                assert_eq!(output.status.success(), fence == "sh", "{line}\n{last}");
                commands += 1;
            }
        } else if fence == "c" {
            let header = fs::read_to_string(dir.path().join("out/tangent.h")).expect("the header was written");
            assert!(header.contains(&text), "{header}");
        }
    }
    (files, commands, outputs)
}
