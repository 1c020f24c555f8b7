//! Names and aliases (SPEC X2).

use super::*;
use crate::tools::registry::normalize;
use crate::tools::schema::validate;

#[test]
fn x2_the_name_is_found_under_the_names_that_models_use() {
    for field in ["name", "skill", "skill_name"] {
        let mut input = json!({field: "/pdf", "args": "x.pdf"}).as_object().unwrap().clone();
        normalize("load_skill", &mut input);
        assert_eq!(validate(&schema(), &input), Ok(()), "{field}");
        assert_eq!(Skill.engine_call(&input), Ok(Some(EngineCall::Skill { name: "pdf".into(), args: "x.pdf".into() })));
    }
    let mut empty = Input::new();
    normalize("Skill", &mut empty);
    assert!(Skill.engine_call(&empty).unwrap_err().contains("name"));
    assert_eq!(Skill.aliases(), ["load_skill"]);
}
