//! Functions of an image, by name.

use std::collections::{BTreeMap, BTreeSet};

use object::{Object, ObjectSymbol, SymbolFlags, SymbolKind, SymbolSection, elf};

use super::dynamic::Dynamic;
use super::{File, Function, ImageError, Symbol};

/// The function that a name stands for, or the reason why it stands for none.
pub(super) type Known = Result<Function, &'static str>;

/// Functions by name, and names of symbols that stand for none, with the reason.
pub(super) type Named = (BTreeMap<String, Function>, BTreeMap<String, &'static str>);

pub(super) const NO_FUNCTION: &str = "the symbol of that name is no function; assembly needs `.type NAME, @function`";
pub(super) const CHOSEN_LATER: &str = "what the name stands for is chosen when the program is loaded";
pub(super) const SEVERAL: &str = "the name stands for several functions, or for several versions of one";
pub(super) const ABSOLUTE: &str = "the symbol of that name is an address that does not move with the file";
pub(super) const NOT_FOUND: &str = "no loader finds that name in this file, though a table of symbols has it";

/// Returns a name as it may be printed; names that differ are printed differently. Characters that are not visible,
/// which could pass for lines of a message, are escaped, and so are backslashes and bytes that are no UTF-8.
pub fn printable(name: impl AsRef<[u8]>) -> String {
    let mut text = String::new();
    for chunk in name.as_ref().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '"' => text.push(c),
                _ => text.extend(c.escape_debug()),
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Returns the maximum number of bytes that the names of a file may take, which symbols may share, and to which chains
/// may lead repeatedly: more than linkers make, and no more than there is memory for.
pub(super) fn budget(file: &File) -> u64 {
    (16 * file.data().len() as u64 + (1 << 20)).min(1 << 28)
}

pub(super) fn too_much() -> ImageError {
    ImageError::Unreadable("its tables of names lead over the same bytes again and again".to_owned())
}

/// Returns the functions of an object. A function that other files see counts before a static function of that name.
pub(super) fn of_object<'data>(
    file: &File<'data>,
    mut address: impl FnMut(&Symbol<'data, '_>) -> Option<u64>,
) -> Result<Named, ImageError> {
    let (mut own, visible) = tables(file, &mut address)?;
    own.extend(visible);
    Ok(sorted(own))
}

/// Returns the functions of a shared object or an executable. A symbol that the loader finds by a name counts before
/// one that only debuggers read.
pub(super) fn of_loaded(file: &File, dynamic: Option<&Dynamic>) -> Result<Named, ImageError> {
    let is_absolute = |symbol: &Symbol| symbol.section() == SymbolSection::Absolute;
    let (mut all, visible) = tables(file, &mut |symbol| (!is_absolute(symbol)).then(|| symbol.address()))?;
    let Some(dynamic) = dynamic else {
        all.extend(visible);
        return Ok(sorted(all));
    };
    let mut found = dynamic.functions.clone();
    for (name, function) in visible {
        match (found.get(&name), function) {
            (None, _) if dynamic.is_program => drop(found.insert(name, function)),
            (None, _) => drop(found.insert(name, Err(NOT_FOUND))),
            (Some(Ok(one)), Ok(other)) if one.address != other.address => drop(found.insert(name, Err(SEVERAL))),
            _ => {}
        }
    }
    all.extend(found);
    Ok(sorted(all))
}

/// Returns the variables of a shared object or an executable that have names of their own, with their addresses and sizes in bytes. The table
/// for debuggers has most of them.
pub(super) fn variables(file: &File) -> BTreeMap<String, (u64, u64)> {
    let (mut variables, mut several) = (BTreeMap::new(), BTreeSet::new());
    let is_variable = |symbol: &Symbol| symbol.kind() == SymbolKind::Data && !symbol.is_undefined();
    for symbol in file.symbols().filter(is_variable) {
        let Ok(name) = symbol.name() else { continue };
        let place = (symbol.address(), symbol.size());
        let name = printable(name);
        if variables.insert(name.clone(), place).is_some_and(|before| before != place) {
            several.insert(name);
        }
    }
    variables.retain(|name, _| !several.contains(name));
    variables
}

fn sorted(all: BTreeMap<String, Known>) -> Named {
    let (mut functions, mut others) = (BTreeMap::new(), BTreeMap::new());
    for (name, function) in all {
        match function {
            Ok(function) => drop(functions.insert(name, function)),
            Err(why) => drop(others.insert(name, why)),
        }
    }
    (functions, others)
}

type Table = BTreeMap<String, Known>;

/// Returns what symbols stand for: those that only the file itself sees, and the others.
fn tables<'data>(
    file: &File<'data>,
    address: &mut impl FnMut(&Symbol<'data, '_>) -> Option<u64>,
) -> Result<(Table, Table), ImageError> {
    let mut left = budget(file);
    for symbol in file.symbols() {
        let length = symbol.name_bytes().map_or(0, <[u8]>::len) as u64;
        left = left.checked_sub(length).ok_or_else(too_much)?;
    }
    let symbols = file.symbols().filter(|symbol| !symbol.is_undefined());
    let (own, visible): (Vec<_>, Vec<_>) = symbols.partition(|symbol| symbol.is_local());
    Ok((unique(&own, address), unique(&visible, address)))
}

/// Returns functions by name, or the reason why there is none for a name that stands for several, for data, or for a
/// function that the loader chooses.
fn unique<'data>(symbols: &[Symbol<'data, '_>], address: &mut impl FnMut(&Symbol<'data, '_>) -> Option<u64>) -> Table {
    let mut named = Table::new();
    for symbol in symbols {
        let (Ok(name), Some(address)) = (symbol.name(), address(symbol)) else { continue };
        let function = match symbol.kind() {
            SymbolKind::Text if is_chosen_later(symbol) => Err(CHOSEN_LATER),
            SymbolKind::Text => Ok(Function { address, size: symbol.size() }),
            _ => Err(NO_FUNCTION),
        };
        let name = printable(name);
        let merged = named.get(&name).map_or(function, |before| merged(*before, function));
        named.insert(name, merged);
    }
    named
}

/// Returns what a name stands for if two symbols have it.
fn merged(before: Known, after: Known) -> Known {
    match (before, after) {
        (Ok(one), Ok(other)) if one.address != other.address => Err(SEVERAL),
        (Err(NO_FUNCTION), after) => after,
        (Ok(_), Err(CHOSEN_LATER)) => after,
        (before, _) => before,
    }
}

/// Whether a symbol is a function that stands for the one whose address it returns.
pub(super) fn is_chosen_later(symbol: &Symbol) -> bool {
    matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info & 0xf == elf::STT_GNU_IFUNC)
}
