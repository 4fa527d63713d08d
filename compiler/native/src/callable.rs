//! One interface for compiled kernels, whether they are loaded into this process or executed by a runner.
#![allow(unsafe_code)] // Whoever calls a kernel answers for its signature.

use std::fmt;

use culet_ir::Target;

use crate::executed::{Executed, harness};
use crate::{CCompiler, CallError, CompileError, Extent, Kernel, LoadError};

/// A compiled kernel that can be called.
pub enum Callable {
    /// Loaded into this process.
    Loaded(Kernel),
    /// Executed in a separate process for each call.
    Executed(Executed),
}

/// The reason why there is no kernel to call.
#[derive(Debug)]
pub enum BuildError {
    Compile(CompileError),
    Load(LoadError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Compile(error) => error.fmt(f),
            BuildError::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<CompileError> for BuildError {
    fn from(error: CompileError) -> Self {
        BuildError::Compile(error)
    }
}

/// C text whose shim is a kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelSource<'a> {
    /// Names and texts of the files.
    pub files: &'a [(&'a str, &'a str)],
    /// Name of a function with the shim's signature, as for [`Kernel::load`].
    pub symbol: &'a str,
}

impl CCompiler {
    /// Compiles a kernel. It is loaded, or left to the runner if there is one.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::load`], if there is no runner.
    pub unsafe fn kernel(
        &self,
        source: KernelSource,
        target: Target,
        flags: &[&str],
        (outputs, inputs): (Vec<Extent>, Vec<Extent>),
    ) -> Result<Callable, BuildError> {
        let KernelSource { files, symbol } = source;
        let Some(runner) = &self.runner else {
            let object = self.shared_object(files, target, flags)?;
            // SAFETY: the caller guarantees the requirements of `Kernel::load`.
            let kernel = unsafe { Kernel::load(object, symbol, outputs, inputs) };
            return kernel.map(Callable::Loaded).map_err(BuildError::Load);
        };
        let main = harness(symbol, &outputs, &inputs);
        let files = [files, &[("culet_main.c", main.as_str())]].concat();
        let executable = self.static_program(&files, target, flags)?;
        Ok(Callable::Executed(Executed::new(executable, runner.clone(), outputs, inputs)))
    }
}

impl Callable {
    pub fn outputs(&self) -> &[Extent] {
        match self {
            Callable::Loaded(kernel) => kernel.outputs(),
            Callable::Executed(kernel) => &kernel.outputs,
        }
    }

    pub fn inputs(&self) -> &[Extent] {
        match self {
            Callable::Loaded(kernel) => kernel.inputs(),
            Callable::Executed(kernel) => &kernel.inputs,
        }
    }

    /// Runs the kernel; only a runner can fail.
    ///
    /// # Panics
    ///
    /// If an output or input has another length than its extent for `count`.
    pub fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]], count: usize) -> Result<(), CallError> {
        match self {
            Callable::Loaded(kernel) => {
                kernel.call(outputs, inputs, count);
                Ok(())
            }
            Callable::Executed(kernel) => kernel.call(outputs, inputs, count),
        }
    }
}
