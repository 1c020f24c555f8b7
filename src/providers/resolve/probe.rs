//! Looks for a model server on this machine (SPEC P2).
//!
//! Must not: ask any other host, wait longer than [`LIMIT`] in all, believe a server that does not answer in the
//! shape of a model list (8000 and 8080 are often something else).

use crate::providers::http::local_client;
use futures_util::future::join_all;
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// Time for all servers together.
const LIMIT: Duration = Duration::from_millis(300);
/// Bytes of an answer that are read.
const MAX_ANSWER: usize = 1024 * 1024;

/// A place where a server may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalServer {
    /// The provider's name when it is found.
    pub name: &'static str,
    /// On 127.0.0.1.
    pub port: u16,
    /// The list of its models.
    pub path: &'static str,
}

/// The usual places, in order of preference.
pub const LOCAL_SERVERS: [LocalServer; 4] = [
    LocalServer { name: "ollama", port: 11434, path: "/api/tags" },
    LocalServer { name: "lmstudio", port: 1234, path: "/v1/models" },
    LocalServer { name: "llamacpp", port: 8080, path: "/v1/models" },
    LocalServer { name: "vllm", port: 8000, path: "/v1/models" },
];

/// A server that answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) base_url: String,
    pub(super) model: String,
}

/// The first server (in the given order) that has a usable model; the one that has `wanted` goes first.
pub(super) async fn find(servers: &[LocalServer], wanted: Option<&str>) -> Option<Found> {
    let asked = servers.iter().map(|s| async move { timeout(LIMIT, models(*s)).await.ok().flatten().map(|names| (*s, names)) });
    let answers: Vec<(LocalServer, Vec<String>)> = join_all(asked).await.into_iter().flatten().collect();
    let found = |server: LocalServer, model: &str| Found {
        name: server.name.to_owned(),
        base_url: format!("http://127.0.0.1:{}/v1", server.port),
        model: model.to_owned(),
    };
    let exact = wanted.and_then(|w| answers.iter().find(|(_, names)| names.iter().any(|n| n == w)).map(|(s, _)| found(*s, w)));
    if exact.is_some() || wanted.is_some() {
        return exact;
    }
    answers.iter().find_map(|(s, names)| names.iter().find(|n| chats(n)).map(|n| found(*s, n)))
}

/// Whether a model is for conversation, by its name.
fn chats(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !["embed", "rerank", "bge-", "whisper", "minilm", "tts"].iter().any(|w| name.contains(w))
}

async fn models(server: LocalServer) -> Option<Vec<String>> {
    let client = local_client().ok()?;
    let mut response = client.get(format!("http://127.0.0.1:{}{}", server.port, server.path)).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ANSWER {
            return None;
        }
    }
    let answer: Value = serde_json::from_slice(&body).ok()?;
    let (list, key) = if server.path == "/api/tags" {
        (answer.get("models")?, "name")
    } else {
        (answer.get("data").filter(|_| answer.get("object").and_then(Value::as_str) == Some("list"))?, "id")
    };
    Some(list.as_array()?.iter().filter_map(|m| m.get(key)?.as_str().map(str::to_owned)).collect())
}
