//! A model server on loopback that speaks the Anthropic stream. It answers by rules, records every request, and fails
//! the test when a request has a shape that no provider would take (SPEC L2, L3) or that no rule expects.

use super::reply::{Match, Reply, Rule, When};
use super::until;
use super::wire::{self, Request, user_texts};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A running server; it ends with the value, and then reports what was wrong.
pub struct Server {
    shared: Arc<Shared>,
    pub url: String,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    rules: Vec<Rule>,
    requests: Vec<Request>,
    counts: HashMap<String, usize>,
    opened: HashSet<String>,
    problems: Vec<String>,
    /// Streams that the program closed before their end.
    dropped: HashMap<String, usize>,
    next_call: u64,
    stopped: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Server {
    /// Start with rules; the first that matches answers.
    pub fn start(rules: impl IntoIterator<Item = Rule>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State { rules: rules.into_iter().collect(), ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let for_all = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&for_all);
                if shared.lock().stopped {
                    return;
                }
                std::thread::spawn(move || answer(&shared, stream));
            }
        });
        Self { shared, url }
    }

    /// Let held replies go.
    pub fn open(&self, gate: &str) {
        self.shared.lock().opened.insert(gate.to_owned());
        self.shared.changed.notify_all();
    }

    /// How many requests a rule got.
    pub fn count(&self, rule: &str) -> usize {
        self.shared.lock().counts.get(rule).copied().unwrap_or(0)
    }

    /// Wait until a rule has got so many requests.
    pub fn wait(&self, rule: &str, n: usize) {
        let seen = || format!("{:?}", self.shared.lock().counts);
        until(&format!("request {n} of {rule}"), seen, || (self.count(rule) >= n).then_some(()));
    }

    /// Wait until the program has closed a held stream of a rule.
    pub fn wait_dropped(&self, rule: &str) {
        let seen = || format!("{:?}", self.shared.lock().dropped);
        until(&format!("the stream of {rule} to be closed"), seen, || self.shared.lock().dropped.contains_key(rule).then_some(()));
    }

    /// The requests of a rule.
    pub fn requests(&self, rule: &str) -> Vec<Request> {
        self.shared.lock().requests.iter().filter(|r| r.rule == rule).cloned().collect()
    }

    /// The requests of a rule, which must be so many.
    pub fn only(&self, rule: &str, n: usize) -> Vec<Request> {
        let found = self.requests(rule);
        assert_eq!(found.len(), n, "the requests of {rule}");
        found
    }

    /// The last request of a rule.
    pub fn last(&self, rule: &str) -> Request {
        self.requests(rule).pop().unwrap_or_else(|| panic!("{rule} got no request"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        let problems = self.shared.lock().problems.clone();
        if !std::thread::panicking() {
            assert!(problems.is_empty(), "requests that no provider would take:\n{}", problems.join("\n"));
        } else if !problems.is_empty() {
            eprintln!("requests that no provider would take:\n{}", problems.join("\n"));
        }
    }
}

/// One connection: one request, one reply.
fn answer(shared: &Shared, mut stream: TcpStream) {
    let Some(body) = read_request(&stream) else { return };
    let Some((name, reply, first_id)) = take(shared, body) else {
        let _ = send_error(&mut stream, 400, "invalid_request_error", "no rule of the test expects this request");
        return;
    };
    let _ = respond(shared, &mut stream, &name, &reply, first_id);
}

fn read_request(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(n) = line.strip_prefix("content-length:") {
            length = n.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// Record a request and choose its reply.
fn take(shared: &Shared, body: Value) -> Option<(String, Reply, u64)> {
    let mut state = shared.lock();
    let texts = user_texts(&body);
    let found = state.rules.iter().find(|rule| match &rule.matches {
        Match::First(key) => texts.first().is_some_and(|t| t.contains(key)),
        Match::Said(key) => texts.iter().any(|t| t.contains(key)),
        Match::Any => true,
    });
    let chosen = found.map(|rule| {
        let n = state.counts.get(&rule.name).copied().unwrap_or(0).min(rule.replies.len() - 1);
        (rule.name.clone(), rule.replies[n].clone())
    });
    let name = chosen.as_ref().map_or("none", |(name, _)| name).to_owned();
    let mut problems: Vec<String> = wire::problems(&body).into_iter().map(|p| format!("{name}: {p}")).collect();
    if chosen.is_none() {
        problems.push(format!("no rule for the request that begins with {:?}", texts.first()));
    }
    state.problems.extend(problems);
    *state.counts.entry(name.clone()).or_default() += 1;
    state.requests.push(Request { rule: name, body });
    let first_id = state.next_call + 1;
    state.next_call += chosen.as_ref().map_or(0, |(_, r)| r.tools.len().max(1) as u64);
    drop(state);
    shared.changed.notify_all();
    chosen.map(|(name, reply)| (name, reply, first_id))
}

fn respond(shared: &Shared, stream: &mut TcpStream, name: &str, reply: &Reply, first_id: u64) -> std::io::Result<()> {
    if !hold(shared, stream, name, reply.before.as_ref()) {
        return Ok(());
    }
    if let Some(failure) = &reply.failure {
        return send_error(stream, failure.status, &failure.kind, &failure.message);
    }
    let (head, rest) = wire::stream(reply, first_id);
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    stream.write_all(head.as_bytes())?;
    stream.flush()?;
    if hold(shared, stream, name, reply.middle.as_ref()) {
        stream.write_all(rest.as_bytes())?;
        stream.flush()?;
    }
    Ok(())
}

fn send_error(stream: &mut TcpStream, status: u16, kind: &str, message: &str) -> std::io::Result<()> {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}}).to_string();
    let head = format!("HTTP/1.1 {status} Error\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Wait for what a reply waits for; false when the program went away or the test is over.
fn hold(shared: &Shared, stream: &TcpStream, name: &str, when: Option<&When>) -> bool {
    let Some(when) = when else { return true };
    let mut state = shared.lock();
    loop {
        let ready = match when {
            When::Opened(gate) => state.opened.contains(gate),
            When::Asked(rule, n) => state.counts.get(rule).copied().unwrap_or(0) >= *n,
        };
        if ready || state.stopped {
            return ready;
        }
        if is_closed(stream) {
            *state.dropped.entry(name.to_owned()).or_default() += 1;
            return false;
        }
        state = shared.changed.wait_timeout(state, Duration::from_millis(20)).unwrap_or_else(std::sync::PoisonError::into_inner).0;
    }
}

fn is_closed(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let read = stream.peek(&mut [0]);
    let _ = stream.set_nonblocking(false);
    match read {
        Ok(n) => n == 0,
        Err(e) => e.kind() != std::io::ErrorKind::WouldBlock,
    }
}
