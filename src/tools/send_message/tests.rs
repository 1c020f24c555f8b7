//! Arguments (SPEC S19).

use super::*;
use crate::protocol::AgentId;

#[test]
fn words_go_to_a_child_and_only_there() {
    let call = |input: serde_json::Value| SendMessage.engine_call(input.as_object().unwrap());
    let want = EngineCall::SendMessage { agent: AgentId::child(2), message: " go on ".into(), background: false };
    assert_eq!(call(json!({"agent_id": "a2", "message": " go on "})), Ok(Some(want)));
    assert!(call(json!({"agent_id": "main", "message": "x"})).unwrap_err().contains("agent_id"));
    assert!(call(json!({"agent_id": "b1", "message": "x"})).unwrap_err().contains("agent_id"));
    assert!(call(json!({"agent_id": "a1", "message": " "})).unwrap_err().contains("message"));
}
