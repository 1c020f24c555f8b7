//! What every case uses: a world of its own, the scripted model server, headless runs, a terminal.
//! Nothing sleeps to synchronise: replies are held by conditions, and tests poll for what they need.

pub mod pty;
pub mod reply;
pub mod server;
pub mod wire;
pub mod world;

use std::time::{Duration, Instant};

/// How long anything may take before it counts as not happening. Generous: the machine may be busy.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Poll until there is a value; panics with what was seen instead.
pub fn until<T>(what: &str, seen: impl Fn() -> String, mut test: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(value) = test() {
            return value;
        }
        assert!(Instant::now() < end, "expected {what} within {LIMIT:?}; saw {}", seen());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Ids of living processes (zombies aside) whose command line contains a text.
pub fn living(needle: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let zombie = stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'));
        if !zombie && String::from_utf8_lossy(&line).replace('\0', " ").contains(needle) {
            found.push(pid);
        }
    }
    found
}

/// A duration that occurs nowhere else, to recognise a `sleep` by.
pub fn odd_sleep() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("300.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Wait until a process with this command line lives.
pub fn until_living(needle: &str) {
    until(&format!("a process {needle:?}"), String::new, || (!living(needle).is_empty()).then_some(()));
}

/// Wait until none does.
pub fn until_gone(needle: &str) {
    until(&format!("no process {needle:?}"), || format!("{:?}", living(needle)), || living(needle).is_empty().then_some(()));
}
