//! Session ids: 32 random hexadecimal digits in the form 8-4-4-4-12.

use crate::util::sha256;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A new id, from the system's random numbers; where there are none, from clock, process and a counter.
#[must_use]
pub fn new_session_id() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let mut random = [0u8; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut random)).is_ok();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let n = COUNTER.fetch_add(1, Ordering::Relaxed);
    let seed = if read { format!("{random:?}") } else { format!("{now} {} {n}", std::process::id()) };
    let hex = sha256::hex(seed.as_bytes());
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

/// Whether a text has the form of a session id, so that it can stand in a path.
#[must_use]
pub fn is_session_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|p| p.len()).eq([8, 4, 4, 4, 12]) && text.chars().all(|c| c == '-' || c.is_ascii_digit() || ('a'..='f').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_well_formed_and_differ() {
        let ids: std::collections::HashSet<String> = (0..500).map(|_| new_session_id()).collect();
        assert_eq!(ids.len(), 500);
        assert!(ids.iter().all(|id| is_session_id(id)), "{ids:?}");
        for bad in ["", "../../etc", "0123", "0123456X-1234-1234-1234-123456789abc"] {
            assert!(!is_session_id(bad), "{bad}");
        }
    }
}
