//! What the model server is told to answer: rules, replies, and what a reply waits for.

use serde_json::{Value, json};

/// What a reply waits for.
#[derive(Clone, Debug)]
pub enum When {
    /// The test opens it.
    Opened(String),
    /// A rule has got so many requests.
    Asked(String, usize),
}

/// Which requests a rule answers.
#[derive(Clone, Debug)]
pub enum Match {
    /// The first user text contains this.
    First(String),
    /// Some user text contains this.
    Said(String),
    /// Everything.
    Any,
}

/// An error in place of a stream.
#[derive(Clone, Debug)]
pub struct Failure {
    pub status: u16,
    pub kind: String,
    pub message: String,
}

/// One reply.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub text: String,
    pub tools: Vec<(String, Value)>,
    /// Input and output tokens.
    pub usage: (u64, u64),
    /// Before anything is sent.
    pub before: Option<When>,
    /// Behind the text, before the rest.
    pub middle: Option<When>,
    pub failure: Option<Failure>,
}

/// A text that ends the turn.
pub fn say(text: &str) -> Reply {
    Reply { text: text.to_owned(), usage: (10, 5), ..Reply::default() }
}

/// Tool calls.
pub fn calls(tools: impl IntoIterator<Item = (String, Value)>) -> Reply {
    Reply { tools: tools.into_iter().collect(), usage: (10, 5), ..Reply::default() }
}

/// One tool call.
pub fn call(name: &str, input: Value) -> Reply {
    calls([tool(name, input)])
}

/// An HTTP error.
pub fn fails(status: u16, kind: &str, message: &str) -> Reply {
    Reply { failure: Some(Failure { status, kind: kind.to_owned(), message: message.to_owned() }), ..Reply::default() }
}

/// A call as a part of [`calls`].
pub fn tool(name: &str, input: Value) -> (String, Value) {
    (name.to_owned(), input)
}

/// A call of `Agent` with further arguments.
pub fn agent(description: &str, prompt: &str, more: &Value) -> (String, Value) {
    let mut input = json!({"description": description, "prompt": prompt});
    for (key, value) in more.as_object().into_iter().flatten() {
        input[key] = value.clone();
    }
    tool("Agent", input)
}

/// An `Agent` call in the foreground.
pub fn child(description: &str, prompt: &str) -> (String, Value) {
    agent(description, prompt, &json!({}))
}

/// An `Agent` call in the background.
pub fn background(description: &str, prompt: &str) -> (String, Value) {
    agent(description, prompt, &json!({"run_in_background": true}))
}

/// A call of `Bash`.
pub fn bash(command: &str) -> (String, Value) {
    tool("Bash", json!({"command": command}))
}

impl Reply {
    /// With words before the calls.
    pub fn saying(mut self, text: &str) -> Self {
        text.clone_into(&mut self.text);
        self
    }

    pub const fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = (input, output);
        self
    }

    /// Nothing is sent before.
    pub fn when(mut self, when: When) -> Self {
        self.before = Some(when);
        self
    }

    /// Until the test opens the gate.
    pub fn held(self, gate: &str) -> Self {
        self.when(When::Opened(gate.to_owned()))
    }

    /// Until a rule has got so many requests.
    pub fn after(self, rule: &str, n: usize) -> Self {
        self.when(When::Asked(rule.to_owned(), n))
    }

    /// The text is sent, the rest waits for the gate.
    pub fn stalls(mut self, gate: &str) -> Self {
        self.middle = Some(When::Opened(gate.to_owned()));
        self
    }
}

/// Requests that match get these replies in order; the last one repeats.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    pub matches: Match,
    pub replies: Vec<Reply>,
}

/// Requests whose first user text contains a key.
pub fn rule(name: &str, key: &str, replies: impl IntoIterator<Item = Reply>) -> Rule {
    Rule { name: name.to_owned(), matches: Match::First(key.to_owned()), replies: replies.into_iter().collect() }
}

/// Requests with a key in some user text.
pub fn rule_said(name: &str, key: &str, replies: impl IntoIterator<Item = Reply>) -> Rule {
    Rule { matches: Match::Said(key.to_owned()), ..rule(name, key, replies) }
}

/// All requests that no rule before took: the parent's.
pub fn main(replies: impl IntoIterator<Item = Reply>) -> Rule {
    Rule { matches: Match::Any, ..rule("main", "", replies) }
}
