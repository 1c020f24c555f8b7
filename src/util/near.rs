//! The nearest known word to an unknown one, for messages such as "did you mean …".

/// The candidate that a misspelt `word` most likely meant; none when nothing is near.
/// Compares without case; at most a third of the letters (but one at least) may differ, or one contains the other.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = fold(word);
    if wanted.is_empty() || wanted.len() > 200 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let have = fold(candidate);
        if have.len() > 200 {
            continue;
        }
        let allowed = (wanted.len().max(have.len()) / 3).max(1);
        let mut cost = distance(&wanted, &have);
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

/// Insertions, deletions and replacements from one word to the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = before + usize::from(x != y);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
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
    }
}
