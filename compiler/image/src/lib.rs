//! Linked images: code and constants at their addresses, and the functions in them.
//!
//! Shared objects and executables are taken as they lie in memory. A relocatable object is linked here, in memory, with
//! a fixed list of relocations; bytes that any other relocation would fill in are refused where they are used.
//!
//! Addresses here are those of one such link. A part that moves when files are linked or loaded is an [`Anchor`], whose
//! place is not known.

mod dynamic;
mod fields;
mod indirect;
mod lines;
mod link;
mod lookup;
mod mergeable;
mod names;
pub mod note;
mod records;
mod relocations;
mod segments;
mod sizes;
mod versions;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use object::read::elf::ElfFile64;
use object::{Architecture, Endianness, Object, ObjectKind, elf};

pub use self::fields::{Change, Extension, Field, Meaning, Rewritten, Target};
use self::indirect::Choosers;
use self::lines::Lines;
use self::link::link;
pub use self::names::printable;
pub use self::records::Record;
use self::relocations::{Slot, When};
pub use self::segments::Access;
use self::segments::Segment;
pub use self::sizes::Sizes;

/// Linked bytes, and the addresses of functions.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// Segments in the order of their addresses.
    segments: Vec<Segment>,
    anchors: Vec<Anchor>,
    /// Anchors by the addresses at which they begin.
    anchors_by_start: BTreeMap<u64, usize>,
    functions: BTreeMap<String, Function>,
    /// Names of symbols that stand for no function here, with the reason.
    others: BTreeMap<String, &'static str>,
    /// Addresses and sizes of variables, by their names.
    variables: BTreeMap<String, (u64, u64)>,
    /// Functions that the image calls but does not hold, by the address that calls go to.
    external: BTreeMap<u64, String>,
    /// Bytes that the final link or the loader fills in, by the address of the first.
    fields: BTreeMap<u64, Field>,
    /// Bytes that the final link may change besides those that it fills in, by the address of the first of the latter.
    rewritten: BTreeMap<u64, Rewritten>,
    /// The fields in writable memory that only the loader writes.
    slots: BTreeSet<u64>,
    /// Places in writable memory to which the loader adds the address of the file, with the addresses that they hold.
    /// Programs may change those that are no slots: proofs do not rely on them.
    own: BTreeMap<u64, u64>,
    /// Writable memory that nobody writes once the loader is done, with the bytes there that it writes before, but for slots.
    read_only_in_the_end: Option<(Range<u64>, Vec<Range<u64>>)>,
    /// Slots in which the loader puts the address of another file's function at its first call.
    lazy: BTreeMap<u64, String>,
    /// Slots in which the loader puts the address of one of several functions of a name.
    chosen: BTreeMap<u64, String>,
    /// Whether the compiler left it to the final link to make machine code.
    is_compiled_later: bool,
    lines: Lines,
}

/// A part of an image that moves as one: a section of an object, a slot of the global offset table, a function
/// elsewhere, or all of a file that is loaded anywhere. A part without an anchor is where the file says.
#[derive(Debug, Clone)]
pub struct Anchor {
    pub name: String,
    /// Its addresses in this link.
    pub range: Range<u64>,
    /// Alignment of its start, wherever it is.
    pub alignment: u64,
}

/// A function of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    pub address: u64,
    /// Size in bytes; zero if the symbol table does not say.
    pub size: u64,
}

/// Reason why a file is no image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageError {
    /// The file is not an ELF file of 64 bits, or a damaged one.
    Unreadable(String),
    /// The file is for another machine.
    Architecture(String),
    /// The file is neither a relocatable object, a shared object nor an executable.
    Kind(String),
    /// The file is damaged, or made to be changed when it is loaded.
    Relocation { section: String, offset: u64, what: String },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::Unreadable(reason) => write!(f, "this is not a readable ELF file: {reason}"),
            ImageError::Architecture(name) => {
                write!(f, "this is machine code for {name}; x86-64 is what can be proved")
            }
            ImageError::Kind(kind) => write!(f, "this is {kind}, not an object, a shared object or an executable"),
            ImageError::Relocation { section, offset, what } => {
                write!(f, "the relocation at {section}+{offset:#x} cannot be linked: {what}")
            }
        }
    }
}

impl std::error::Error for ImageError {}

type File<'a> = ElfFile64<'a, Endianness>;

/// End of the addresses that programs have: files that reach it are refused.
const END_OF_ADDRESSES: u64 = 1 << 56;
/// Address of the first function that an image calls but does not hold, if the loader loads the image. It is beyond all
/// addresses of a file, and so are all addresses near it that instructions reach.
const FIRST_IMPORTED: u64 = 0xffff_8000_0000_0000;
/// Distance in bytes between made-up addresses.
const SPACING: u64 = 16;
/// Minimum alignment of loaded files, in bytes.
const PAGE: u64 = 4096;
/// Reason why a name stands for no function though a symbol has an address for it.
const OUTSIDE: &str = "the address of that name is in no segment of the file";
/// Maximum size in bytes, more than any kernel has; a damaged size must not take all memory.
const MAX_BYTES: u64 = 1 << 30;

impl Image {
    /// Reads the image in the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Image, ImageError> {
        check_kind(bytes)?;
        let file = File::parse(bytes).map_err(unreadable)?;
        if file.architecture() != Architecture::X86_64 {
            return Err(ImageError::Architecture(format!("{:?}", file.architecture())));
        }
        match file.kind() {
            ObjectKind::Relocatable => link(&file),
            ObjectKind::Dynamic | ObjectKind::Executable => loaded(&file),
            other => Err(ImageError::Kind(format!("{other:?}").to_lowercase())),
        }
    }

    /// Returns the functions that have names, in alphabetical order.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Function)> {
        self.functions.iter().map(|(name, function)| (name.as_str(), *function))
    }

    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).copied()
    }

    /// Returns the variables whose names contain a text: names, addresses, and sizes in bytes. A loaded file has them if it is not stripped.
    pub fn variables<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (&'a str, u64, u64)> {
        let named = self.variables.iter().filter(move |(name, _)| name.contains(text));
        named.map(|(name, &(address, size))| (name.as_str(), address, size))
    }

    /// Says why there is no function of a name.
    pub fn why_missing(&self, name: &str) -> String {
        if let Some(why) = self.others.get(name) {
            return (*why).to_owned();
        }
        let names: Vec<&str> = self.functions.keys().map(String::as_str).collect();
        match names[..] {
            [] if self.is_compiled_later => "the compiler left it to the final link to make machine code; prove what that makes, or compile with `-fno-lto`".to_owned(),
            [] => "the file names no functions at all; prove it before it is stripped".to_owned(),
            [_, ..] if names.len() <= 8 => format!("it has {}", names.join(", ")),
            _ => {
                let (shown, more) = (names[..8].join(", "), names.len() - 8);
                format!("it has {shown} and {more} more")
            }
        }
    }

    /// Returns the function that holds an address, and the offset of the address in it.
    pub fn place(&self, address: u64) -> Option<(&str, u64)> {
        let holds = |f: &Function| (f.address..f.address.saturating_add(f.size.max(1))).contains(&address);
        self.functions().find(|(_, f)| holds(f)).map(|(name, f)| (name, address - f.address))
    }

    /// Returns the file and the line of source of the instruction at an address, if the image says so.
    pub fn line(&self, address: u64) -> Option<(&str, u64)> {
        self.lines.at(address)
    }

    /// Whether the image has lines of source in a form that is not read.
    pub fn has_unread_lines(&self) -> bool {
        self.lines.is_unread()
    }

    /// Returns the name of a function that is called here but lies elsewhere: at a made-up address, or where a jump
    /// goes by a slot that the loader fills in at the first call.
    pub fn external(&self, address: u64) -> Option<&str> {
        let code = || self.code(address).filter(|_| !self.lazy.is_empty());
        let lazy = || self.lazy.get(&relocations::slot_of_jump(address, code()?)?);
        self.external.get(&address).or_else(lazy).map(String::as_str)
    }

    /// Returns the name of the function whose address the loader chooses, in this file or another, and puts at this
    /// address.
    pub fn chosen(&self, address: u64) -> Option<&str> {
        self.chosen.get(&address).map(String::as_str)
    }

    /// Returns the code from an address to the end of its segment.
    pub fn code(&self, address: u64) -> Option<&[u8]> {
        self.segment(address).filter(|s| s.access == Access::Code)?.bytes_from(address).filter(|code| !code.is_empty())
    }

    /// Returns bytes that no program can change; those of [fields](Self::fields) mean nothing.
    pub fn constants(&self, address: u64, length: usize) -> Option<&[u8]> {
        let is_slot = || length <= 8 && self.slots.contains(&address);
        let is_constant =
            || is_slot() || self.is_read_only_in_the_end(&(address..address.saturating_add(length as u64)));
        let segment = self.segment(address).filter(|s| s.access != Access::Writable || is_constant())?;
        segment.bytes_from(address)?.get(..length)
    }

    /// Returns the access that the loader gives to memory at an address; `None` outside all segments.
    pub fn access(&self, address: u64) -> Option<Access> {
        self.segment(address).map(|segment| segment.access)
    }

    /// Returns functions of other files, by the addresses that are made up for them.
    pub fn externals(&self) -> impl Iterator<Item = (u64, &str)> {
        self.external.iter().map(|(&address, name)| (address, name.as_str()))
    }

    /// Returns the bytes that a program can read, at their addresses, as they are when it is loaded. Writable memory
    /// that holds zeros is left out.
    pub fn parts(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.segments.iter().map(|segment| (segment.address, &segment.bytes[..]))
    }

    /// Changes one byte of code, for trials with damaged functions. False if there is no code at the address.
    pub fn patch(&mut self, address: u64, byte: u8) -> bool {
        let holds = |s: &&mut Segment| s.access == Access::Code && s.holds(address);
        let Some(segment) = self.segments.iter_mut().find(holds) else { return false };
        let offset = (address - segment.address) as usize;
        segment.bytes.get_mut(offset).map(|old| *old = byte).is_some()
    }

    /// Makes constants of what lies in memory that is read-only once the loader is done: addresses in the file itself, which it fills in,
    /// and bytes that it leaves as they are.
    fn add_read_only(&mut self, read_only: Range<u64>, mut written: Vec<Range<u64>>, anchor: Option<usize>) {
        for (&place, &address) in self.own.range(read_only.clone()) {
            if place.saturating_add(8) <= read_only.end {
                self.slots.insert(place);
                self.fields.insert(place, Field { bytes: 8, meaning: Meaning::Address(Target { anchor, address }) });
            }
        }
        written.retain(|range| !self.slots.contains(&range.start));
        self.read_only_in_the_end = Some((read_only, written));
    }

    /// Whether bytes in writable memory are constants all the same.
    fn is_read_only_in_the_end(&self, range: &Range<u64>) -> bool {
        self.read_only_in_the_end.as_ref().is_some_and(|(read_only, written)| {
            let is_apart = |other: &Range<u64>| other.end <= range.start || range.end <= other.start;
            read_only.start <= range.start && range.end <= read_only.end && written.iter().all(is_apart)
        })
    }

    fn segment(&self, address: u64) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.address <= address);
        self.segments[..after].last().filter(|segment| segment.holds(address))
    }
}

/// Checks by its first bytes whether a file may be an image; the error says what else it is.
fn check_kind(bytes: &[u8]) -> Result<(), ImageError> {
    /// Index of the byte in which ELF says 32 or 64 bits; `DATA` is that of the byte order.
    const CLASS: usize = 4;
    const DATA: usize = 5;
    let what = match bytes {
        [] => "it is empty",
        [b'B', b'C', 0xc0, 0xde, ..] => {
            "it is code of LLVM's own, which the final link makes machine code of; prove what that makes, or compile with `-fno-lto`"
        }
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => "it is an archive; `ar x` takes the objects out of it",
        [0x7f, b'E', b'L', b'F', ..] => match bytes.get(CLASS) {
            Some(&elf::ELFCLASS32) => "it is for machines of 32 bits",
            _ if bytes.get(DATA) == Some(&elf::ELFDATA2MSB) => "it is for machines that store the highest byte first",
            _ => return Ok(()),
        },
        _ => "it does not begin as one; an object, a shared object or an executable is what can be proved",
    };
    Err(ImageError::Unreadable(what.to_owned()))
}

fn unreadable(error: object::Error) -> ImageError {
    ImageError::Unreadable(error.to_string())
}

/// Reads a shared object or an executable, as its program headers say.
fn loaded(file: &File) -> Result<Image, ImageError> {
    let segments = segments::loaded(file)?;
    let dynamic = dynamic::read(file, &segments)?;
    let (mut functions, mut others) = names::of_loaded(file, dynamic.as_ref())?;
    functions.retain(|name, function| {
        let is_here = segments.iter().any(|segment| segment.holds(function.address));
        if !is_here {
            others.insert(name.clone(), OUTSIDE);
        }
        is_here
    });
    let lines = Lines::read(file, &HashMap::new());
    let variables = names::variables(file);
    let (mut image, mut anchors) =
        (Image { segments, functions, others, variables, lines, ..Image::default() }, Vec::new());
    if file.kind() == ObjectKind::Dynamic {
        anchors.extend(image.whole());
    }
    let (mut slots, choosers) = match dynamic {
        Some(dynamic) => {
            image.own = dynamic.own;
            if let Some(read_only) = dynamic.read_only {
                image.add_read_only(read_only, dynamic.written, (!anchors.is_empty()).then_some(0));
            }
            (dynamic.slots, dynamic.choosers)
        }
        None => (Vec::new(), indirect::without_loader(file, &image.segments)),
    };
    slots.extend(chosen_at_the_start(file, choosers, &mut image));
    imports(slots, &mut image, &mut anchors);
    Ok(image.anchored(anchors))
}

/// Returns the slots with functions of the C library that are chosen at the start. A slot for a function without a name is no constant.
fn chosen_at_the_start(file: &File, choosers: Choosers, image: &mut Image) -> Vec<Slot> {
    let names = indirect::names(file);
    let mut slots = Vec::new();
    for (address, function) in choosers {
        if let Some(name) = names.get(&function) {
            slots.push(Slot { address, name: name.clone(), is_import: true, when: When::AtOnce });
        } else {
            let what = "a function there chooses what is called when the program starts, and no symbol names it; \
                        prove the program before it is stripped, or link it with the shared C library";
            image.slots.insert(address);
            image.fields.insert(address, Field { bytes: 8, meaning: Meaning::Unlinked(what.to_owned()) });
        }
    }
    slots
}

/// Adds functions of other files, at addresses that are made up for them, and the slots in which the loader puts these
/// addresses.
fn imports(slots: Vec<Slot>, image: &mut Image, anchors: &mut Vec<Anchor>) {
    for Slot { address: slot, name, is_import, when } in slots {
        // The address of a function that is here, too, or may be absent, is decided when programs are loaded.
        if !is_import && when != When::Unknown {
            image.chosen.insert(slot, name);
            continue;
        }
        let unlinked = match when {
            When::AtOnce => None,
            When::AtFirstCall => {
                Some(format!("what is there changes with the first call of `{name}`; link with `-z now`"))
            }
            When::Unknown => Some(format!(
                "until its first call, `{name}` is what the file says, by code that is not known; link with `-z now`"
            )),
        };
        if let Some(what) = unlinked {
            if when == When::AtFirstCall {
                image.lazy.insert(slot, name);
            }
            image.slots.insert(slot);
            image.fields.insert(slot, Field { bytes: 8, meaning: Meaning::Unlinked(what) });
            continue;
        }
        let address = FIRST_IMPORTED + SPACING * image.external.len() as u64;
        let target = Target { anchor: Some(anchors.len()), address };
        anchors.push(Anchor::external(&name, address));
        image.external.insert(address, name);
        image.slots.insert(slot);
        image.fields.insert(slot, Field { bytes: 8, meaning: Meaning::Address(target) });
    }
}

fn checked(size: u64) -> Result<usize, ImageError> {
    if size > MAX_BYTES {
        return Err(ImageError::Unreadable(format!("a part of it takes {size} bytes")));
    }
    Ok(size as usize)
}

/// Refuses files many of whose parts are the same bytes, since each part would take memory.
fn check_copied(file: &File, bytes: usize) -> Result<(), ImageError> {
    let most = file.data().len().saturating_mul(2);
    if bytes > most {
        return Err(ImageError::Unreadable("its parts are the same bytes again and again".to_owned()));
    }
    Ok(())
}

type Symbol<'data, 'file> = object::read::elf::ElfSymbol64<'data, 'file, Endianness>;

#[cfg(test)]
mod tests;
