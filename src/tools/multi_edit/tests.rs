//! All or nothing (SPEC T1, T2).

use super::*;
use crate::tools::read::Read;

async fn run(content: &str, edits: Value) -> (Outcome, String) {
    let dir = tempfile::tempdir().unwrap();
    let ctx = ToolContext::for_test(dir.path());
    let file = ctx.workspace.join("f.txt");
    std::fs::write(&file, content).unwrap();
    Read.run(json!({"file_path": "f.txt"}).as_object().unwrap(), &ctx).await;
    let outcome = MultiEdit.run(json!({"file_path": "f.txt", "edits": edits}).as_object().unwrap(), &ctx).await;
    (outcome, std::fs::read_to_string(file).unwrap())
}

#[tokio::test]
async fn edits_build_on_each_other() {
    let edits = json!([{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c", "replace_all": true}]);
    let (outcome, after) = run("a\nb\n", edits).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    assert_eq!(after, "c\nc\n");
    assert!(outcome.text.contains("2 edits, 3 places"), "{}", outcome.text);
}

#[tokio::test]
async fn t2_one_failing_edit_leaves_the_file_alone_and_is_named() {
    let edits = json!([{"old_string": "if a", "new_string": "if A"}, {"old_string": "NOTTHERE", "new_string": "z"}]);
    let (outcome, after) = run("if a\n", edits).await;
    assert!(outcome.is_error && outcome.text.contains("edit 2 of 2") && outcome.written.is_empty(), "{}", outcome.text);
    assert_eq!(after, "if a\n");
}

#[tokio::test]
async fn edits_that_undo_each_other_and_wrong_shapes_are_errors() {
    let undo = json!([{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "a"}]);
    assert!(run("a\n", undo).await.0.is_error);
    for wrong in [json!([]), json!("x"), json!([5]), json!([{"old_string": "a"}])] {
        let (outcome, _) = run("a\n", wrong).await;
        assert!(outcome.is_error && outcome.text.contains("edits"), "{}", outcome.text);
    }
}
