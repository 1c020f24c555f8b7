//! Arguments (SPEC T7).

use super::*;
use crate::tools::schema::validate;

#[test]
fn t7_one_to_four_questions() {
    let call = |questions: Value| AskUserQuestion.engine_call(json!({ "questions": questions }).as_object().unwrap());
    let one = json!({"question": "Which?", "header": "Way", "options": [{"label": "A", "description": "first"}, {"label": "B"}], "multiSelect": true});
    let Ok(Some(EngineCall::Ask(asked))) = call(json!([one])) else { panic!() };
    assert_eq!((asked.len(), asked[0].options.len(), asked[0].multi_select, asked[0].options[1].description.as_str()), (1, 2, true, ""));
    assert!(call(json!([])).is_err());
    assert!(call(json!([one, one, one, one, one])).unwrap_err().contains("1 to 4"));
    assert!(call(json!([{"question": " "}])).unwrap_err().contains("questions[0].question"));
    let least = json!({"questions": [{"question": "which one?"}]});
    assert_eq!(validate(&schema(), least.as_object().unwrap()), Ok(()));
}
