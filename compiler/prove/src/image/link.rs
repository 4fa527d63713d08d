//! Relocatable objects, linked in memory: sections one after another, relocations applied as the System V ABI for x86-64 says
//! (4.4, "Relocation").

use std::collections::{BTreeMap, HashMap};

use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SectionIndex, SymbolSection,
    elf,
};

use super::lines::Lines;
use super::{
    Access, Anchor, Extension, Field, File, Image, ImageError, Meaning, SPACING, Segment, Symbol, Target, checked,
    functions, is_chosen_later, unreadable,
};

/// Where the sections begin.
const FIRST_SECTION: u64 = 0x10_0000;
/// Where the slots of the global offset table begin.
const FIRST_SLOT: u64 = 0x8_0000;
/// Where functions are that the object does not hold: a page that holds nothing.
const FIRST_EXTERNAL: u64 = 0x8000;
/// So many undefined symbols, and so many slots, there may be.
const MAX_SYMBOLS: u64 = 1 << 10;

/// A relocatable object: sections one after another, relocations applied.
pub(super) fn link(file: &File) -> Result<Image, ImageError> {
    let mut next = FIRST_SECTION;
    let (mut segments, mut anchors) = (Vec::new(), Vec::new());
    let mut starts: HashMap<SectionIndex, u64> = HashMap::new();
    let mut sections: HashMap<SectionIndex, usize> = HashMap::new();
    let mut total = 0;
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        // What unwinds the stack is of no use here; its relocations would only be in the way.
        if sh_flags & u64::from(elf::SHF_ALLOC) == 0 || section.name() == Ok(".eh_frame") {
            continue;
        }
        let access = if sh_flags & u64::from(elf::SHF_WRITE) != 0 {
            Access::Writable
        } else if sh_flags & u64::from(elf::SHF_EXECINSTR) != 0 {
            Access::Code
        } else {
            Access::Constants
        };
        total += section.size();
        checked(total)?;
        let mut bytes = section.uncompressed_data().map_err(unreadable)?.into_owned();
        bytes.resize(checked(section.size())?, 0);
        let alignment = alignment(section.align())?;
        next = next.next_multiple_of(alignment);
        starts.insert(section.index(), next);
        sections.insert(section.index(), anchors.len());
        let range = next..next + bytes.len() as u64;
        anchors.push(Anchor { name: section.name().unwrap_or("?").to_owned(), range, alignment });
        segments.push(Segment { address: next, bytes, access });
        // An empty byte between sections keeps accesses beyond one from falling into the next.
        next += section.size() + 1;
    }
    let mut linker = Linker {
        file,
        sections,
        anchors,
        external: BTreeMap::new(),
        slots: BTreeMap::new(),
        fields: BTreeMap::new(),
        filled: BTreeMap::new(),
    };
    for section in file.sections() {
        let Some(&anchor) = linker.sections.get(&section.index()) else { continue };
        // Segments and the first anchors are the sections, in one order.
        let segment = &mut segments[anchor];
        for (offset, relocation) in section.relocations() {
            linker.relocate(segment, anchor, offset, &relocation).map_err(|what| ImageError::Relocation {
                section: section.name().unwrap_or("?").to_owned(),
                offset,
                what,
            })?;
        }
    }
    segments.extend(linker.slots.iter().map(|(target, slot)| Segment {
        address: slot.address,
        bytes: target.address.to_le_bytes().to_vec(),
        access: Access::Constants,
    }));
    let (functions, others) = functions(file, |symbol| Some(linker.address(symbol)?.address));
    let lines = Lines::read(file, &starts);
    let external = linker.external.into_iter().map(|(name, target)| (target.address, name)).collect();
    let image = Image { segments, functions, others, external, fields: linker.fields, lines, ..Image::default() };
    Ok(image.anchored(linker.anchors))
}

/// Sections are aligned to what they ask for, but sensibly.
fn alignment(asked: u64) -> Result<u64, ImageError> {
    match asked {
        0 => Ok(1),
        1..=4096 if asked.is_power_of_two() => Ok(asked),
        _ => Err(ImageError::Unreadable(format!("a section is aligned to {asked} bytes"))),
    }
}

struct Linker<'file, 'data> {
    file: &'file File<'data>,
    /// The anchors of sections.
    sections: HashMap<SectionIndex, usize>,
    anchors: Vec<Anchor>,
    external: BTreeMap<String, Target>,
    /// Slots of the global offset table, by the address that each holds.
    slots: BTreeMap<Target, Target>,
    fields: BTreeMap<u64, Field>,
    /// The end of what relocations fill in, by its start.
    filled: BTreeMap<u64, u64>,
}

impl<'data> Linker<'_, 'data> {
    fn address(&self, symbol: &Symbol<'data, '_>) -> Option<Target> {
        let SymbolSection::Section(index) = symbol.section() else { return None };
        let anchor = *self.sections.get(&index)?;
        let address = self.anchors[anchor].range.start.checked_add(symbol.address())?;
        Some(Target { anchor: Some(anchor), address })
    }

    /// Applies a relocation, or notes why its bytes are not known.
    ///
    /// # Errors
    ///
    /// If it is damaged.
    fn relocate(
        &mut self,
        segment: &mut Segment,
        anchor: usize,
        offset: u64,
        relocation: &object::Relocation,
    ) -> Result<(), String> {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { return Err("it is not one of ELF".into()) };
        if relocation.has_implicit_addend() {
            return Err("it has no addend of its own".into());
        }
        if r_type == elf::R_X86_64_NONE {
            return Ok(());
        }
        let length = length(r_type);
        let end = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(length)?));
        let field = end.and_then(|range| segment.bytes.get_mut(range)).ok_or("it lies outside its section")?;
        let place = segment.address + offset;
        if self.filled.range(..place + length as u64).next_back().is_some_and(|(_, &end)| end > place) {
            return Err("another one fills in the same bytes".into());
        }
        self.filled.insert(place, place + length as u64);
        let meaning = match self.value(r_type, (anchor, place), segment.access, relocation) {
            Ok((value, meaning)) => {
                field.copy_from_slice(&value.to_le_bytes()[..length]);
                meaning
            }
            Err(why) => {
                let (symbol, section) = (self.name(relocation.target()), &self.anchors[anchor].name);
                let r_type = type_name(r_type);
                let what = format!("{r_type} to {symbol} at {section}+{offset:#x} is not linked here: {why}");
                Some(Meaning::Unlinked(what))
            }
        };
        self.fields.extend(meaning.map(|meaning| (place, Field { bytes: length as u64, meaning })));
        Ok(())
    }

    /// The value of a relocation, of which its bytes are the low ones, and what they mean wherever sections are; none if the bytes are
    /// the same.
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
        let symbol = self.target(relocation.target())?;
        let Target { anchor: other, address } = if is_slot(r_type) { self.slot(symbol)? } else { symbol };
        let target = Target { anchor: other, address: address.wrapping_add_signed(relocation.addend()) };
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
        match target.anchor {
            same if same == Some(anchor) => Ok((relative, None)),
            _ if is_code && r_type != elf::R_X86_64_PC64 => Ok((relative, Some(Meaning::Displacement(target)))),
            _ => Err("it holds the distance between two sections".into()),
        }
    }

    /// Where a relocation points. Functions that are not here get an address where nothing is.
    fn target(&mut self, target: RelocationTarget) -> Result<Target, String> {
        let RelocationTarget::Symbol(index) = target else { return Err("it has no symbol".into()) };
        let symbol = self.file.symbol_by_index(index).map_err(|e| e.to_string())?;
        if symbol.is_weak() || is_chosen_later(&symbol) {
            return Err("what the symbol stands for gets decided when programs are linked or loaded".into());
        }
        if let Some(address) = self.address(&symbol) {
            return Ok(address);
        }
        let name = symbol.name().map_err(|e| e.to_string())?;
        if !symbol.is_undefined() {
            return Err("the symbol is in no section that is loaded".into());
        }
        if let Some(known) = self.external.get(name) {
            return Ok(*known);
        }
        let address = numbered(FIRST_EXTERNAL, self.external.len())?;
        let target = self.anchored(Anchor::external(name, address));
        self.external.insert(name.to_owned(), target);
        Ok(target)
    }

    /// The slot of the global offset table that holds an address, as the final link makes one.
    fn slot(&mut self, target: Target) -> Result<Target, String> {
        if let Some(known) = self.slots.get(&target) {
            return Ok(*known);
        }
        let address = numbered(FIRST_SLOT, self.slots.len())?;
        let name = "a slot of the global offset table".to_owned();
        let slot = self.anchored(Anchor { name, range: address..address + 8, alignment: 8 });
        self.slots.insert(target, slot);
        self.fields.insert(address, Field { bytes: 8, meaning: Meaning::Address(target) });
        Ok(slot)
    }

    /// The start of a new anchor.
    fn anchored(&mut self, anchor: Anchor) -> Target {
        let target = Target { anchor: Some(self.anchors.len()), address: anchor.range.start };
        self.anchors.push(anchor);
        target
    }

    /// The symbol's name for messages; a section stands for itself.
    fn name(&self, target: RelocationTarget) -> String {
        let RelocationTarget::Symbol(index) = target else { return "no symbol".into() };
        let Ok(symbol) = self.file.symbol_by_index(index) else { return "no symbol".into() };
        let section = || self.file.section_by_index(symbol.section_index()?).ok()?.name().ok();
        let name = symbol.name().ok().filter(|name| !name.is_empty()).or_else(section);
        format!("`{}`", name.unwrap_or("?"))
    }
}

/// One more address of a row of which there are so many.
fn numbered(first: u64, count: usize) -> Result<u64, String> {
    let count = count as u64;
    if count < MAX_SYMBOLS { Ok(first + SPACING * count) } else { Err(format!("there are more than {MAX_SYMBOLS}")) }
}

/// Whether it points to a slot that holds the symbol's address. What the final link may make of the instruction that reads it leads
/// to the same address.
fn is_slot(r_type: u32) -> bool {
    matches!(r_type, elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX)
}

fn is_supported(r_type: u32) -> bool {
    use elf::{R_X86_64_32, R_X86_64_32S, R_X86_64_64, R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32};
    is_slot(r_type)
        || matches!(r_type, R_X86_64_64 | R_X86_64_32 | R_X86_64_32S | R_X86_64_PC32 | R_X86_64_PC64 | R_X86_64_PLT32)
}

/// How many bytes a relocation fills in; the longest there are, if that is not known.
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
