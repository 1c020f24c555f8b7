//! The list's rules (SPEC T6).

use super::*;
use crate::tools::schema::validate;

fn call(todos: &Value) -> Result<Option<EngineCall>, String> {
    let input = Input::from_iter([("todos".to_owned(), todos.clone())]);
    TodoWrite.engine_call(&input)
}

#[test]
fn t6_twenty_entries_and_one_in_progress_at_most() {
    let good = call(&json!([{"content": "a", "status": "in_progress", "activeForm": "doing a"}, {"content": "b", "status": "pending"}]));
    let want = vec![
        Todo { content: "a".into(), status: TodoStatus::InProgress, active_form: "doing a".into() },
        Todo { content: "b".into(), status: TodoStatus::Pending, active_form: String::new() },
    ];
    assert_eq!(good, Ok(Some(EngineCall::Todos(want))));
    assert_eq!(call(&json!([])), Ok(Some(EngineCall::Todos(Vec::new()))));
    let doing = json!({"content": "a", "status": "in_progress"});
    assert!(call(&json!([doing, doing])).unwrap_err().contains("in_progress"));
    let many: Vec<Value> = (0..21).map(|i| json!({"content": format!("{i}"), "status": "pending"})).collect();
    assert!(call(&Value::Array(many.clone())).unwrap_err().contains("20"));
    assert!(validate(&schema(), json!({ "todos": many }).as_object().unwrap()).is_err());
    assert!(call(&json!([{"content": " ", "status": "pending"}])).unwrap_err().contains("todos[0].content"));
    assert!(call(&json!([{"content": "a", "status": "later"}])).is_err());
}
