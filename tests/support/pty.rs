//! The full-screen program in a pseudo-terminal of its own, and the screen that a person would see.
//!
//! The terminal is a plain one: it answers no queries and knows no keyboard protocol.

use super::server::Server;
use super::until;
use super::world::{BINARY, World};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A running program and its screen.
pub struct Tui {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    process: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
}

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
}

fn size_of(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

impl Tui {
    /// Start in a terminal of 120 × 40, and wait for the composer.
    pub fn start(world: &World, server: &Server, args: &[&str]) -> Self {
        let pair = native_pty_system().openpty(size_of(120, 40)).unwrap();
        let mut command = CommandBuilder::new(BINARY);
        command.args(["--provider", "anthropic", "--base-url", &server.url, "--model", "scripted-model"]);
        command.args(args);
        command.cwd(world.project());
        command.env_clear();
        for (key, value) in world.env() {
            command.env(key, value);
        }
        let process = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(Seen { parser: vt100::Parser::new(cells(40), cells(120), 0), raw: Vec::new() }));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let for_reader = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let mut seen = for_reader.lock().unwrap_or_else(PoisonError::into_inner);
                seen.raw.extend_from_slice(&buffer[..n]);
                seen.parser.process(&buffer[..n]);
            }
        });
        let writer = pair.master.take_writer().unwrap();
        let tui = Self { master: pair.master, writer, process, seen };
        tui.wait_for("scripted-model");
        tui
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows of the screen.
    pub fn screen(&self) -> String {
        self.seen().parser.screen().contents()
    }

    /// Every byte that the program wrote.
    pub fn raw(&self) -> Vec<u8> {
        self.seen().raw.clone()
    }

    /// Wait until the screen shows a text.
    pub fn wait_for(&self, text: &str) {
        until(&format!("{text:?} on the screen"), || self.screen(), || self.screen().contains(text).then_some(()));
    }

    /// Wait until it does not.
    pub fn wait_gone(&self, text: &str) {
        until(&format!("{text:?} to leave the screen"), || self.screen(), || (!self.screen().contains(text)).then_some(()));
    }

    /// Write bytes as a keyboard would.
    pub fn keys(&mut self, bytes: &str) {
        self.writer.write_all(bytes.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Type a line, see it in the composer, and send it.
    pub fn prompt(&mut self, text: &str) {
        self.keys(text);
        self.wait_for(text);
        self.keys("\r");
    }

    /// Answer an open question with a key. Its first 300 ms take no keys by design, so the key is given again as long
    /// as the question, known by a text of it, stays open.
    pub fn answer(&mut self, key: &str, question: &str) {
        self.wait_for(question);
        let mut tries = 0;
        loop {
            std::thread::sleep(Duration::from_millis(350));
            self.keys(key);
            for _ in 0..100 {
                if !self.screen().contains(question) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            tries += 1;
            assert!(tries < 10, "the question took no {key:?}: {}", self.screen());
        }
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.seen().parser.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size_of(columns, rows)).unwrap();
    }

    /// The exit code, once the program has ended.
    pub fn wait_end(&mut self) -> u32 {
        let seen = Arc::clone(&self.seen);
        let screen = move || seen.lock().unwrap_or_else(PoisonError::into_inner).parser.screen().contents();
        let process = &mut self.process;
        until("the end of the program", screen, || process.try_wait().unwrap()).exit_code()
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
