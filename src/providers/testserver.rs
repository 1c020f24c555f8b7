//! A raw HTTP server on loopback for tests: it controls chunk edges, stalls and truncation, and keeps every request.
//!
//! Threads, not tasks, so that a paused clock does not touch it. One connection per reply (`connection: close`).

use super::{AgentLabel, Provider, ProviderError, Request, Sink, StreamEvent};
use crate::protocol::{AgentId, Message, Origin, ToolSpec, UserMessage};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// One action of a reply, in order.
#[derive(Clone, Debug)]
pub enum Step {
    /// Write these bytes at once, in a chunk of their own.
    Send(Vec<u8>),
    /// Do nothing for a while.
    Pause(Duration),
    /// Keep the connection open and silent until the client leaves.
    Hold,
    /// Close without the end of the chunked body: a broken connection.
    Cut,
}

/// What the server does with one request.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    steps: Vec<Step>,
}

impl Reply {
    /// An event stream of these steps, then an orderly end of the body.
    pub fn stream(steps: Vec<Step>) -> Self {
        Self { status: 200, headers: vec![("content-type".into(), "text/event-stream".into())], steps }
    }

    /// An event stream sent in one piece.
    pub fn sse(body: &str) -> Self {
        Self::stream(vec![Step::Send(body.as_bytes().to_vec())])
    }

    /// A JSON document.
    pub fn json(status: u16, body: &str) -> Self {
        Self { status, headers: vec![("content-type".into(), "application/json".into())], steps: vec![Step::Send(body.as_bytes().to_vec())] }
    }

    /// Not even headers.
    pub fn hold() -> Self {
        Self { status: 0, headers: Vec::new(), steps: vec![Step::Hold] }
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Captured {
    /// `POST /v1/messages HTTP/1.1`.
    pub line: String,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub text: String,
}

impl Captured {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str())
    }

    /// The body as JSON.
    pub fn body(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

/// The server; its threads end with the process.
pub struct TestServer {
    port: u16,
    seen: Arc<Mutex<Vec<Captured>>>,
    left: Arc<AtomicUsize>,
}

impl TestServer {
    /// Serve these replies in order; the last one repeats.
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let left = Arc::new(AtomicUsize::new(0));
        let (log, gone) = (Arc::clone(&seen), Arc::clone(&left));
        thread::spawn(move || {
            for (n, stream) in listener.incoming().flatten().enumerate() {
                let (reply, log, gone) = (replies[n.min(replies.len() - 1)].clone(), Arc::clone(&log), Arc::clone(&gone));
                thread::spawn(move || {
                    // The client may leave at any moment; that is often the point of the test.
                    let _ = serve(stream, &reply, &log, &gone);
                });
            }
        });
        Self { port, seen, left }
    }

    /// Where it listens, on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many clients left while they were held.
    pub fn left(&self) -> usize {
        self.left.load(Ordering::SeqCst)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Captured> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, reply: &Reply, log: &Mutex<Vec<Captured>>, gone: &AtomicUsize) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let (mut headers, mut length) = (Vec::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    log.lock().unwrap().push(Captured { line: line.trim_end().to_owned(), headers, text: String::from_utf8(body).unwrap() });
    respond(stream, reply, gone)
}

fn respond(mut stream: TcpStream, reply: &Reply, gone: &AtomicUsize) -> std::io::Result<()> {
    if reply.status != 0 {
        let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\ntransfer-encoding: chunked\r\n", reply.status);
        head.extend(reply.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")));
        stream.write_all(format!("{head}\r\n").as_bytes())?;
    }
    for step in &reply.steps {
        match step {
            Step::Send(bytes) => {
                stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes())?;
                stream.write_all(bytes)?;
                stream.write_all(b"\r\n")?;
            }
            Step::Pause(time) => thread::sleep(*time),
            Step::Hold => {
                let _ = stream.read(&mut [0]);
                gone.fetch_add(1, Ordering::SeqCst);
            }
            Step::Cut => return Ok(()),
        }
    }
    stream.write_all(b"0\r\n\r\n")
}

/// A request of one user text, with one tool.
pub fn request(model: &str, messages: Vec<Message>) -> Request {
    let schema = serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let mut all = vec![Message::User(UserMessage::text("go", Origin::Person))];
    all.extend(messages);
    Request {
        agent: AgentLabel { id: AgentId::MAIN, description: String::new(), kind: String::new() },
        model: model.into(),
        system: Arc::new(vec!["base".into(), "project".into()]),
        tools: Arc::new(vec![ToolSpec { name: "Read".into(), description: "Reads.".into(), schema }]),
        messages: all.into_iter().map(Arc::new).collect(),
        max_output: 1000,
        effort: None,
    }
}

/// One attempt, with what streamed.
pub async fn attempt(provider: &dyn Provider, request: &Request) -> (Result<super::Reply, ProviderError>, Vec<StreamEvent>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let sink: Sink = Arc::new(move |e| log.lock().unwrap().push(e));
    let result = provider.attempt(request, &sink).await;
    let events = events.lock().unwrap().clone();
    (result, events)
}

/// The text that streamed, in one piece.
pub fn streamed(events: &[StreamEvent]) -> String {
    let text = |e: &StreamEvent| if let StreamEvent::Text(t) = e { t.clone() } else { String::new() };
    events.iter().map(text).collect()
}

/// Every call is answered once, right behind, in both wire formats; nothing is empty; ids are unique (SPEC L2, L3).
pub fn check_pairing(body: &Value) {
    let messages = body["messages"].as_array().unwrap();
    let (mut open, mut seen) = (Vec::<String>::new(), std::collections::HashSet::new());
    for message in messages {
        let role = message["role"].as_str().unwrap();
        if role == "tool" {
            assert_eq!(Some(message["tool_call_id"].as_str().unwrap().to_owned()), (!open.is_empty()).then(|| open.remove(0)), "{message}");
            continue;
        }
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        let results: Vec<String> = blocks.iter().filter(|b| b["type"] == "tool_result").map(|b| b["tool_use_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(results, open, "results answer the calls before, in order: {message}");
        open.clear();
        let first_other = blocks.iter().position(|b| b["type"] != "tool_result").unwrap_or(blocks.len());
        assert_eq!(first_other, results.len(), "results stand first: {message}");
        assert!(blocks.iter().all(|b| b["type"] != "text" || !b["text"].as_str().unwrap().trim().is_empty()), "{message}");
        let calls = blocks.iter().filter(|b| b["type"] == "tool_use").chain(message["tool_calls"].as_array().into_iter().flatten());
        for call in calls {
            let id = call["id"].as_str().unwrap().to_owned();
            assert!(seen.insert(id.clone()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)), "{id}");
            let arguments = call["function"]["arguments"].as_str().map(|a| serde_json::from_str(a).unwrap());
            assert!(arguments.unwrap_or_else(|| call["input"].clone()).is_object(), "{call}");
            open.push(id);
        }
        let text = message["content"].as_str().is_some_and(|t| !t.trim().is_empty());
        assert!(text || !blocks.is_empty() || message["tool_calls"].is_array(), "no message is empty: {message}");
    }
    assert!(open.is_empty(), "unanswered: {open:?}");
}
