//! Answers of servers, usual, odd and hostile.

use super::*;
use serde_json::json;

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn of(result: &Value) -> Outcome {
    outcome(result, &|_| None)
}

#[test]
fn x4_texts_are_joined_and_pictures_are_pictures() {
    let found = of(&json!({"content":[{"type":"text","text":"one"},{"type":"image","data":PNG,"mimeType":"image/jpeg"},{"type":"text","text":"two\n"}]}));
    assert_eq!((found.text.as_str(), found.summary.as_str(), found.is_error), ("one\ntwo\n", "2 lines, 1 picture", false));
    assert_eq!(found.images, [("image/png".to_owned(), PNG.to_owned())], "by its bytes, not by its word");
    assert_eq!(found.display, Display::Text { text: "one\ntwo\n".into() });
}

#[test]
fn x4_resources_and_links_are_texts() {
    let found = of(&json!({"content":[
        {"type":"resource","resource":{"uri":"file:///a","text":"BODY"}},
        {"type":"resource","resource":{"uri":"file:///b","mimeType":"application/zip","blob":"AAAA"}},
        {"type":"resource","resource":{"uri":"file:///c","mimeType":"image/png","blob":PNG}},
        {"type":"resource_link","uri":"file:///d","name":"the log"},
        {"type":"audio","data":"AAAA","mimeType":"audio/wav"}, {"type":"hologram"}, 7, {}
    ]}));
    for part in ["[file:///a]\nBODY", "[file:///b: application/zip of about 3 bytes, not shown]", "[the log: file:///d]", "\"audio\"", "\"hologram\""] {
        assert!(found.text.contains(part), "{part}: {}", found.text);
    }
    assert_eq!(found.images.len(), 1);
}

#[test]
fn structured_content_counts_when_there_is_no_text() {
    let data = json!({"b":1,"a":[true]});
    assert_eq!(serde_json::from_str::<Value>(&of(&json!({"content":[],"structuredContent":data})).text).unwrap(), data);
    assert_eq!(of(&json!({"content":[{"type":"text","text":"words"}],"structuredContent":data})).text, "words");
    assert!(of(&json!({"toolResult":"old form","_meta":{}})).text.contains("old form"));
    assert_eq!(of(&json!({"content":[]})).summary, "nothing");
    assert_eq!(of(&Value::Null).text, "");
}

#[test]
fn i02_an_error_of_the_server_is_an_error_result() {
    let found = of(&json!({"isError":true,"content":[{"type":"text","text":"no such table\nat line 1"}]}));
    assert!(found.is_error);
    assert_eq!((found.text.as_str(), found.summary.as_str()), ("no such table\nat line 1", "no such table"));
    assert!(of(&json!({"isError":true})).text.contains("without words"));
    assert!(of(&json!({"resultType":"input_required","inputRequests":{}})).is_error);
}

#[test]
fn t5_long_answers_are_cut_and_the_whole_is_kept() {
    let long = format!("HEAD{}TAIL", "line é\n".repeat(20_000));
    let kept = std::cell::RefCell::new(String::new());
    let found = outcome(&json!({"content":[{"type":"text","text":long}]}), &|whole| {
        whole.clone_into(&mut kept.borrow_mut());
        Some("/spill/x.txt".into())
    });
    assert!(
        found.text.chars().count() <= RESULT_LIMIT && found.text.starts_with("HEAD") && found.text.ends_with("TAIL") && found.text.contains("/spill/x.txt")
    );
    assert_eq!(*kept.borrow(), long);
    let Display::Text { text } = found.display else { panic!("a text") };
    assert!(text.len() <= SHOWN_BYTES + 8 && text.lines().count() <= SHOWN_LINES + 1 && text.ends_with('…'));
}

#[test]
fn t5_control_bytes_are_cleaned() {
    let found = of(&json!({"content":[{"type":"text","text":"a\u{1b}]0;title\u{7}b\u{1b}[2Jc\u{0}"}]}));
    assert_eq!(found.text, "abc");
}

#[test]
fn pictures_that_a_provider_would_refuse_are_left_out() {
    let image = |data: &str| json!({"type":"image","data":data,"mimeType":"image/png"});
    let big = format!("iVBORw0KGgo{}", "A".repeat(MAX_IMAGE));
    for bad in ["", "AAAA", "iVBORw0KGgo", "iVBORw0KGgo ", "iVBORw0KGgo=====", big.as_str()] {
        let found = of(&json!({"content":[image(bad)]}));
        assert!(found.images.is_empty() && found.text.contains("left out"), "{}", found.text);
    }
    let many = of(&json!({"content":vec![image(PNG); 20]}));
    assert_eq!(many.images.len(), MAX_IMAGES);
}
