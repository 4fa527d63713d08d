//! The exported functions: a name, C's arguments, and the operation that it names.

/// Exports functions under one or several names: `name(argument: Type, …) = value;`, with an operation's value, which becomes 0 or -1;
/// `name(…) -> Type = value;` with any other.
macro_rules! export {
    ($($($name:ident),+ ($($arguments:tt)*) $(-> $result:ty)? = $value:expr;)*) => {
        $(export! { @all [$($name)+] ($($arguments)*) ($($result)?) $value })*
    };
    (@all [$($name:ident)+] $arguments:tt $result:tt $value:expr) => {
        $(export! { @one $name $arguments $result $value })+
    };
    (@one $name:ident $arguments:tt () $value:expr) => {
        export! { @one $name $arguments (core::ffi::c_int) $crate::names::code($value) }
    };
    (@one $name:ident ($($argument:ident: $type:ty),*) ($result:ty) $value:expr) => {
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> $result {
            $value
        }
    };
}

/// Asserts that C's memory for a context, a type of the header with so many words of 64 bits, is large enough.
macro_rules! fits {
    ($($context:ident[$words:literal]: $kept:ty;)*) => {
        $(const _: () = {
            assert!(size_of::<$crate::pointers::Kept<$kept>>() <= 8 * $words);
            assert!(align_of::<$crate::pointers::Kept<$kept>>() <= align_of::<u64>());
        };)*
    };
}

#[cfg(feature = "sodium")]
mod nacl;
mod prefixed;
#[cfg(feature = "sodium")]
mod sizes;
#[cfg(feature = "sodium")]
mod sodium;
#[cfg(feature = "tweetnacl")]
mod tweetnacl;

/// The result that functions of C return: 0 good, -1 refused.
fn code(done: Option<()>) -> core::ffi::c_int {
    if done.is_some() { 0 } else { -1 }
}
