//! Calling a compiled kernel whose signature is known only at run time.
//!
//! Each kernel is compiled together with a shim of a few lines of C with one fixed signature,
//! `void shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count)`, that passes the pointers as the
//! kernel's parameters.
#![allow(unsafe_code)] // Machine code is loaded and called.

use std::{fmt, fs, io};

use crate::SharedObject;

type Shim = unsafe extern "C" fn(*const *mut u8, *const *const u8, usize);

/// The number of bytes to which a parameter points, as a function of a call's `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub fixed: usize,
    pub per_count: usize,
}

impl Extent {
    pub fn bytes(self, count: usize) -> usize {
        self.fixed + self.per_count * count
    }
}

/// A function of a loaded shared object, with the extents of its parameters.
pub struct Kernel {
    shim: Shim,
    outputs: Vec<Extent>,
    inputs: Vec<Extent>,
    // The library is dropped last: the code must stay mapped, and the file may stay until then.
    _library: libloading::Library,
    object: SharedObject,
}

#[derive(Debug)]
pub struct LoadError(String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

impl Kernel {
    /// Loads the shim called `symbol`, for a kernel whose outputs and inputs have these extents.
    ///
    /// # Safety
    ///
    /// `symbol` must be a function of the shim's signature. Called with `count`, it writes at most
    /// `outputs[i].bytes(count)` bytes through its i-th output and reads at most `inputs[i].bytes(count)` through its
    /// i-th input. The CPU must have the instructions that it uses.
    pub unsafe fn load(
        object: SharedObject,
        symbol: &str,
        outputs: Vec<Extent>,
        inputs: Vec<Extent>,
    ) -> Result<Kernel, LoadError> {
        let error = |e: libloading::Error| LoadError(format!("cannot load the compiled kernel: {e}"));
        // SAFETY: the object was compiled from generated C, which has no constructors that run at load time.
        let library = unsafe { libloading::Library::new(&object.path) }.map_err(error)?;
        // SAFETY: the caller guarantees the signature.
        let shim = *unsafe { library.get::<Shim>(symbol.as_bytes()) }.map_err(error)?;
        Ok(Kernel { shim, outputs, inputs, _library: library, object })
    }

    /// The shared object's bytes.
    pub fn machine_code(&self) -> io::Result<Vec<u8>> {
        fs::read(&self.object.path)
    }

    pub fn outputs(&self) -> &[Extent] {
        &self.outputs
    }

    pub fn inputs(&self) -> &[Extent] {
        &self.inputs
    }

    /// Runs the kernel.
    ///
    /// # Panics
    ///
    /// If an output or input has another length than its extent for `count`.
    pub fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]], count: usize) {
        check_lengths((&self.outputs, &self.inputs), outputs, inputs, count);
        let outputs: Vec<*mut u8> = outputs.iter_mut().map(|o| o.as_mut_ptr()).collect();
        let inputs: Vec<*const u8> = inputs.iter().map(|i| i.as_ptr()).collect();
        // SAFETY: the lengths are those that `load`'s caller guaranteed, and the slices do not overlap.
        unsafe { (self.shim)(outputs.as_ptr(), inputs.as_ptr(), count) }
    }
}

/// Asserts that outputs and inputs have the lengths of their extents.
pub(crate) fn check_lengths(extents: (&[Extent], &[Extent]), outputs: &[&mut [u8]], inputs: &[&[u8]], count: usize) {
    let fits = |extents: &[Extent], lengths: Vec<usize>| extents.iter().map(|e| e.bytes(count)).eq(lengths);
    assert!(fits(extents.0, outputs.iter().map(|o| o.len()).collect()), "output lengths");
    assert!(fits(extents.1, inputs.iter().map(|i| i.len()).collect()), "input lengths");
}
