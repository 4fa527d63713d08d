//! Bytes that are nearly good.

use crate::bytes::Random;

/// Bytes that say something in DER or before a point, and ends of ranges.
const TELLING: [u8; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 0x30, 0x7f, 0x80, 0x81, 0x82, 0xff];

/// One of the good ones with up to four changes; with none, it is good still.
pub fn mutate(good: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = good[random.below(good.len())].clone();
    for _ in 0..random.below(5) {
        change(&mut input, good, random);
    }
    input
}

fn change(input: &mut Vec<u8>, good: &[Vec<u8>], random: &mut Random) {
    let place = random.below(input.len() + 1);
    let length = 1 + random.below(8.min(input.len() - place + 1));
    let end = input.len().min(place + length);
    let some = random.next() as u8;
    let telling = TELLING[random.below(TELLING.len())];
    match random.below(10) {
        0 | 1 if place < input.len() => input[place] ^= 1 << (some % 8),
        2 if place < input.len() => input[place] = some,
        3 if place < input.len() => input[place] = telling,
        4 => input.insert(place, telling),
        5 => drop(input.drain(place..end)),
        6 => input.truncate(place),
        7 => input[place..].fill(telling),
        // Lengths and contents of DER that move together.
        8 if place < input.len() => input[place] = input[place].wrapping_add(some % 3).wrapping_sub(1),
        _ => {
            let other = &good[random.below(good.len())];
            let part = &other[place.min(other.len())..end.min(other.len())];
            let from = random.below(input.len() + 1);
            input.splice(from..from, part.iter().copied());
        }
    }
}
