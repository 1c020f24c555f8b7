//! A small bar of full and empty cells: `▰▰▱▱`.

/// A bar of `cells` cells for `part` of `whole`. Never more than full; something is never drawn as nothing; empty for an unknown whole.
#[must_use]
pub fn bar(part: u64, whole: u64, cells: usize) -> String {
    let cells = cells.min(1_000);
    let wide = u128::try_from(cells).unwrap_or(0);
    let full = (u128::from(part.min(whole)) * wide).checked_div(u128::from(whole)).unwrap_or(0);
    let full = usize::try_from(full).unwrap_or(cells);
    let full = if part > 0 && whole > 0 { full.max(1) } else { full }.min(cells);
    "▰".repeat(full) + &"▱".repeat(cells - full)
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn h03_a_bar_is_never_over_full_and_never_undefined() {
        assert_eq!(bar(1, 2, 4), "▰▰▱▱");
        assert_eq!(bar(9, 2, 4), "▰▰▰▰");
        assert_eq!(bar(5, 0, 4), "▱▱▱▱");
        assert_eq!(bar(1, 1_000, 4), "▰▱▱▱");
        assert_eq!(bar(u64::MAX, u64::MAX, 3), "▰▰▰");
        assert_eq!(bar(0, 1, 0), "");
    }
}
