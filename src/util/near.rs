//! The nearest known word to an unknown one, for messages such as "did you mean …".

/// Letters of a word that are compared.
const MAX_WORD: usize = 64;

/// The candidate that a misspelt `word` most likely meant; none when nothing is near.
/// Compares without case; at most a third of the letters (but one at least) may differ, or one contains the other.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = fold(word);
    if wanted.is_empty() || wanted.len() > MAX_WORD {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let have = fold(candidate);
        if have.len() > MAX_WORD {
            continue;
        }
        let allowed = (wanted.len().max(have.len()) / 3).max(1);
        let mut cost = edits(&wanted, &have);
        if cost > allowed && wanted.len().min(have.len()) >= 3 && (contains(&have, &wanted) || contains(&wanted, &have)) {
            cost = allowed;
        }
        if cost <= allowed && best.is_none_or(|(b, _)| cost < b) {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, c)| c)
}

/// Lower case without the signs that people mix up in names.
fn fold(word: &str) -> Vec<char> {
    word.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

fn contains(all: &[char], part: &[char]) -> bool {
    !part.is_empty() && all.windows(part.len()).any(|w| w == part)
}

/// Edits from one word to the other: a letter inserted, deleted or replaced, or two neighbours swapped. Words are cut at 64 letters.
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(MAX_WORD).collect(), b.chars().take(MAX_WORD).collect());
    edits(&a, &b)
}

fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // The row before that one, for swaps.
    let mut above: Vec<usize> = Vec::new();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (row[j] + usize::from(x != y)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(above[j - 1] + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_far_ones_are_not() {
        let all = ["command", "timeout", "description"];
        assert_eq!(nearest("cmd", all), None);
        assert_eq!(nearest("comand", all), Some("command"));
        assert_eq!(nearest("timeOut", all), Some("timeout"));
        assert_eq!(nearest("time", all), Some("timeout"));
        assert_eq!(nearest("filePath", ["file_path", "path"]), Some("file_path"));
        assert_eq!(nearest("", all), None);
        assert_eq!(nearest("x", []), None);
        assert_eq!(nearest("agnets", ["agents", "help"]), Some("agents"));
        assert_eq!(nearest("contxt", ["context", "cost"]), Some("context"));
        assert_eq!(nearest("frobnicate", ["agents", "help"]), None);
    }

    #[test]
    fn a_swap_of_neighbours_is_one_edit_as_the_others_are() {
        for (a, b, edits) in
            [("", "", 0), ("", "ab", 2), ("ab", "", 2), ("same", "same", 0), ("kitten", "sitting", 3), ("agnets", "agents", 1), ("ba", "abc", 2), ("é", "e", 1)]
        {
            assert_eq!(distance(a, b), edits, "{a:?} to {b:?}");
            assert_eq!(distance(b, a), edits, "{b:?} to {a:?}");
        }
        assert_eq!(distance(&"x".repeat(1000), ""), MAX_WORD);
    }
}
