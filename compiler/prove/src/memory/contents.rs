//! Words by their offset from a region's base, none overlapping. They are kept in pages, so that a word's place is
//! found without a search.

use std::collections::VecDeque;
use std::ops::Range;

use smallvec::SmallVec;

/// Size of a page in bytes: its words begin in these bytes.
const PAGE: i64 = 64;

/// The words that begin in a page, in ascending order, by the offset from its start.
type Page<W> = SmallVec<[(u8, W); 1]>;

#[derive(Debug, Clone)]
pub(super) struct Contents<W> {
    /// The number of the first page.
    first: i64,
    pages: VecDeque<Page<W>>,
}

impl<W> Default for Contents<W> {
    fn default() -> Self {
        Contents { first: 0, pages: VecDeque::new() }
    }
}

impl<W> Contents<W> {
    /// All words, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &W)> {
        let starts = (self.first..).map(|page| page * PAGE);
        starts
            .zip(&self.pages)
            .flat_map(|(start, page)| page.iter().map(move |(at, word)| (start + i64::from(*at), word)))
    }

    /// Returns the word that begins exactly at `at`.
    pub fn get_mut(&mut self, at: i64) -> Option<&mut W> {
        let page = self.index(at.div_euclid(PAGE))?;
        let at = at.rem_euclid(PAGE) as u8;
        self.pages[page].iter_mut().find(|(start, _)| *start == at).map(|(_, word)| word)
    }

    /// Returns the last word that begins at `at` or before.
    pub fn up_to(&self, at: i64) -> Option<(i64, &W)> {
        let last = self.first + self.pages.len() as i64 - 1;
        let mut page = at.div_euclid(PAGE).min(last);
        while let Some(index) = self.index(page) {
            let start = page * PAGE;
            let words = self.pages[index].iter().rev().map(|(within, word)| (start + i64::from(*within), word));
            if let Some(found) = words.into_iter().find(|&(begin, _)| begin <= at) {
                return Some(found);
            }
            page -= 1;
        }
        None
    }

    /// Returns the first word that begins in a range.
    pub fn first_in(&self, range: Range<i64>) -> Option<(i64, &W)> {
        for page in self.pages_of(&range) {
            let start = (self.first + page as i64) * PAGE;
            let mut words = self.pages[page].iter().map(|(within, word)| (start + i64::from(*within), word));
            if let Some(found) = words.find(|(begin, _)| range.contains(begin)) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the words that begin in a range, in ascending order.
    pub fn range_mut(&mut self, range: Range<i64>) -> impl Iterator<Item = (i64, &mut W)> {
        let pages = self.pages_of(&range);
        let starts = (self.first + pages.start as i64..).map(|page| page * PAGE);
        let words = starts
            .zip(self.pages.range_mut(pages))
            .flat_map(|(start, page)| page.iter_mut().map(move |(within, word)| (start + i64::from(*within), word)));
        words.filter(move |(begin, _)| range.contains(begin))
    }

    /// Inserts a word that begins at `at`, in the place of any word that began there.
    pub fn insert(&mut self, at: i64, word: W) {
        let page = at.div_euclid(PAGE);
        if self.pages.is_empty() {
            self.first = page;
        }
        while page < self.first {
            self.pages.push_front(Page::new());
            self.first -= 1;
        }
        let index = (page - self.first) as usize;
        while self.pages.len() <= index {
            self.pages.push_back(Page::new());
        }
        let within = at.rem_euclid(PAGE) as u8;
        let words = &mut self.pages[index];
        let place = words.iter().position(|(start, _)| *start >= within).unwrap_or(words.len());
        match words.get_mut(place) {
            Some((start, old)) if *start == within => *old = word,
            _ => words.insert(place, (within, word)),
        }
    }

    /// Removes the word that begins at `at`.
    pub fn remove(&mut self, at: i64) {
        let Some(page) = self.index(at.div_euclid(PAGE)) else { return };
        let within = at.rem_euclid(PAGE) as u8;
        self.pages[page].retain(|(start, _)| *start != within);
    }

    /// Removes the words that begin in a range.
    pub fn clear(&mut self, range: Range<i64>) {
        for index in self.pages_of(&range) {
            let start = (self.first + index as i64) * PAGE;
            self.pages[index].retain(|(within, _)| !range.contains(&(start + i64::from(*within))));
        }
    }

    fn index(&self, page: i64) -> Option<usize> {
        usize::try_from(page - self.first).ok().filter(|&index| index < self.pages.len())
    }

    /// Returns the indices of the pages in which words of a range begin.
    fn pages_of(&self, range: &Range<i64>) -> Range<usize> {
        let within = |page: i64| (page - self.first).clamp(0, self.pages.len() as i64) as usize;
        let start = within(range.start.div_euclid(PAGE));
        start..within((range.end - 1).div_euclid(PAGE) + 1).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use culet_decide::bits::random;
    use std::collections::BTreeMap;

    /// Contents with words as short as a byte agree with a sorted map.
    #[test]
    fn contents_are_a_sorted_map() {
        let mut seed = 5;
        for _ in 0..200 {
            let (mut contents, mut map) = (Contents::default(), BTreeMap::new());
            for _ in 0..100 {
                let mut place = || (random(&mut seed) % 600) as i64 - 300;
                let (at, other) = (place(), place());
                let range = at.min(other)..at.max(other);
                match random(&mut seed) % 4 {
                    0 => {
                        contents.remove(at);
                        map.remove(&at);
                    }
                    1 if at % 8 == 0 => {
                        contents.clear(range.clone());
                        map.retain(|at, _| !range.contains(at));
                    }
                    1 => {
                        let words: Vec<_> = contents.range_mut(range.clone()).map(|(at, word)| (at, *word)).collect();
                        assert_eq!(words, map.range(range.clone()).map(|(&at, &word)| (at, word)).collect::<Vec<_>>());
                    }
                    _ => {
                        contents.insert(at, other);
                        map.insert(at, other);
                    }
                }
                let pair = |(&at, &word)| (at, word);
                assert_eq!(contents.get_mut(at).copied(), map.get(&at).copied());
                assert_eq!(contents.up_to(at).map(|(at, &word)| (at, word)), map.range(..=at).next_back().map(pair));
                let first = contents.first_in(range.clone()).map(|(at, &word)| (at, word));
                assert_eq!(first, map.range(range).next().map(pair));
            }
            assert!(contents.iter().map(|(at, &word)| (at, word)).eq(map.iter().map(|(&at, &word)| (at, word))));
        }
    }
}
