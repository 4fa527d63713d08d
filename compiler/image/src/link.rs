//! Relocatable objects, linked in memory: sections one after another, relocations applied as the System V ABI for
//! x86-64 says (4.4, "Relocation").

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use object::read::elf::SectionHeader;
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SectionIndex,
    SymbolIndex, SymbolKind, elf,
};

use super::fields::{Change, Reader, Rewritten, reach};
use super::lines::Lines;
use super::mergeable::Mergeable;
use super::names::{self, is_chosen_later, printable};
use super::{
    Access, Anchor, Extension, Field, File, Image, ImageError, Meaning, SPACING, Segment, Symbol, Target, check_copied,
    checked, unreadable,
};

/// Address of the first section.
const FIRST_SECTION: u64 = 0x10_0000;
/// Address of the first slot of the global offset table.
const FIRST_SLOT: u64 = 0x8_0000;
/// Address of the first function that the object does not hold, in a page that holds nothing.
const FIRST_EXTERNAL: u64 = 0x8000;
/// Sections that linkers make anew: tables for unwinding the stack, notes of the features that the code has, and lists
/// of functions, which may be put together in the opposite order.
const MADE_ANEW: [&str; 5] = [".eh_frame", ".sframe", ".note.gnu.property", ".ctors", ".dtors"];
/// The section of an object with functions that ask for stack.
const SPLIT_STACK: &str = ".note.GNU-split-stack";
/// Maximum number of undefined symbols, and of slots.
const MAX_SYMBOLS: u64 = 1 << 10;
/// Maximum length of their names, in bytes.
const MAX_NAME: usize = 1 << 12;

/// Checks that all linkers read all relocations, also linkers that read whole relocations only, or those of any table
/// of symbols.
fn check_relocations(file: &File) -> Result<(), ImageError> {
    let (endian, symbols) = (file.endian(), file.elf_symbol_table().section());
    for (index, header) in file.elf_section_table().enumerate() {
        let bytes = match header.sh_type(endian) {
            elf::SHT_RELA => size_of::<elf::Rela64<Endianness>>() as u64,
            elf::SHT_REL => size_of::<elf::Rel64<Endianness>>() as u64,
            elf::SHT_CREL => 1,
            _ => continue,
        };
        let size = header.sh_size(endian);
        let is_whole = size.is_multiple_of(bytes) && header.sh_entsize(endian) == bytes;
        let is_decoded = || match header.crel(endian, file.data()) {
            Ok(None) => header.data(endian, file.data()).is_ok(),
            Ok(Some((mut all, _))) => all.all(|one| one.is_ok()),
            Err(_) => false,
        };
        let is_read = is_whole && is_decoded() && header.link(endian) == symbols && header.info_link(endian).0 != 0;
        if !is_read && size > 0 {
            return Err(ImageError::Unreadable(format!(
                "not all linkers read the relocations of its section {}",
                index.0
            )));
        }
    }
    Ok(())
}

/// Links a relocatable object: sections one after another, relocations applied.
pub(super) fn link(file: &File) -> Result<Image, ImageError> {
    check_relocations(file)?;
    let mut linker = Linker {
        file,
        next: FIRST_SECTION,
        segments: Vec::new(),
        sections: HashMap::new(),
        anchors: Vec::new(),
        external: BTreeMap::new(),
        slots: HashMap::new(),
        fields: BTreeMap::new(),
        rewritten: BTreeMap::new(),
        filled: BTreeMap::new(),
    };
    let mut starts: HashMap<SectionIndex, u64> = HashMap::new();
    let (mut total, mut copied, mut is_compiled_later) = (0, 0usize, false);
    for section in file.sections() {
        is_compiled_later |= section.name().is_ok_and(|name| name.starts_with(".gnu.lto_"));
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        if section.name() == Ok(SPLIT_STACK) {
            return Err(ImageError::Unreadable(
                "the final link may change how its functions begin; compile with `-fno-split-stack`".to_owned(),
            ));
        }
        let is_made_anew = section.name().is_ok_and(|name| MADE_ANEW.iter().any(|one| is_of(name, one)));
        if sh_flags & u64::from(elf::SHF_ALLOC) == 0 || is_made_anew {
            continue;
        }
        total += section.size();
        checked(total)?;
        copied = copied.saturating_add(section.data().map_or(0, <[u8]>::len));
        check_copied(file, copied)?;
        if let Some(mergeable) = Mergeable::read(&section)? {
            linker.sections.insert(section.index(), Placed::Entries(mergeable));
            continue;
        }
        let bytes = section.uncompressed_data().map_err(unreadable)?.into_owned();
        let name = printable(section.name().unwrap_or("?"));
        let anchor = linker.place(name, bytes, section.size(), alignment(section.align())?, access(sh_flags));
        starts.insert(section.index(), linker.anchors[anchor].range.start);
        linker.sections.insert(section.index(), Placed::Whole(anchor));
    }
    for section in file.sections() {
        let Some(&Placed::Whole(anchor)) = linker.sections.get(&section.index()) else { continue };
        for (offset, relocation) in section.relocations() {
            linker.relocate(anchor, offset, &relocation).map_err(|what| ImageError::Relocation {
                section: printable(section.name().unwrap_or("?")),
                offset,
                what,
            })?;
        }
    }
    // A symbol beyond its section is wherever the final link puts other things.
    let (functions, others) = names::of_object(file, |symbol| {
        let Target { anchor, address } = linker.address(symbol)?;
        linker.anchors[anchor?].range.contains(&address).then_some(address)
    })?;
    let lines = Lines::read(file, &starts);
    let slots = linker.slots.values().map(|(slot, held)| (slot.address, held.address)).collect::<BTreeMap<_, _>>();
    let slots =
        slots.into_iter().map(|(slot, held)| Segment::of(slot, held.to_le_bytes().to_vec(), 8, Access::Constants));
    let segments = slots.chain(linker.segments).collect();
    let external = linker.external.into_iter().map(|(name, target)| (target.address, name)).collect();
    let Linker { fields, rewritten, anchors, .. } = linker;
    let image = Image {
        segments,
        functions,
        others,
        external,
        fields,
        rewritten,
        is_compiled_later,
        lines,
        ..Image::default()
    };
    Ok(image.anchored(anchors))
}

/// Whether a section's name is this one, or this one with a further part, such as a priority.
fn is_of(name: &str, section: &str) -> bool {
    name.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

pub(super) fn access(sh_flags: u64) -> Access {
    if sh_flags & u64::from(elf::SHF_WRITE) != 0 {
        Access::Writable
    } else if sh_flags & u64::from(elf::SHF_EXECINSTR) != 0 {
        Access::Code
    } else {
        Access::Constants
    }
}

/// Returns the alignment that a section asks for, if it is sensible.
pub(super) fn alignment(asked: u64) -> Result<u64, ImageError> {
    match asked {
        0 => Ok(1),
        1..=4096 if asked.is_power_of_two() => Ok(asked),
        _ => Err(ImageError::Unreadable(format!("a section is aligned to {asked} bytes"))),
    }
}

struct Linker<'file, 'data> {
    file: &'file File<'data>,
    /// Address from which on there is room.
    next: u64,
    /// Segments in the order of their addresses. The first anchors are theirs, until there are others.
    segments: Vec<Segment>,
    sections: HashMap<SectionIndex, Placed>,
    anchors: Vec<Anchor>,
    external: BTreeMap<String, Target>,
    /// Slots of the global offset table by their symbols, and what each holds.
    slots: HashMap<SymbolIndex, (Target, Target)>,
    fields: BTreeMap<u64, Field>,
    rewritten: BTreeMap<u64, Rewritten>,
    /// Ends of the ranges that relocations fill in, by their starts.
    filled: BTreeMap<u64, u64>,
}

/// Placement of a section.
enum Placed {
    /// The section moves as one; this is the number of its anchor, and of its segment.
    Whole(usize),
    Entries(Mergeable),
}

impl<'data> Linker<'_, 'data> {
    /// Puts bytes, and zeros up to a size, where there is room. Returns the number of their anchor.
    fn place(&mut self, name: String, bytes: Vec<u8>, size: u64, alignment: u64, access: Access) -> usize {
        let start = self.next.next_multiple_of(alignment);
        self.segments.push(Segment::of(start, bytes, size, access));
        // An empty byte between segments keeps accesses beyond one from falling into the next.
        self.next = start + size + 1;
        self.anchors.push(Anchor { name, range: start..start + size, alignment });
        self.anchors.len() - 1
    }

    fn address(&mut self, symbol: &Symbol<'data, '_>) -> Option<Target> {
        self.in_section(symbol.section_index()?, symbol.address())
    }

    /// Returns the place at an offset from a section's start; `None` in sections that are not loaded, and outside all
    /// entries of a mergeable one.
    fn in_section(&mut self, index: SectionIndex, offset: u64) -> Option<Target> {
        let (anchor, offset) = match self.sections.get_mut(&index)? {
            Placed::Whole(anchor) => (*anchor, offset),
            Placed::Entries(mergeable) => {
                let range = mergeable.entry(offset)?;
                let rest = offset - range.start;
                match mergeable.placed.get(&range.start) {
                    Some(&anchor) => (anchor, rest),
                    None => (self.place_entry(index, range)?, rest),
                }
            }
        };
        let address = self.anchors[anchor].range.start.checked_add(offset)?;
        Some(Target { anchor: Some(anchor), address })
    }

    /// Puts an entry of a mergeable section where there is room.
    fn place_entry(&mut self, index: SectionIndex, range: Range<u64>) -> Option<usize> {
        let Some(Placed::Entries(mergeable)) = self.sections.get(&index) else { return None };
        let name =
            format!("an entry of the mergeable section {}, which the final link may move by itself", mergeable.name);
        let bytes = mergeable.bytes[range.start as usize..range.end as usize].to_vec();
        let (alignment, access) = (mergeable.alignment(range.start), mergeable.access);
        let anchor = self.place(name, bytes, range.end - range.start, alignment, access);
        if let Some(Placed::Entries(mergeable)) = self.sections.get_mut(&index) {
            mergeable.placed.insert(range.start, anchor);
        }
        Some(anchor)
    }

    /// Applies a relocation, or records why its bytes are not known.
    ///
    /// # Errors
    ///
    /// If the relocation is damaged.
    fn relocate(&mut self, anchor: usize, offset: u64, relocation: &object::Relocation) -> Result<(), String> {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { return Err("it is not one of ELF".into()) };
        if relocation.has_implicit_addend() {
            return Err("it has no addend of its own".into());
        }
        if r_type == elf::R_X86_64_NONE {
            return Ok(());
        }
        let length = length(r_type);
        // The first anchors are those of the segments.
        let (start, access) = (self.segments[anchor].address, self.segments[anchor].access);
        let end = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(length)?));
        let range = end.filter(|range| range.end <= self.segments[anchor].bytes.len());
        let range = range.ok_or("it lies outside its section")?;
        let place = start + offset;
        if self.filled.range(..place + length as u64).next_back().is_some_and(|(_, &end)| end > place) {
            return Err("another one fills in the same bytes".into());
        }
        self.filled.insert(place, place + length as u64);
        let after = range.end;
        let meaning = match self.value(r_type, (anchor, place), access, relocation) {
            Ok((value, meaning)) => {
                self.segments[anchor].bytes[range].copy_from_slice(&value.to_le_bytes()[..length]);
                meaning
            }
            Err(why) => {
                let (symbol, section) = (self.name(relocation.target()), &self.anchors[anchor].name);
                let type_name = type_name(r_type);
                let what = format!("{type_name} to {symbol} at {section}+{offset:#x} is not linked here: {why}");
                Some(Meaning::Unlinked(what))
            }
        };
        let next = self.segments[anchor].bytes.get(after..).unwrap_or_default();
        let change = match (&meaning, reader(r_type)) {
            (_, Some(reader)) => Some((reader.before(), length as u64, Change::Same(reader))),
            (Some(Meaning::Unlinked(what)), None) => {
                reach(r_type, next).map(|(before, after)| (before, after, Change::Unlinked(what.clone())))
            }
            _ => None,
        };
        if let Some((before, after, change)) = change {
            let end = self.segments[anchor].end();
            let range = place.saturating_sub(before).max(start)..place.saturating_add(after).min(end);
            self.rewritten.insert(place, Rewritten { range, change });
        }
        self.fields.extend(meaning.map(|meaning| (place, Field { bytes: length as u64, meaning })));
        Ok(())
    }

    /// Returns the value of a relocation, whose low bytes are filled in, and the meaning of these bytes wherever
    /// sections are; `None` if the bytes are always the same.
    fn value(
        &mut self,
        r_type: u32,
        (anchor, place): (usize, u64),
        access: Access,
        relocation: &object::Relocation,
    ) -> Result<(u64, Option<Meaning>), String> {
        if !is_supported(r_type) {
            return Err("relocations of this type are not supported".into());
        }
        let target = if is_slot(r_type) {
            self.slot(relocation.target())?.plus(relocation.addend())
        } else {
            self.target(relocation.target(), Some(relocation.addend()))?
        };
        let is_code = access == Access::Code;
        if matches!(r_type, elf::R_X86_64_64 | elf::R_X86_64_32 | elf::R_X86_64_32S) {
            let meaning = match r_type {
                elf::R_X86_64_64 if !is_code => Meaning::Address(target),
                elf::R_X86_64_64 => Meaning::Absolute(target, Extension::None),
                elf::R_X86_64_32 if is_code => Meaning::Absolute(target, Extension::Zero),
                elf::R_X86_64_32S if is_code => Meaning::Absolute(target, Extension::Sign),
                _ => return Err("it holds a part of an address".into()),
            };
            return Ok((target.address, Some(meaning)));
        }
        let relative = target.address.wrapping_sub(place);
        if r_type != elf::R_X86_64_PC64 && i32::try_from(relative as i64).is_err() {
            return Err("the value does not fit".into());
        }
        if r_type == elf::R_X86_64_PLT32 {
            if !is_code || relocation.addend() != -4 {
                return Err("it leads to the function, or to code that jumps there".into());
            }
            return Ok((relative, Some(Meaning::Branch(target))));
        }
        match target.anchor {
            same if same == Some(anchor) => Ok((relative, None)),
            _ if is_code && r_type != elf::R_X86_64_PC64 => Ok((relative, Some(Meaning::Displacement(target)))),
            _ => Err("it holds the distance between two sections".into()),
        }
    }

    /// Returns the target of a relocation: the place of its symbol plus the addend. Functions that are not here get an
    /// address where nothing is.
    fn target(&mut self, target: RelocationTarget, addend: Option<i64>) -> Result<Target, String> {
        let RelocationTarget::Symbol(index) = target else { return Err("it has no symbol".into()) };
        let symbol = self.file.symbol_by_index(index).map_err(|e| e.to_string())?;
        if let Some(index) = self.mergeable(&symbol) {
            // Linkers look for the entry that the sum points to, even if the distance to an instruction's end is part
            // of the sum.
            let sum = addend.map(|addend| symbol.address().wrapping_add_signed(addend));
            return sum.and_then(|sum| self.in_section(index, sum)).ok_or_else(|| {
                "it points to no entry of a mergeable section, the parts of which move by themselves".to_owned()
            });
        }
        Ok(self.symbol(&symbol)?.plus(addend.unwrap_or(0)))
    }

    /// Returns the mergeable section that a symbol stands for as a whole.
    fn mergeable(&self, symbol: &Symbol<'data, '_>) -> Option<SectionIndex> {
        let index = symbol.section_index().filter(|_| symbol.kind() == SymbolKind::Section)?;
        matches!(self.sections.get(&index), Some(Placed::Entries(_))).then_some(index)
    }

    fn symbol(&mut self, symbol: &Symbol<'data, '_>) -> Result<Target, String> {
        if symbol.is_weak() || is_chosen_later(symbol) {
            return Err("what the symbol stands for gets decided when programs are linked or loaded".into());
        }
        if let Some(address) = self.address(symbol) {
            return Ok(address);
        }
        let name = symbol.name().map_err(|e| e.to_string())?;
        if !symbol.is_undefined() {
            return Err("the symbol is in no section that is loaded".into());
        }
        if name.len() > MAX_NAME {
            return Err("its name is too long".into());
        }
        let name = printable(name);
        if let Some(known) = self.external.get(&name) {
            return Ok(*known);
        }
        let address = numbered(FIRST_EXTERNAL, self.external.len())?;
        let target = self.anchored(Anchor::external(&name, address));
        self.external.insert(name, target);
        Ok(target)
    }

    /// Returns the slot of the global offset table that holds a symbol's address, as the final link makes one. The
    /// places of other slots are not known, not even those of symbols at the same address.
    fn slot(&mut self, symbol: RelocationTarget) -> Result<Target, String> {
        let RelocationTarget::Symbol(index) = symbol else { return Err("it has no symbol".into()) };
        if let Some((slot, _)) = self.slots.get(&index) {
            return Ok(*slot);
        }
        let target = self.target(symbol, None)?;
        let address = numbered(FIRST_SLOT, self.slots.len())?;
        let name = "a slot of the global offset table".to_owned();
        let slot = self.anchored(Anchor { name, range: address..address + 8, alignment: 8 });
        self.slots.insert(index, (slot, target));
        self.fields.insert(address, Field { bytes: 8, meaning: Meaning::Address(target) });
        Ok(slot)
    }

    /// Adds an anchor, and returns its start.
    fn anchored(&mut self, anchor: Anchor) -> Target {
        let target = Target { anchor: Some(self.anchors.len()), address: anchor.range.start };
        self.anchors.push(anchor);
        target
    }

    /// Returns the symbol's name for messages; a section stands for itself.
    fn name(&self, target: RelocationTarget) -> String {
        let RelocationTarget::Symbol(index) = target else { return "no symbol".into() };
        let Ok(symbol) = self.file.symbol_by_index(index) else { return "no symbol".into() };
        let section = || self.file.section_by_index(symbol.section_index()?).ok()?.name().ok();
        let name = symbol.name().ok().filter(|name| !name.is_empty()).or_else(section);
        format!("`{}`", printable(name.filter(|name| name.len() <= MAX_NAME).unwrap_or("?")))
    }
}

/// Returns the next address in a row of `count` addresses.
fn numbered(first: u64, count: usize) -> Result<u64, String> {
    let count = count as u64;
    if count < MAX_SYMBOLS { Ok(first + SPACING * count) } else { Err(format!("there are more than {MAX_SYMBOLS}")) }
}

/// Returns the kind of instruction that reads the slot to which a relocation points, if it points to one. The slot
/// holds the symbol's address, and any instruction that the final link may put there leads to the same address.
fn reader(r_type: u32) -> Option<Reader> {
    match r_type {
        elf::R_X86_64_GOTPCREL => Some(Reader::Any),
        elf::R_X86_64_GOTPCRELX => Some(Reader::Plain),
        elf::R_X86_64_REX_GOTPCRELX => Some(Reader::Rex),
        _ => None,
    }
}

fn is_slot(r_type: u32) -> bool {
    reader(r_type).is_some()
}

fn is_supported(r_type: u32) -> bool {
    use elf::{R_X86_64_32, R_X86_64_32S, R_X86_64_64, R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32};
    is_slot(r_type)
        || matches!(r_type, R_X86_64_64 | R_X86_64_32 | R_X86_64_32S | R_X86_64_PC32 | R_X86_64_PC64 | R_X86_64_PLT32)
}

/// Returns the number of bytes that a relocation fills in; the largest number there is, if it is not known.
fn length(r_type: u32) -> usize {
    match r_type {
        elf::R_X86_64_8 | elf::R_X86_64_PC8 => 1,
        // The final link may change the call that it marks.
        elf::R_X86_64_16 | elf::R_X86_64_PC16 | elf::R_X86_64_TLSDESC_CALL => 2,
        elf::R_X86_64_PC32
        | elf::R_X86_64_GOT32
        | elf::R_X86_64_PLT32
        | elf::R_X86_64_GOTPCREL
        | elf::R_X86_64_32
        | elf::R_X86_64_32S
        | elf::R_X86_64_TLSGD..=elf::R_X86_64_TPOFF32
        | elf::R_X86_64_GOTPC32
        | elf::R_X86_64_SIZE32
        | elf::R_X86_64_GOTPC32_TLSDESC
        | elf::R_X86_64_GOTPCRELX
        | elf::R_X86_64_REX_GOTPCRELX => 4,
        _ => 8,
    }
}

fn type_name(r_type: u32) -> String {
    const NAMES: [&str; 43] = [
        "NONE",
        "64",
        "PC32",
        "GOT32",
        "PLT32",
        "COPY",
        "GLOB_DAT",
        "JUMP_SLOT",
        "RELATIVE",
        "GOTPCREL",
        "32",
        "32S",
        "16",
        "PC16",
        "8",
        "PC8",
        "DTPMOD64",
        "DTPOFF64",
        "TPOFF64",
        "TLSGD",
        "TLSLD",
        "DTPOFF32",
        "GOTTPOFF",
        "TPOFF32",
        "PC64",
        "GOTOFF64",
        "GOTPC32",
        "GOT64",
        "GOTPCREL64",
        "GOTPC64",
        "GOTPLT64",
        "PLTOFF64",
        "SIZE32",
        "SIZE64",
        "GOTPC32_TLSDESC",
        "TLSDESC_CALL",
        "TLSDESC",
        "IRELATIVE",
        "RELATIVE64",
        "39",
        "40",
        "GOTPCRELX",
        "REX_GOTPCRELX",
    ];
    NAMES.get(r_type as usize).map_or_else(|| format!("relocation {r_type}"), |name| format!("R_X86_64_{name}"))
}
