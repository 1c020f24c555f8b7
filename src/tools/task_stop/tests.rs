//! Arguments (SPEC S19).

use super::*;
use crate::protocol::{AgentId, TaskId};

#[test]
fn a_task_is_aborted_or_asked_for_its_report() {
    let call = |input: serde_json::Value| TaskStop.engine_call(input.as_object().unwrap());
    assert_eq!(call(json!({"task_id": "b1"})), Ok(Some(EngineCall::TaskStop { task: TaskId::Command(1), report: false })));
    let report = call(json!({"task_id": "a3", "report": true}));
    assert_eq!(report, Ok(Some(EngineCall::TaskStop { task: TaskId::Agent(AgentId::child(3)), report: true })));
    assert!(call(json!({"task_id": "3"})).unwrap_err().contains("a1"));
}
