//! What must not stand in a message, a status line or a log (SPEC R9): tokens of a server's configuration.

use super::config::{Endpoint, Server};

/// Shorter texts are words, not secrets; replacing them would make nonsense of a message.
const MIN_WORD: usize = 8;
/// An address's query counts from here.
const MIN_QUERY: usize = 4;

/// The texts of one server that are hidden.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Values of headers, the address's query, and values of variables whose names say what they are.
    pub(super) fn of(server: &Server) -> Self {
        let mut found: Vec<String> = match &server.endpoint {
            Endpoint::Stdio { env, .. } => env.iter().filter(|(name, _)| is_telling(name)).flat_map(|(_, value)| words(value)).collect(),
            Endpoint::Http { url, headers } => {
                let query = url.split_once('?').map(|(_, q)| q.to_owned()).filter(|q| q.len() >= MIN_QUERY);
                headers.iter().flat_map(|(_, value)| words(value)).chain(query).collect()
            }
        };
        // The longest first: one may be a part of another.
        found.sort_by_key(|s| std::cmp::Reverse(s.len()));
        Self(found)
    }

    /// The text without them.
    pub(super) fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "•••"))
    }
}

fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL"].iter().any(|part| name.contains(part))
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().filter(|w| w.len() >= MIN_WORD).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(endpoint: Endpoint) -> Server {
        Server { name: "s".into(), endpoint, timeout: None }
    }

    #[test]
    fn r9_tokens_are_hidden_and_words_are_not() {
        let pair = |n: &str, v: &str| (n.to_owned(), v.to_owned());
        let http =
            Secrets::of(&server(Endpoint::Http { url: "https://x.example/m?k=abcdef".into(), headers: vec![pair("Authorization", "Bearer tok-12345678")] }));
        assert_eq!(http.hide("GET https://x.example/m?k=abcdef with Bearer tok-12345678"), "GET https://x.example/m?••• with Bearer •••");
        let env = vec![pair("api_key", "sk-abcdefgh"), pair("LONGER_KEY", "sk-abcdefgh-and-more"), pair("PATH", "/usr/bin:/bin"), pair("AUTH_MODE", "basic")];
        let stdio = Secrets::of(&server(Endpoint::Stdio { command: "c".into(), args: vec![], env, cwd: "/".into() }));
        assert_eq!(stdio.hide("sk-abcdefgh-and-more sk-abcdefgh /usr/bin:/bin basic"), "••• ••• /usr/bin:/bin basic");
    }
}
