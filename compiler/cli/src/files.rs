//! Writing files atomically: whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A place to write to, piece by piece. A file gets its name, in place of any file of that name, only in
/// [`finish_all`]. Until then nothing of it is visible. Symbolic links are followed; a device or a pipe is written to
/// directly.
pub struct Sink {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Stdout,
    /// A device or a pipe.
    Special(File),
    /// A temporary file beside the target, and the target's path.
    Staged(NamedTempFile, PathBuf),
}

/// A file that could not be written.
#[derive(Debug)]
pub struct Unwritten {
    pub path: PathBuf,
    pub error: io::Error,
    /// Files that were replaced before the failure.
    pub replaced: Vec<PathBuf>,
}

impl Sink {
    /// A sink for a path. `-` and `None` are stdout.
    pub fn to(path: Option<&Path>) -> Result<Sink, Unwritten> {
        match path {
            None => Ok(Sink { path: "-".into(), kind: Kind::Stdout }),
            Some(path) if path == Path::new("-") => Ok(Sink { path: "-".into(), kind: Kind::Stdout }),
            Some(path) => Sink::file(path),
        }
    }

    pub fn file(path: &Path) -> Result<Sink, Unwritten> {
        let kind = match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
                fs::OpenOptions::new().write(true).open(path).map(Kind::Special)
            }
            _ => {
                let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
                stage(&target).map(|file| Kind::Staged(file, target))
            }
        };
        match kind {
            Ok(kind) => Ok(Sink { path: path.to_path_buf(), kind }),
            Err(error) => Err(unwritten(path, error)),
        }
    }

    /// Whether the output is kept on a disk.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, Kind::Staged(..))
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.kind, Kind::Stdout)
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Unwritten> {
        let written = match &mut self.kind {
            Kind::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
            Kind::Special(file) => file.write_all(bytes),
            Kind::Staged(file, _) => file.write_all(bytes),
        };
        written.map_err(|error| unwritten(&self.path, error))
    }
}

/// Gives the files their names, in order, once the data of all of them are on the disk.
///
/// Each file has its old or its new content, whole, at any time. A rename can still fail if another process changes the
/// file's directory. In that case the files before it are replaced and those after it are not; the error says so.
pub fn finish_all(sinks: Vec<Sink>) -> Result<(), Unwritten> {
    for sink in &sinks {
        if let Kind::Staged(file, _) = &sink.kind {
            file.as_file().sync_all().map_err(|error| unwritten(&sink.path, error))?;
        }
    }
    let mut replaced = Vec::new();
    for sink in sinks {
        if let Kind::Staged(file, target) = sink.kind {
            if let Err(error) = file.persist(target) {
                return Err(Unwritten { replaced, ..unwritten(&sink.path, error.error) });
            }
            replaced.push(sink.path);
        }
    }
    Ok(())
}

fn unwritten(path: &Path, error: io::Error) -> Unwritten {
    Unwritten { path: path.to_path_buf(), error, replaced: Vec::new() }
}

fn stage(path: &Path) -> io::Result<NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".culet-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    builder.tempfile_in(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sinks(paths: &[&Path]) -> Vec<Sink> {
        let sink = |path: &&Path| {
            let mut sink = Sink::file(path).expect("it can be written");
            sink.write(b"new").expect("the disk has room");
            sink
        };
        paths.iter().map(sink).collect()
    }

    #[test]
    fn nothing_is_seen_before_the_end() {
        let directory = tempfile::tempdir().expect("a directory");
        let (a, b) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&a, "old").expect("a file");
        let both = sinks(&[&a, &b]);
        assert!(fs::read(&a).expect("the old file") == b"old" && !b.exists());
        drop(both);
        assert!(fs::read(&a).expect("the old file") == b"old" && !b.exists());
        finish_all(sinks(&[&a, &b])).expect("both get their names");
        assert!([&a, &b].iter().all(|path| fs::read(path).expect("the new file") == b"new"));
        assert_eq!(fs::read_dir(directory.path()).expect("the directory").count(), 2);
    }

    #[test]
    fn a_name_taken_in_between_stops_there_and_says_what_is_done() {
        let directory = tempfile::tempdir().expect("a directory");
        let [a, b, c] = ["a", "b", "c"].map(|name| directory.path().join(name));
        let all = sinks(&[&a, &b, &c]);
        fs::create_dir_all(b.join("in the way")).expect("a directory");
        let failed = finish_all(all).expect_err("b is a directory");
        assert_eq!((&failed.path, &failed.replaced), (&b, &vec![a.clone()]));
        assert!(fs::read(&a).expect("the first file") == b"new" && b.is_dir() && !c.exists());
        assert_eq!(fs::read_dir(directory.path()).expect("the directory").count(), 2, "no temporary file is left");
    }
}
