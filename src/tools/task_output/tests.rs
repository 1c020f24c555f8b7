//! Arguments and their defaults (SPEC T1).

use super::*;
use crate::protocol::{AgentId, TaskId};

fn call(input: &serde_json::Value) -> Result<Option<EngineCall>, String> {
    TaskOutput.engine_call(input.as_object().unwrap())
}

#[test]
fn it_waits_thirty_seconds_unless_told_otherwise() {
    let agent = TaskId::Agent(AgentId::child(1));
    assert_eq!(call(&json!({"task_id": " a1 "})), Ok(Some(EngineCall::TaskOutput { task: agent, block: true, timeout_ms: 30_000 })));
    let all = json!({"task_id": "b2", "block": false, "timeout": 9_000_000});
    assert_eq!(call(&all), Ok(Some(EngineCall::TaskOutput { task: TaskId::Command(2), block: false, timeout_ms: 600_000 })));
    for wrong in ["", "x1", "b0", "main1"] {
        assert!(call(&json!({"task_id": wrong})).unwrap_err().contains("task_id"), "{wrong}");
    }
}
