//! The order of the choice, and what is said when something is missing (SPEC P2).

use super::*;
use crate::providers::testserver::{Reply, TestServer};

fn config(provider: Option<&str>, base_url: Option<&str>, model: Option<&str>) -> Config {
    let own = |s: Option<&str>| s.map(str::to_owned);
    Config { provider: own(provider), base_url: own(base_url), model: own(model), ..Config::default() }
}

fn with(mut config: Config, name: &str, own: OwnProvider) -> Config {
    config.providers.insert(name.to_owned(), own);
    config
}

fn decide(config: &Config, env: &[(&str, &str)]) -> Result<Option<Resolution>, ProviderError> {
    choose(config, &|name| env.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned()))
}

fn short(config: &Config, env: &[(&str, &str)]) -> (String, Kind, String, String) {
    let r = decide(config, env).unwrap().unwrap();
    (r.provider, r.kind, r.base_url, r.model)
}

#[test]
fn p2_flags_before_environment() {
    let keys = [("ANTHROPIC_API_KEY", "a-key"), ("OPENAI_API_KEY", "o-key"), ("ANTHROPIC_BASE_URL", "https://x.example")];
    assert_eq!(short(&config(None, None, None), &keys), ("anthropic".into(), Kind::Anthropic, "https://x.example".into(), ANTHROPIC_MODEL.into()));
    assert_eq!(short(&config(Some("openai"), None, None), &keys), ("openai".into(), Kind::OpenAi, OPENAI_URL.into(), OPENAI_MODEL.into()));
    assert_eq!(
        short(&config(Some("anthropic"), Some("http://127.0.0.1:9"), Some("m")), &keys),
        ("anthropic".into(), Kind::Anthropic, "http://127.0.0.1:9".into(), "m".into())
    );
    assert_eq!(short(&config(Some("openai"), Some("http://127.0.0.1:9/v1"), Some("m")), &[]).2, "http://127.0.0.1:9/v1", "a local server needs no key");
    assert_eq!(short(&config(None, None, None), &[keys[1], ("TUI_AGENT_MODEL", "gpt-x")]), ("openai".into(), Kind::OpenAi, OPENAI_URL.into(), "gpt-x".into()));
    assert_eq!(short(&config(None, None, Some("gpt-x")), &keys).0, "openai", "the model decides between two keys");
    assert_eq!(short(&config(Some("offline"), None, None), &keys).1, Kind::Offline);
    assert_eq!(short(&config(Some("script"), None, None), &keys).1, Kind::Script);
    assert_eq!(decide(&config(None, None, None), &[("OPENAI_API_KEY", " ")]).unwrap(), None, "an empty variable is none");
}

#[test]
fn p2_a_missing_key_names_its_variable() {
    for (name, variable) in [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")] {
        let error = decide(&config(Some(name), None, None), &[]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Authentication);
        assert!(error.hint.contains(variable), "{error:?}");
    }
    let error = decide(&config(Some("antropic"), None, None), &[]).unwrap_err();
    assert!(error.hint.contains("anthropic"), "{error:?}");
    let error = decide(&config(None, None, Some("claude-opus-5")), &[]).unwrap_err();
    assert!(error.hint.contains("ANTHROPIC_API_KEY"));
    let error = decide(&config(Some("openai"), Some("http://localhost:1/v1"), None), &[]).unwrap_err();
    assert!(error.hint.contains("--model"), "{error:?}");
}

#[test]
fn p1_own_providers() {
    let own = OwnProvider {
        kind: "openai".into(),
        base_url: "https://r.example/v1".into(),
        api_key_env: Some("R_KEY".into()),
        models: vec!["r1".into(), "r2".into()],
        headers: BTreeMap::new(),
    };
    let c = with(config(Some("router"), None, None), "router", own.clone());
    let r = decide(&c, &[("R_KEY", "secret-r"), ("OPENAI_API_KEY", "secret-o")]).unwrap().unwrap();
    assert_eq!((r.model.as_str(), r.key.as_ref().map(Secret::expose), r.key_env.as_str()), ("r1", Some("secret-r"), "R_KEY"));
    assert!(decide(&c, &[("OPENAI_API_KEY", "x")]).unwrap_err().hint.contains("R_KEY"), "never a foreign key");
    let c = with(config(None, None, None), "router", own.clone());
    assert_eq!(short(&c, &[("R_KEY", "k")]).0, "router");
    assert_eq!(short(&with(config(None, None, Some("r2")), "router", own.clone()), &[("R_KEY", "k"), ("ANTHROPIC_API_KEY", "a")]).0, "router");
    assert_eq!(decide(&c, &[]).unwrap(), None, "its key is missing and nobody asked for it");
    let bad = with(config(Some("b"), None, None), "b", OwnProvider { kind: "grpc".into(), ..OwnProvider::default() });
    assert!(decide(&bad, &[]).unwrap_err().hint.contains("kind"));
    assert_eq!(secret_env_names(&c), ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "R_KEY"]);
}

#[test]
fn r9_a_key_is_never_in_a_debug_form() {
    let r = decide(&config(None, None, None), &[("ANTHROPIC_AUTH_TOKEN", " tok-123456 \n")]).unwrap().unwrap();
    assert!(r.bearer && r.key.as_ref().map(Secret::expose) == Some("tok-123456"));
    assert!(!format!("{r:?}").contains("tok-123456") && !r.why.contains("tok-123456"));
    assert!(build(&r, Duration::from_secs(1)).unwrap().is_some());
    let broken = Resolution { key: Some(Secret::new("a\nb-long-secret")), ..r };
    let error = build(&broken, Duration::from_secs(1)).err().unwrap();
    assert!(!format!("{error:?}").contains("long-secret"), "{error:?}");
}

async fn probe(body: &'static str, path: &'static str, wanted: Option<&str>) -> Resolution {
    let server = TestServer::start(vec![Reply::json(200, body)]);
    let places = [LocalServer { name: "ollama", port: server.port(), path }];
    resolve(&config(None, None, wanted), &|_| None, &places).await.unwrap()
}

#[tokio::test]
async fn p2_a_local_server_is_found_by_its_models() {
    let r = probe(r#"{"models":[{"name":"nomic-embed-text"},{"name":"qwen3:8b"}]}"#, "/api/tags", None).await;
    assert_eq!((r.provider.as_str(), r.kind, r.model.as_str(), r.key_env.as_str()), ("ollama", Kind::OpenAi, "qwen3:8b", ""));
    assert!(r.base_url.ends_with("/v1") && build(&r, Duration::from_secs(1)).unwrap().is_some());
    let r = probe(r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#, "/v1/models", Some("b")).await;
    assert_eq!(r.model, "b");
}

#[tokio::test]
async fn p2_anything_else_on_the_port_is_not_a_server() {
    for (body, path, wanted) in [
        ("<html>", "/v1/models", None),
        (r#"{"data":[{"id":"a"}]}"#, "/v1/models", None),
        (r#"{"models":[]}"#, "/api/tags", None),
        (r#"{"object":"list","data":[{"id":"a"}]}"#, "/v1/models", Some("b")),
    ] {
        let r = probe(body, path, wanted).await;
        assert_eq!((r.kind, r.provider.as_str()), (Kind::Offline, "offline"), "{body}");
        assert!(r.why.contains("ANTHROPIC_API_KEY"));
    }
    let hung = TestServer::start(vec![Reply::hold()]);
    let places = [LocalServer { name: "vllm", port: hung.port(), path: "/v1/models" }];
    assert_eq!(resolve(&config(None, None, None), &|_| None, &places).await.unwrap().kind, Kind::Offline, "a server that hangs is given up");
}
