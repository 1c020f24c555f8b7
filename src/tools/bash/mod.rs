//! Commands; built next.
/// The watcher's process.
#[must_use]
pub fn watch_main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
