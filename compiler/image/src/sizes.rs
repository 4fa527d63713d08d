//! The size of an object for any machine: bytes of code and of constants; and which functions each function calls.

use std::collections::{BTreeMap, BTreeSet};

use object::{File, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};

use super::{ImageError, printable, unreadable};

/// Sections of unwinders and of notes, which no device loads.
const UNLOADED: [&str; 3] = [".eh_frame", ".note", ".ARM.ex"];

/// The sizes of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of instructions, and of constants that stand among them.
    pub code: u64,
    /// Bytes of constants and of variables with a value.
    pub constants: u64,
    /// The functions, each with the functions that it calls. A function of another file is in the latter only.
    pub calls: BTreeMap<String, BTreeSet<String>>,
    /// The names of each function that has several, which compilers give to functions whose code is the same.
    pub names: Vec<Vec<String>>,
}

impl Sizes {
    /// Reads the sizes of a relocatable object whose functions have a section each (`-ffunction-sections`), since assemblers leave
    /// no trace of calls within a section.
    ///
    /// # Errors
    ///
    /// The file is no ELF object.
    pub fn of(bytes: &[u8]) -> Result<Sizes, ImageError> {
        let file = File::parse(bytes).map_err(unreadable)?;
        if file.kind() != ObjectKind::Relocatable {
            return Err(ImageError::Kind(format!("{:?}", file.kind()).to_lowercase()));
        }
        let mut functions: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            if let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name_bytes()) {
                functions.entry(section.0).or_default().push(printable(name));
            }
        }
        let mut sizes = Sizes::default();
        for section in file.sections() {
            let is_unloaded =
                section.name_bytes().is_ok_and(|name| UNLOADED.iter().any(|u| name.starts_with(u.as_bytes())));
            match section.kind() {
                _ if is_unloaded => {}
                SectionKind::Text => {
                    sizes.code += section.size();
                    let called = called(&file, &section, &functions);
                    for function in functions.get(&section.index().0).into_iter().flatten() {
                        let calls = called.iter().filter(|name| *name != function).cloned().collect();
                        sizes.calls.insert(function.clone(), calls);
                    }
                }
                SectionKind::ReadOnlyData
                | SectionKind::ReadOnlyDataWithRel
                | SectionKind::ReadOnlyString
                | SectionKind::Data => sizes.constants += section.size(),
                _ => {}
            }
        }
        sizes.names = functions.into_values().filter(|names| names.len() > 1).collect();
        Ok(sizes)
    }
}

/// The functions to which places of a section refer.
fn called(file: &File, section: &object::Section, functions: &BTreeMap<usize, Vec<String>>) -> BTreeSet<String> {
    let mut called = BTreeSet::new();
    for (_, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(index) else { continue };
        match (symbol.kind(), symbol.section_index()) {
            (SymbolKind::Section, Some(other)) if other != section.index() => {
                called.extend(functions.get(&other.0).into_iter().flatten().cloned());
            }
            (SymbolKind::Text, _) | (_, None) => called.extend(symbol.name_bytes().ok().map(printable)),
            _ => {}
        }
    }
    called.remove("");
    called
}
