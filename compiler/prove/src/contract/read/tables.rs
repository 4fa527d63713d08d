//! Tables: many numbers behind one pointer, of which an index chooses one.

use culet_diag::codes::world;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use toml::Spanned;

use super::super::expression::{self, Expression, Table, entry_name};
use super::super::{Argument, Contract, Direction, InTable};
use super::{ArgumentText, ContractText, Equations, Reader};

/// Maximum number of entries of a table.
const MAX_ENTRIES: usize = 256;
/// Maximum size of a table in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of choices of values that are indices: each takes a proof.
const MAX_CHOICES: u64 = 1024;

impl Reader {
    /// Reads what an argument says of being a table; the answer is its place as the first entry.
    pub(super) fn table(&mut self, text: &ArgumentText, argument: &Argument, earlier: &[Argument]) -> Option<InTable> {
        let Some(entries) = &text.entries else {
            if let Some(stride) = &text.stride {
                self.error(&world::E0870, stride, "a table has `entries`; without, there is no `stride`");
            }
            return None;
        };
        let number = self.number(entries, entries.get_ref())?;
        let Some(count) = number.to_usize().filter(|count| (1..=MAX_ENTRIES).contains(count)) else {
            self.error(&world::E0873, entries, format!("expected 1 to {MAX_ENTRIES} entries, found {number}"));
            return None;
        };
        if argument.direction != Direction::In || argument.lanes > 1 {
            self.error(&world::E0870, entries, "a table is an `in`, without `lanes`");
        }
        let own = argument.bytes();
        let stride = match &text.stride {
            Some(stride)
                if *stride.get_ref() < own || !stride.get_ref().is_multiple_of(u64::from(argument.bits / 8)) =>
            {
                let message = format!("an entry has {own} bytes: expected as many or more, in whole words");
                self.error(&world::E0873, stride, message);
                own
            }
            Some(stride) if stride.get_ref().saturating_mul(count as u64) > MAX_BYTES => {
                let message = format!("the table has more than {MAX_BYTES} bytes");
                self.error(&world::E0873, stride, message);
                own
            }
            Some(stride) => *stride.get_ref(),
            None => own,
        };
        let offset = argument.offset();
        let is_beside = |(place, other): &(usize, &Argument)| {
            let owner = other.follows.map_or(*place, |(owner, _)| owner);
            argument.follows.is_some_and(|(own, _)| own == owner)
        };
        let beside = earlier.iter().enumerate().filter(is_beside).filter_map(|(_, other)| other.table.as_ref());
        let start = beside.map(|other| other.start).find(|start| (*start..start + stride).contains(&offset));
        Some(InTable { name: argument.name.clone(), index: 0, entries: count, stride, start: start.unwrap_or(offset) })
    }

    /// Returns where an argument lies that follows another one at an offset: beside its entries, if they leave room for
    /// those of a table with the same distance; else behind all of it.
    pub(super) fn place_after(&self, text: &ArgumentText, argument: &Argument, other: &Argument, offset: u64) -> u64 {
        let beside = offset + other.bytes();
        match &other.table {
            Some(table) if text.stride.as_ref().map(|stride| *stride.get_ref()) == Some(table.stride) => {
                let has_room = beside + argument.bytes() <= table.start + table.stride;
                if has_room { beside } else { other.end() }
            }
            Some(_) => other.end(),
            None => beside,
        }
    }

    /// Whether an equation takes entries of tables only. What is none is reported.
    pub(super) fn names_tables(&mut self, at: &Spanned<Equations>, side: &Expression, arguments: &[Argument]) -> bool {
        let is_table = |name: &str| {
            self.lists.contains_key(name) || arguments.iter().any(|other| other.name == name && other.table.is_some())
        };
        let named = |(table, _): (&Table, _)| match table {
            Table::Named(name) if !is_table(name) => Some(name.clone()),
            _ => None,
        };
        let Some(name) = side.entries().into_iter().find_map(named) else { return true };
        let message = format!(
            "`{name}` is no table: that is an `in` with `entries`, or a list of constants; limbs have no names here"
        );
        self.error(&world::E0871, at, message);
        false
    }

    /// Checks that each entry that an equation names is in its table, for every value of the index.
    pub(super) fn entries_are_there(&mut self, parsed: &ContractText, contract: &Contract) {
        let at = &parsed.equation;
        for (place, below) in contract.indices() {
            let argument = &contract.arguments[place];
            let is_whole = argument.limbs.first().is_none_or(|limb| limb.position == 0);
            if argument.direction != Direction::Value || argument.is_truth || !is_whole {
                let message =
                    format!("`{}` is no index: a number, a length or a `value` at position 0 is", argument.name);
                return self.error(&world::E0871, at, message);
            }
            if below > MAX_CHOICES {
                let message = format!("the index `{}` has no bound, or one over {MAX_CHOICES}", argument.name);
                return self.error(&world::E0873, at, message);
            }
        }
        let choices = contract.indices().iter().fold(1u64, |product, (_, below)| product.saturating_mul(*below));
        if choices > MAX_CHOICES {
            let message = format!("the indices have {choices} values together; {MAX_CHOICES} are proved at most");
            return self.error(&world::E0873, at, message);
        }
        self.are_apart(parsed, contract);
        let choices = contract.choices();
        let sides = contract.equations.iter().flat_map(|equation| [&equation.left, &equation.right]);
        for (table, index) in sides.flat_map(Expression::entries) {
            let (name, entries) = match table {
                Table::Constants(all) => ("the list", Some(all.len())),
                Table::Named(name) => (&**name, entries_of(contract, name)),
            };
            // A name that is no table was reported.
            let Some(entries) = entries else { continue };
            if index.entries().iter().any(|(table, _)| matches!(table, Table::Named(_))) {
                let message =
                    format!("an index of `{name}` is an entry of an argument, which is no number that is known");
                self.error(&world::E0871, at, message);
                continue;
            }
            let found = choices.iter().find_map(|choice| {
                let of_name = |name: &str| {
                    let (_, value) = choice.iter().find(|(place, _)| contract.arguments[*place].name == name)?;
                    Some((*value).into())
                };
                let is_there = |index: &BigInt| index.to_usize().is_some_and(|place| place < entries);
                Some(expression::value(index, of_name)).filter(|index| !index.as_ref().is_ok_and(is_there))
            });
            match found {
                Some(Err(name)) => {
                    let message = format!("`{name}` is no index: a number, a length or a `value` at position 0 is");
                    self.error(&world::E0871, at, message);
                }
                Some(Ok(index)) => {
                    let message =
                        format!("there is no `{}`: the table has {entries} entries", entry_name(name, Some(&index)));
                    self.error(&world::E0873, at, message);
                }
                None => {}
            }
        }
    }

    /// Checks that numbers behind one pointer share no bytes.
    fn are_apart(&mut self, parsed: &ContractText, contract: &Contract) {
        let mut places: Vec<(usize, u64, &Argument)> = (0..)
            .zip(&contract.arguments)
            .filter(|(_, argument)| argument.direction.is_pointer())
            .map(|(place, argument)| (contract.owner(place), argument.offset(), argument))
            .collect();
        places.sort_by_key(|(owner, offset, _)| (*owner, *offset));
        let clash = places.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 + pair[0].2.bytes() > pair[1].1);
        if let Some([(_, _, first), (_, _, second)]) = clash {
            let message = format!("`{}` and `{}` share bytes behind one pointer", first.name, second.name);
            self.error(&world::E0873, &parsed.symbol, message);
        }
    }
}

fn entries_of(contract: &Contract, name: &str) -> Option<usize> {
    contract
        .arguments
        .iter()
        .find_map(|argument| argument.table.as_ref().filter(|table| table.name == name).map(|table| table.entries))
}

/// Returns arguments with each entry of a table as one of its own, the first in the table's place.
pub(super) fn expanded(mut arguments: Vec<Argument>) -> Vec<Argument> {
    let mut others = Vec::new();
    for (place, argument) in arguments.iter_mut().enumerate() {
        let Some(table) = argument.table.clone() else { continue };
        let (owner, start) = argument.follows.unwrap_or((place, 0));
        let name = |index: usize| entry_name(&table.name, Some(&index.into()));
        for index in 1..table.entries {
            let follows = Some((owner, start + index as u64 * table.stride));
            let table = Some(InTable { index, ..table.clone() });
            others.push(Argument { name: name(index), follows, table, ..argument.clone() });
        }
        argument.name = name(0);
    }
    arguments.extend(others);
    arguments
}
