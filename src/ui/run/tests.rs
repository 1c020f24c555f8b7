//! The loop with a test backend, a fed input and a paused clock; and the bytes that reach a terminal emulator.

use super::*;
use crate::protocol::{AgentId, EventKind};
use crate::ui::frame::FrameWriter;
use crossterm::event::{Event as Term, KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::TestBackend;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use tokio::task::LocalSet;

/// Keys as the terminal library gives them: only the first waker since the last event is remembered.
#[derive(Clone, Default)]
struct Keys(Arc<Mutex<(VecDeque<Term>, Option<Waker>)>>);

impl Keys {
    async fn send(&self, event: Term) {
        let waker = {
            let mut inner = self.0.lock().unwrap();
            inner.0.push_back(event);
            inner.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        tokio::task::yield_now().await;
    }
}

impl futures_util::Stream for Keys {
    type Item = io::Result<Term>;
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut inner = self.0.lock().unwrap();
        if let Some(event) = inner.0.pop_front() {
            return Poll::Ready(Some(Ok(event)));
        }
        inner.1.get_or_insert_with(|| context.waker().clone());
        Poll::Pending
    }
}

/// A host whose keys are fed.
struct Fed {
    keys: Keys,
    outside: mpsc::Receiver<Outside>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Host for Fed {
    type Input = Keys;

    fn input(&mut self) -> Keys {
        // A fresh stream knows no waker of the dropped one.
        self.keys.0.lock().unwrap().1 = None;
        self.keys.clone()
    }
    fn size(&self) -> (u16, u16) {
        (80, 24)
    }
    fn enter(&mut self, _: &Setup) -> io::Result<()> {
        self.calls.lock().unwrap().push("enter".into());
        Ok(())
    }
    async fn suspend(&mut self) {
        self.calls.lock().unwrap().push("suspend".into());
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    async fn edit(&mut self, _: &Setup, text: String) -> Result<String, String> {
        Ok(format!("{text} edited\n"))
    }
    async fn page(&mut self, _: &Setup, _: String) -> Result<(), String> {
        Ok(())
    }
    async fn outside(&mut self) -> Outside {
        match self.outside.recv().await {
            Some(outside) => outside,
            None => std::future::pending().await,
        }
    }
    fn copy(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }
    fn notify(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Counts the frames that changed something.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>, Arc<Mutex<Vec<u8>>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.1.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Rig {
    keys: Keys,
    outside: mpsc::Sender<Outside>,
    events: mpsc::Sender<Event>,
    ops: mpsc::Receiver<Op>,
    calls: Arc<Mutex<Vec<String>>>,
    counter: Counter,
    task: tokio::task::JoinHandle<(io::Result<Exit>, VecDeque<Op>)>,
}

/// The render cache stays on its thread, so the loop does as well: call it inside a `LocalSet`.
fn rig(setup: Setup, ops_room: usize) -> Rig {
    let keys = Keys::default();
    let (outside, outside_queue) = mpsc::channel(8);
    let (events, event_queue) = mpsc::channel(256);
    let (op_sender, ops) = mpsc::channel(ops_room);
    let calls = Arc::new(Mutex::new(Vec::new()));
    let host = Fed { keys: keys.clone(), outside: outside_queue, calls: Arc::clone(&calls) };
    let counter = Counter::default();
    let (writer, held) = FrameWriter::new(counter.clone());
    let begun = Instant::now();
    let clock = move || 1_000_000 + u64::try_from(begun.elapsed().as_millis()).unwrap();
    let task = tokio::task::spawn_local(async move {
        let setup = Setup { keymap: Keymap::built_in(), ..setup };
        let screen = Screen::new(CrosstermBackend::new(writer), 80, 24, Some(held));
        drive(event_queue, op_sender, &setup, screen, host, clock).await
    });
    Rig { keys, outside, events, ops, calls, counter, task }
}

fn key(c: char) -> Term {
    Term::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))
}

fn ctrl(c: char) -> Term {
    Term::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL))
}

const ENTER: Term = Term::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));

fn delta(seq: u64) -> Event {
    Event { v: 1, seq, at: 1_000_000, agent: AgentId::MAIN, kind: EventKind::TextDelta { text: "word ".into() } }
}

async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

impl Rig {
    fn terminal(&self) -> vt100::Parser {
        let mut parser = vt100::Parser::new(std::num::NonZero::new(24).unwrap(), std::num::NonZero::new(80).unwrap(), 0);
        parser.process(&self.counter.1.lock().unwrap());
        parser
    }
    fn writes(&self) -> usize {
        self.counter.0.load(Ordering::SeqCst)
    }
    fn bytes(&self) -> usize {
        self.counter.1.lock().unwrap().len()
    }
}

#[tokio::test(start_paused = true)]
async fn keys_are_echoed_sent_and_the_cursor_stands_behind_them() {
    LocalSet::new()
        .run_until(async {
            let mut r = rig(Setup { folder: "~/proj".into(), ..Setup::default() }, 8);
            settle().await;
            assert!(r.terminal().screen().contents().contains("tui-agent  ~/proj"), "painted before anything happened");
            for c in "你好a".chars() {
                r.keys.send(key(c)).await;
            }
            settle().await;
            // One more after a rest: the loop still listens.
            r.keys.send(key('!')).await;
            settle().await;
            assert!(r.terminal().screen().contents().contains("❯ 你好a!"));
            r.keys.send(Term::Key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE))).await;
            settle().await;
            let terminal = r.terminal();
            let screen = terminal.screen();
            let (row, column) = screen.cursor_position();
            assert!(screen.contents_between(row, 0, row, 80).contains("❯ 你好a"), "{}", screen.contents());
            assert_eq!(column, 3 + 5);
            assert!(!screen.hide_cursor());
            r.keys.send(ENTER).await;
            assert_eq!(r.ops.recv().await, Some(Op::UserTurn { text: "你好a".into(), images: vec![] }));
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn u8_an_idle_interface_writes_nothing_and_a_key_few_bytes() {
    LocalSet::new()
        .run_until(async {
            let r = rig(Setup::default(), 8);
            settle().await;
            r.keys.send(key('x')).await;
            settle().await;
            let (writes, bytes) = (r.writes(), r.bytes());
            tokio::time::sleep(Duration::from_mins(10)).await;
            assert_eq!((r.writes(), r.bytes()), (writes, bytes));
            r.keys.send(key('y')).await;
            settle().await;
            assert!(r.bytes() - bytes <= 50, "{} bytes", r.bytes() - bytes);
            // A key that changes nothing writes nothing.
            let bytes = r.bytes();
            r.keys.send(Term::Key(KeyEvent::new(KeyCode::F(20), KeyModifiers::NONE))).await;
            settle().await;
            assert_eq!(r.bytes(), bytes);
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn u8_a_burst_is_merged_into_few_frames() {
    LocalSet::new()
        .run_until(async {
            let r = rig(Setup::default(), 8);
            settle().await;
            let writes = r.writes();
            for n in 0..20_000 {
                r.events.send(delta(n)).await.unwrap();
            }
            settle().await;
            assert!(r.writes() - writes < 200, "{}", r.writes() - writes);
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn many_requests_for_a_slow_engine_are_kept_in_order() {
    LocalSet::new()
        .run_until(async {
            let mut r = rig(Setup::default(), 1);
            settle().await;
            for n in 0..5 {
                for c in format!("m{n}").chars() {
                    r.keys.send(key(c)).await;
                }
                r.keys.send(ENTER).await;
            }
            settle().await;
            for n in 0..5 {
                assert_eq!(r.ops.recv().await, Some(Op::UserTurn { text: format!("m{n}"), images: vec![] }));
            }
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn it_ends_by_the_person_a_signal_or_the_engine() {
    LocalSet::new()
        .run_until(async {
            let r = rig(Setup::default(), 8);
            r.keys.send(ctrl('d')).await;
            assert_eq!(r.task.await.unwrap().0.unwrap().reason, ExitReason::Quit);
            let r = rig(Setup::default(), 8);
            r.outside.send(Outside::Signal(15)).await.unwrap();
            assert_eq!(r.task.await.unwrap().0.unwrap().reason, ExitReason::Signal(15));
            let r = rig(Setup::default(), 8);
            drop(r.events);
            assert_eq!(r.task.await.unwrap().0.unwrap().reason, ExitReason::EngineEnded);
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn e06_a_panic_that_takes_the_engine_ends_it_and_another_one_does_not() {
    LocalSet::new()
        .run_until(async {
            let r = rig(Setup::default(), 8);
            settle().await;
            r.outside.send(Outside::Panicked("boom".into())).await.unwrap();
            settle().await;
            settle().await;
            settle().await;
            assert_eq!(*r.calls.lock().unwrap(), ["enter"], "the terminal is taken again");
            drop(r.events);
            r.outside.send(Outside::Panicked("bang".into())).await.unwrap();
            let exit = r.task.await.unwrap().0.unwrap();
            assert_eq!(exit.reason, ExitReason::EngineEnded);
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn u9_a_suspended_interface_takes_events_in_and_paints_anew() {
    LocalSet::new()
        .run_until(async {
            let r = rig(Setup::default(), 8);
            settle().await;
            r.keys.send(ctrl('z')).await;
            settle().await;
            for n in 0..1_000 {
                r.events.send(delta(n)).await.unwrap();
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
            assert_eq!(*r.calls.lock().unwrap(), ["suspend", "enter"]);
            assert!(r.terminal().screen().contents().contains("tui-agent"));
            r.keys.send(key('q')).await;
            settle().await;
            assert!(r.terminal().screen().contents().contains("❯ q"));
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn u6_the_editor_gets_the_text_and_gives_it_back() {
    LocalSet::new()
        .run_until(async {
            let r = rig(Setup::default(), 8);
            r.keys.send(key('a')).await;
            r.keys.send(ctrl('g')).await;
            settle().await;
            assert!(r.terminal().screen().contents().contains("❯ a edited"), "{}", r.terminal().screen().contents());
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn u6_history_and_the_fold_are_kept_privately() {
    LocalSet::new()
        .run_until(async {
            let dir = tempfile::tempdir().unwrap();
            let setup =
                Setup { history_file: Some(dir.path().join("state/history.jsonl")), state_file: Some(dir.path().join("state/ui.toml")), ..Setup::default() };
            let r = rig(setup.clone(), 8);
            r.keys.send(key('h')).await;
            r.keys.send(ENTER).await;
            r.keys.send(ctrl('o')).await;
            settle().await;
            assert_eq!(std::fs::read_to_string(setup.history_file.as_ref().unwrap()).unwrap(), "\"h\"\n");
            assert!(!start(&setup, 80, 24, 0).trace_open);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(setup.history_file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
            }
        })
        .await;
}

#[test]
fn e01_wide_characters_and_the_cursor_reach_a_terminal_as_drawn() {
    use ratatui::layout::Position;
    use ratatui::style::Style;
    let counter = Counter::default();
    let (writer, held) = FrameWriter::new(counter.clone());
    let mut screen = Screen::new(CrosstermBackend::new(writer), 10, 2, Some(held));
    let mut parser = vt100::Parser::new(std::num::NonZero::new(2).unwrap(), std::num::NonZero::new(10).unwrap(), 0);
    for (text, x) in [("你好", 4), ("a你", 3), ("🌞x", 3), ("abcdefghij", 9), ("", 0), ("好", 2)] {
        screen
            .draw(|buf| {
                crate::ui::draw::paint::put(buf, buf.area, 0, 0, 10, text, Style::new());
                Some(Position { x, y: 0 })
            })
            .unwrap();
        let bytes = std::mem::take(&mut *counter.1.lock().unwrap());
        parser.process(&bytes);
        assert_eq!(parser.screen().contents().trim_end(), text);
        assert_eq!(parser.screen().cursor_position(), (0, x), "{text}");
    }
}

#[test]
fn e02_a_screen_without_cells_is_drawn() {
    let mut screen = Screen::new(TestBackend::new(0, 0), 0, 0, None);
    let mut ui = start(&Setup::default(), 0, 0, 1);
    screen.draw(|buf| draw(&mut ui, buf)).unwrap();
    screen.resize(1, 1);
    screen.draw(|buf| draw(&mut ui, buf)).unwrap();
}
