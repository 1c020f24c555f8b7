//! A hundred children with ten thousand events each, folded into the view and drawn at 120 × 40: how much memory the view takes, and
//! whether a frame late in the session costs more than an early one.
//!
//! `cargo bench --bench children` runs it whole (`--profile dev` for the build that the tests use); as a part of the tests it runs small.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::format_collect)] // A bench: it prints, and ends when something is wrong.

use std::time::{Duration, Instant};
use tui_agent::config::keymap::Keymap;
use tui_agent::config::schema::UiConfig;
use tui_agent::protocol::event::EVENT_VERSION;
use tui_agent::protocol::{AgentId, AgentInfo, Budget, CallId, Display, Event, EventKind, Gauge, Usage};
use tui_agent::ui::draw::draw;
use tui_agent::ui::msg::Msg;
use tui_agent::ui::overlays::{Overlay, child};
use tui_agent::ui::theme::Theme;
use tui_agent::ui::update::{Ui, update};

/// Events between two frames: about what a busy second at 60 frames brings.
const EVENTS_PER_FRAME: u64 = 250;

struct Bench {
    ui: Ui,
    seq: u64,
    folding: Duration,
    frames: Vec<Duration>,
}

impl Bench {
    fn new() -> Self {
        let mut ui = Ui::new(UiConfig::default(), Keymap::built_in(), Theme::default());
        ui.size = (120, 40);
        Self { ui, seq: 0, folding: Duration::ZERO, frames: Vec::new() }
    }

    fn engine(&mut self, agent: AgentId, kind: EventKind) {
        self.seq += 1;
        let event = Event { v: EVENT_VERSION, seq: self.seq, at: 1_000_000 + self.seq, agent, kind };
        let start = Instant::now();
        update(&mut self.ui, Msg::Engine(event), 1_000_000 + self.seq);
        self.folding += start.elapsed();
        if self.seq.is_multiple_of(EVENTS_PER_FRAME) {
            let time = self.frame();
            self.frames.push(time);
        }
    }

    fn frame(&mut self) -> Duration {
        let start = Instant::now();
        let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 120, 40));
        draw(&mut self.ui, &mut buffer);
        let time = start.elapsed();
        assert!(buffer.content().iter().any(|c| c.symbol() != " "), "something was drawn");
        time
    }

    /// The median of some frames with one child on the whole screen.
    fn child_frame(&mut self, n: u32) -> Duration {
        self.ui.overlays.push(Overlay::Child(child::State::new(AgentId::child(n))));
        let mut times: Vec<Duration> = (0..21).map(|_| self.frame()).collect();
        self.ui.overlays.pop();
        times.sort();
        times[10]
    }
}

fn spawned(n: u32) -> EventKind {
    let info = AgentInfo {
        id: AgentId::child(n),
        parent: AgentId::MAIN,
        depth: 1,
        kind: "Explore".into(),
        description: format!("look at part {n}"),
        prompt: "Look at every file of this part and report with path and line. ".repeat(8),
        model: "m".into(),
        background: true,
        max_requests: 1_000_000,
        budget: Budget::default(),
        read_only: true,
        fork: false,
    };
    EventKind::AgentSpawned { info, call: None, pending: false }
}

/// The event of a working child at a step: requests with words and three calls with output, again and again.
fn step(child: u32, n: u64) -> EventKind {
    let call = |k: u64| CallId(format!("toolu_{child}_{}_{k}", n / 20));
    let output = || (0..20).map(|line| format!("src/part{child}/file{n}.rs:{line}: fn found_{n}() {{}}\n")).collect::<String>();
    match n % 20 {
        0 => EventKind::RequestStarted { n: u32::try_from(n / 20 + 1).unwrap(), max: 1_000_000 },
        k @ 1..=6 => EventKind::TextDelta { text: format!("Step {n} of child {child}: **found** something in `file{k}.rs`. ") },
        k @ (7 | 10 | 13) => EventKind::ToolStarted { call: call(k), name: "Grep".into(), title: format!("found_{n} in src/part{child}") },
        k @ (8 | 11 | 14) => EventKind::ToolProgressed { call: call(k - 1), tail: format!("{n} matches so far") },
        k @ (9 | 12 | 15) => {
            EventKind::ToolFinished { call: call(k - 2), is_error: false, summary: "20 matches".into(), display: Display::Text { text: output() } }
        }
        16..=18 => {
            let usage = Usage { input: n * 90, output: n, cache_read: 0, cache_write: 0 };
            let gauge = Gauge { used: n % 200_000, window: 200_000, estimated: false, compact_at: 150_000 };
            EventKind::UsageUpdated { gauge, usage, cost_usd: 0.01 }
        }
        _ => EventKind::ReplyFinished { usage: Usage::default() },
    }
}

/// Resident memory in KiB; none where the system does not say.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?.trim().split(' ').next()?.parse().ok()
}

fn mib(kib: Option<u64>) -> String {
    kib.map_or("unknown".into(), |k| format!("{}.{} MiB", k / 1024, k % 1024 * 10 / 1024))
}

fn figures(name: &str, frames: &[Duration]) {
    let mut sorted = frames.to_vec();
    sorted.sort();
    let at = |percent: usize| sorted[(sorted.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
    println!("  {name:<14} {:.2} ms median, {:.2} ms at 95 %, {:.2} ms worst ({} frames)", at(50), at(95), at(100), sorted.len());
}

fn main() {
    let whole = std::env::args().any(|a| a == "--bench");
    let (children, events) = if whole { (100, 10_000) } else { (10, 500) };
    let mut bench = Bench::new();
    bench.frame();
    let before = resident();
    for n in 1..=children {
        bench.engine(AgentId::child(n), spawned(n));
    }
    println!("{children} children, {events} events each, 120 × 40");
    println!("  memory         {} before", mib(before));
    for n in 0..events {
        for c in 1..=children {
            bench.engine(AgentId::child(c), step(c, n));
        }
        if (n + 1) % (events / 4) == 0 {
            let growth = resident().zip(before).map(|(now, then)| now.saturating_sub(then));
            println!("  memory         +{} after {} events", mib(growth), u64::from(children) * (n + 1));
        }
    }
    let tenth = bench.frames.len() / 10;
    figures("early frames", &bench.frames[..tenth.max(1)]);
    figures("late frames", &bench.frames[bench.frames.len() - tenth.max(1)..]);
    println!("  a child        {:.2} ms per frame on the whole screen", bench.child_frame(1).as_secs_f64() * 1000.0);
    let each = bench.folding.as_secs_f64() * 1e6 / f64::from(u32::try_from(bench.seq).unwrap_or(u32::MAX));
    println!("  folding        {each:.1} µs per event");
}
