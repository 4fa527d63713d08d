//! Calling a compiled kernel whose signature is known at run time only.
//!
//! Each kernel is compiled together with a shim of a few lines of C with one fixed signature,
//! `void shim(uint8_t *const *outputs, const uint8_t *const *inputs)`, that spreads the pointers over the kernel's
//! parameters. This is the only unsafe code of the compiler.

use std::fmt;

use crate::SharedObject;

type Shim = unsafe extern "C" fn(*const *mut u8, *const *const u8);

/// A function of a loaded shared object, with the sizes of the memory its parameters point to.
pub struct Kernel {
    shim: Shim,
    output_bytes: Vec<usize>,
    input_bytes: Vec<usize>,
    // Dropped last: the code must stay mapped, and the file may stay until then.
    _library: libloading::Library,
    _object: SharedObject,
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
    /// The shim called `symbol`, for a kernel whose outputs and inputs occupy these numbers of bytes.
    ///
    /// # Safety
    ///
    /// `symbol` is a function of the shim's signature that writes at most `output_bytes[i]` bytes through its i-th output
    /// and reads at most `input_bytes[i]` through its i-th input, and the CPU has the instructions it uses.
    pub unsafe fn load(
        object: SharedObject,
        symbol: &str,
        output_bytes: Vec<usize>,
        input_bytes: Vec<usize>,
    ) -> Result<Kernel, LoadError> {
        let error = |e: libloading::Error| LoadError(format!("cannot load the compiled kernel: {e}"));
        // SAFETY: the object was compiled from generated C, which has no constructors that run at load time.
        let library = unsafe { libloading::Library::new(&object.path) }.map_err(error)?;
        // SAFETY: the caller vouches for the signature.
        let shim = *unsafe { library.get::<Shim>(symbol.as_bytes()) }.map_err(error)?;
        Ok(Kernel { shim, output_bytes, input_bytes, _library: library, _object: object })
    }

    pub fn output_bytes(&self) -> &[usize] {
        &self.output_bytes
    }

    pub fn input_bytes(&self) -> &[usize] {
        &self.input_bytes
    }

    /// Runs the kernel. Outputs and inputs have exactly the lengths given to `load`.
    ///
    /// # Panics
    ///
    /// If a length differs.
    pub fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]]) {
        assert!(outputs.iter().map(|o| o.len()).eq(self.output_bytes.iter().copied()), "output lengths");
        assert!(inputs.iter().map(|i| i.len()).eq(self.input_bytes.iter().copied()), "input lengths");
        let outputs: Vec<*mut u8> = outputs.iter_mut().map(|o| o.as_mut_ptr()).collect();
        let inputs: Vec<*const u8> = inputs.iter().map(|i| i.as_ptr()).collect();
        // SAFETY: the lengths are those that `load`'s caller vouched for, and the slices do not overlap.
        unsafe { (self.shim)(outputs.as_ptr(), inputs.as_ptr()) }
    }
}
