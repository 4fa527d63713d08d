//! The model's cycles of operations that C compilers put into vectors of words.

use culet_ir::{Target, parse};
use culet_passes::{Context, predicted_cycles};

/// Cycles of a hundred permutations of sixteen words, of which each needs none of the others.
fn permuted(word: impl Fn(usize) -> usize) -> f64 {
    let pattern: Vec<String> = (0..16).map(|k| word(k).to_string()).collect();
    let mut text = String::from("entry fn main { output r: v<16,1>[100] input a: v<16,1>[100]\n");
    for k in 0..100 {
        text.push_str(&format!("v{k} = load.v<16,1> a[{k}] v10{k} = perm.v<16,1> v{k}, [{}]\n", pattern.join(", ")));
        text.push_str(&format!("store r[{k}], v10{k}\n"));
    }
    text.push_str("}\n");
    predicted_cycles(&parse(&text).expect("a module"), &Context::new(Target::C64))
}

/// Words that stay cost nothing, those that are neighbours elsewhere a load, and those that come from four registers three shuffles.
#[test]
fn permutations_of_words_cost_what_their_words_need() {
    let [stay, turn, exchange, scatter] =
        [permuted(|k| k), permuted(|k| (k + 4) % 16), permuted(|k| k ^ 1), permuted(|k| k % 4 * 4 + k / 4)];
    assert!(turn >= stay + 200.0 && exchange >= stay + 200.0, "{stay} {turn} {exchange}");
    assert!(scatter >= stay + 900.0, "{stay} {scatter}");
    assert!((turn - exchange).abs() < 50.0, "{turn} {exchange}");
}
