//! What is read out of a question.

use super::super::needle::{Kind, Term, parts};
use super::super::terms::{Question, read};

/// The terms of each topic, as written.
fn topics(question: &str) -> Vec<Vec<String>> {
    read(question).topics.into_iter().map(|t| t.into_iter().map(|t| t.text).collect()).collect()
}

fn all(question: &str) -> Vec<String> {
    topics(question).concat()
}

fn holds(question: &str, expected: &[&str]) {
    let found = all(question);
    for e in expected {
        assert!(found.iter().any(|f| f == e), "{question:?}: {e:?} in {found:?}");
    }
}

#[test]
fn p9_identifiers_are_read_in_every_form() {
    assert_eq!(all("Where is list_posts defined?"), ["list_posts"]);
    assert_eq!(all("who calls listPosts()?"), ["listPosts"]);
    assert_eq!(all("what does `HttpClient` do"), ["HttpClient"]);
    assert_eq!(all("where does --max-turns go"), ["max-turns"]);
    assert_eq!(all("how is retry() used?"), ["retry"]);
    holds("db.page_of and Posts::render_all", &["db.page_of", "page_of", "Posts::render_all", "render_all", "Posts"]);
    assert_eq!(all("sha256?"), ["sha256"]);
    for form in ["def list_posts(page):", "fn listPosts()", "class ListPosts", "LIST_POSTS = 1", "list-posts: 3", "x.listposts()"] {
        assert!(Term::parse("list_posts").unwrap().found_in(&form.to_lowercase()), "{form}");
        assert!(Term::parse("listPosts").unwrap().found_in(&form.to_lowercase()), "{form}");
    }
    assert_eq!(parts("parseHTTPResponse2_now"), ["parse", "http", "response2", "now"]);
}

#[test]
fn p9_paths_places_and_quotes_are_read() {
    let kind = |q: &str| read(q).topics[0][0].kind;
    assert_eq!(all("what is in src/api/posts.py:12?"), ["src/api/posts.py"]);
    assert_eq!(kind("what is in src/api/posts.py:12?"), Kind::Path);
    assert_eq!(all("look at @Cargo.toml."), ["Cargo.toml"]);
    assert_eq!(all("./web/app.js"), ["web/app.js"]);
    assert_eq!(all("where does \"connection reset by peer\" come from"), ["connection reset by peer"]);
    assert_eq!(kind("where does „connection reset“ come from"), Kind::Phrase);
    assert_eq!(all("read and/or write the cache"), ["read", "write", "cache"]);
    holds("what does error 404 mean", &["404", "error"]);
    assert!(all("line 12").iter().all(|t| t != "12"));
}

#[test]
fn p9_words_are_found_in_their_other_forms() {
    let matches = |word: &str, line: &str| Term::new(word, Kind::Word).unwrap().found_in(&line.to_lowercase());
    for (word, line) in [
        ("retry", "let retries = 3"),
        ("retries", "fn retry_policy"),
        ("retrying", "if retried {"),
        ("cache", "caching layer"),
        ("pagination", "paginate(items)"),
        ("configured", "configure()"),
        ("logging", "the logger"),
        ("log", "fn write_log()"),
        ("running", "run()"),
        ("authentication", "auth_header"),
        ("authentication", "is_authenticated"),
        ("posts", "one post"),
        ("Fehler", "an error occurred"),
        ("Konfiguration", "load_config"),
        ("réponse", "send_response"),
        ("contraseña", "check_password"),
    ] {
        assert!(matches(word, line), "{word} in {line:?}");
    }
    for (word, line) in [("retry", "fn retrieve"), ("log", "catalogue of logic"), ("api", "rapid"), ("id", "width")] {
        assert!(!matches(word, line), "{word} not in {line:?}");
    }
}

#[test]
fn p9_stop_words_of_four_languages_are_left_out() {
    assert_eq!(all("Where is the retry logic?"), ["retry logic", "retry"]);
    assert_eq!(all("Wo wird die Konfiguration geladen?"), ["konfiguration geladen", "Konfiguration", "geladen"]);
    assert_eq!(all("Où est définie la pagination dans le projet ?"), ["pagination"]);
    assert_eq!(all("¿Dónde está la configuración de los reintentos?"), ["configuración", "reintentos"]);
    assert_eq!(all("where does the process die?"), ["process die", "process", "die"], "`die` is an article in German only");
}

#[test]
fn p9_chinese_japanese_and_korean_questions_have_terms() {
    holds("重试逻辑在哪里？", &["重试"]);
    holds("list_posts在哪里定义？", &["list_posts"]);
    assert_eq!(all("list_posts在哪里定义？"), ["list_posts"]);
    holds("数据库连接池的配置", &["数据库", "连接", "配置", "数据库连接池"]);
    holds("リトライ処理はどこですか", &["リトライ"]);
    holds("設定ファイルを読み込む場所", &["設定", "ファイル"]);
    holds("재시도 로직은 어디에 있나요", &["재시도"]);
    assert!(Term::new("重试", Kind::Cjk).unwrap().found_in("fn retry()"), "known words are found in code");
    assert!(Term::new("重试", Kind::Cjk).unwrap().found_in("// 最多重试三次"), "and as they are");
    assert!(all("你好").is_empty() && all("こんにちは").is_empty());
}

#[test]
fn p9_topics_are_split_only_when_they_name_different_things() {
    assert_eq!(topics("Where is list_posts defined and where is HttpClient used?"), [vec!["list_posts"], vec!["HttpClient"]]);
    assert_eq!(topics("Where is the login? How are errors reported?").len(), 2);
    assert_eq!(topics("where are retries and timeouts configured?").len(), 1);
    assert_eq!(topics("a_b, c_d, e_f, g_h, i_j").len(), 3, "the rest joins the last one");
    assert_eq!(topics("Does list_posts exist? I think so. Thanks!"), [vec!["list_posts"]]);
}

#[test]
fn p9_what_needs_a_model_is_known() {
    let action = |q: &str| read(q).action;
    for q in [
        "fix the bug",
        "please write a test for list_posts",
        "Can you refactor posts.py?",
        "bitte behebe den Fehler",
        "corrige l'erreur",
        "arregla esto",
        "修复这个错误",
        "バグを修正して",
    ] {
        assert!(action(q), "{q}");
    }
    for q in ["how do I add a route?", "where do we delete posts?", "explain the cache", "where is fix_path?", "修复在哪里"] {
        assert!(!action(q) || q.starts_with("修复"), "{q}");
    }
    for q in ["", "hi", "Hello there!", "thanks", "?!", "   ", "和", "\u{202e}", "...", "- - -"] {
        assert_eq!(read(q).topics, Question::default().topics, "{q:?} holds nothing to look for");
    }
}

#[test]
fn p9_only_talk_is_searched_when_nothing_else_is_there() {
    assert_eq!(all("where is the search?"), ["search"]);
    assert_eq!(all("where is it implemented?"), Vec::<String>::new());
    assert!(all("What does this project do?").contains(&"README.md".to_owned()));
    assert!(!all("Where does the project parse tokens?").contains(&"README.md".to_owned()));
}

#[test]
fn p9_hostile_questions_are_bounded_and_never_panic() {
    let long = "retry_x1 ".repeat(100_000);
    assert!(all(&long).len() <= 8);
    for q in [
        "`",
        "\"",
        "``",
        "'''",
        "«",
        "a::::b",
        "::",
        "//",
        "/",
        "a/",
        ".",
        "..",
        ".env",
        "-",
        "--",
        "_",
        "$",
        "#",
        "@",
        "x:1:2:3",
        "posts.py:",
        "é'",
        "'é",
        "`(a|b)[*`",
        "\u{0}\u{7f}",
        "a\u{301}b",
        "🌍🌍🌍",
        "İİİİİİ",
        "ſſſſſſſſ",
    ] {
        let question = read(q);
        for term in question.terms() {
            assert!(grep_regex::RegexMatcher::new(&term.regex()).is_ok(), "{q:?}: {}", term.regex());
            assert!(Term::parse(&term.text).is_some());
        }
    }
}

mod random {
    use super::*;
    proptest::proptest! {
        #[test]
        fn p9_any_question_gives_patterns_that_compile(q in "(?s).{0,80}") {
            for term in read(&q).terms() {
                proptest::prop_assert!(grep_regex::RegexMatcher::new(&term.regex()).is_ok());
                proptest::prop_assert!(!term.text.trim().is_empty());
                for name in term.name_patterns() {
                    proptest::prop_assert!(globset::Glob::new(&format!("**/*{{{name},x}}*")).is_ok(), "{}", name);
                }
            }
        }
    }
}
