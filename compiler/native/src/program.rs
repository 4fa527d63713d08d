//! Executables made of several C files, each compiled by its own compiler with its own flags.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use culet_ir::Target;

use crate::CCompiler;
use crate::build::{CompileError, run, target_flags};

impl CCompiler {
    /// Compiles `name.c` of a directory to `name.o` there.
    pub fn object(
        &self,
        directory: &Path,
        name: &str,
        target: Target,
        flags: &[String],
        limit: Duration,
    ) -> Result<PathBuf, CompileError> {
        let object = directory.join(name).with_extension("o");
        run(&mut self.to_object(directory, name, target, flags, &object), limit)?;
        Ok(object)
    }

    /// The command that compiles `name.c` of a directory to an object.
    pub(crate) fn to_object(
        &self,
        directory: &Path,
        name: &str,
        target: Target,
        flags: &[String],
        object: &Path,
    ) -> Command {
        let mut command = self.command(directory);
        command.args(["-std=c11", "-c"]).args(target_flags(target)).args(flags);
        command.arg("-I").arg(directory).arg("-o").arg(object).arg(directory.join(name).with_extension("c"));
        command
    }

    /// Links objects to an executable. A static one also runs on machines without this machine's libraries.
    pub fn executable(
        &self,
        objects: &[PathBuf],
        path: &Path,
        is_static: bool,
        limit: Duration,
    ) -> Result<(), CompileError> {
        let mut command = self.command(path.parent().unwrap_or(Path::new(".")));
        command.args(objects).arg("-o").arg(path);
        if is_static {
            command.arg("-static");
        }
        run(&mut command, limit)
    }
}
