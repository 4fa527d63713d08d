//! How the commands in generated files name what they read.

use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A program's file and the directories of its included files, for a shell in the current directory. Absolute paths
/// near it become relative ones, so that equal trees in two places make equal files.
pub fn arguments(file: &Path, include: &[PathBuf]) -> String {
    let here = env::current_dir().unwrap_or_default();
    let mut text = argument(file, &here);
    for directory in include {
        text += &format!(" -I {}", argument(directory, &here));
    }
    text
}

/// The words of a command line, quoted as a shell wants them. `None` if a quotation does not end.
pub fn words(command: &str) -> Option<Vec<String>> {
    shlex::split(command)
}

fn argument(path: &Path, here: &Path) -> String {
    let text = from(here, path).to_string_lossy().into_owned();
    // A name with a null character is no name of a file.
    shlex::try_quote(&text).map_or_else(|_| text.clone(), |quoted| quoted.into_owned())
}

/// The path as it is named in the directory `here`.
pub fn from(here: &Path, path: &Path) -> PathBuf {
    if path.is_relative() {
        let named: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let is_clear = !named.as_os_str().is_empty() && !named.to_string_lossy().starts_with('-');
        return if is_clear { named } else { Path::new(".").join(named) };
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let same = here.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    // Paths that have no more than the root in common stay as they are.
    if same < 2 {
        return path;
    }
    let up = here.components().skip(same).map(|_| Component::ParentDir);
    up.chain(path.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_from_here() {
        let named = |path: &str| from(Path::new("/there/is/no"), Path::new(path)).to_string_lossy().into_owned();
        assert_eq!(named("a.ua"), "a.ua");
        assert_eq!(named("./ciphers/a.ua"), "ciphers/a.ua");
        assert_eq!(named("../a.ua"), "../a.ua");
        assert_eq!(named("."), "./");
        assert_eq!(named("./-a.ua"), "./-a.ua");
        assert_eq!(named("/there/is/no/a.ua"), "a.ua");
        assert_eq!(named("/there/was/a.ua"), "../../was/a.ua");
        assert_eq!(named("/elsewhere/a.ua"), "/elsewhere/a.ua");
    }

    #[test]
    fn what_is_quoted_is_read() {
        for path in ["a.ua", "my cipher.ua", "it's.ua", "$HOME.ua", "a\\b.ua"] {
            let command = arguments(Path::new(path), &[PathBuf::from("my includes")]);
            let read = words(&command).expect("a command");
            assert_eq!(read, [path, "-I", "my includes"], "{command}");
        }
        assert_eq!(words("'a"), None);
    }
}
