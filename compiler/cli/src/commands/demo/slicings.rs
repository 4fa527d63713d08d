//! The slicings that a report explains, each in a line with a small drawing: where the bits of three blocks lie in registers.

use std::fmt::Write;

/// Blocks, words of a block, and bits of a word that are drawn.
const BLOCKS: usize = 3;
const WORDS: usize = 2;
const BITS: usize = 4;
const CELL: usize = 14;

/// A paragraph for each slicing that is among these letters.
pub fn explained(letters: &[&str]) -> String {
    let all = [
        (
            "v",
            "vertical",
            "a word of a block is a lane of a register; the same word of other blocks is in the other lanes",
        ),
        (
            "h",
            "horizontal",
            "the bits of a word are spread over the lanes of a register, beside the same bits of other blocks",
        ),
        (
            "b",
            "bitslice",
            "each bit of a block is a register of its own, with the same bit of every other block beside it",
        ),
    ];
    let mut text = String::new();
    for (letter, name, line) in all.iter().filter(|(letter, ..)| letters.contains(letter)) {
        let _ = writeln!(text, "<p class=\"slicing\">{} <b>{name}</b>: {line}.</p>", drawing(letter));
    }
    text
}

/// Rows are registers, cells are bits, and colours are blocks; a darker cell is a bit of the second word.
fn drawing(letter: &str) -> String {
    let of_bit = |block: usize, word: usize, bit: usize| match letter {
        "v" => (word, block * BITS + bit),
        "h" => (word, bit * BLOCKS + block),
        _ => (word * BITS + bit, block),
    };
    let (rows, columns) = if letter == "b" { (WORDS * BITS, BLOCKS) } else { (WORDS, BITS * BLOCKS) };
    let mut svg = format!(
        "<svg role=\"img\" aria-label=\"{letter}\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">",
        columns * CELL + 1,
        rows * CELL + 1
    );
    for block in 0..BLOCKS {
        for (word, bit) in (0..WORDS).flat_map(|word| (0..BITS).map(move |bit| (word, bit))) {
            let (row, column) = of_bit(block, word, bit);
            let color = ["#3b7dd8", "#d8833b", "#4ca64c"][block];
            let opacity = if word == 0 { 0.55 } else { 1.0 };
            let _ = write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{size}\" height=\"{size}\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>",
                column * CELL + 1,
                row * CELL + 1,
                size = CELL - 2,
            );
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_has_a_place_of_its_own() {
        for letter in ["v", "h", "b"] {
            let drawn = drawing(letter);
            let mut places: Vec<&str> =
                drawn.split("<rect ").skip(1).filter_map(|rect| rect.split(" width").next()).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), BLOCKS * WORDS * BITS, "{letter}");
        }
    }
}
