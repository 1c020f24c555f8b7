//! Key paths of the questions: who is asked, when keys count, and what each answers (SPEC R6, R7, S17, T7; CASES G05).

use crate::protocol::permission::{Question, QuestionOption};
use crate::protocol::{AgentId, Answer, Approval, ApprovalBody, ApprovalId, Op};
use crate::ui::msg::Effect;
use crate::ui::update::next_wake;
use crate::ui::update::testing::{Driver, command};

#[test]
fn d12b_a_background_question_takes_no_keys() {
    let mut d = Driver::new(100, 30);
    d.type_text("yes a draft ");
    d.ask(Approval { background: true, ..command(1, "touch n.txt") });
    for c in "yayodsn1 draftend".chars() {
        d.wait(120).type_text(&c.to_string());
    }
    d.wait(5_000);
    assert!(d.screen().contains("1 question parked · F4 answer"), "{}", d.screen());
    assert_eq!(d.ops(), []);
    assert_eq!(d.ui.composer.text(), "yes a draft yayodsn1 draftend");
    d.press(&["f4"]).wait(400).screen();
    d.press(&["o"]);
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Once }]);
    assert_eq!(d.ui.composer.text(), "yes a draft yayodsn1 draftend");
}

#[test]
fn g05_keys_typed_ahead_do_nothing_and_a_draft_is_not_interrupted() {
    let mut d = Driver::new(100, 30);
    d.ask(command(1, "touch x"));
    assert!(d.ui.ask.is_some());
    d.type_text("oya");
    assert_eq!(d.ops(), []);
    assert!(d.ui.composer.is_empty(), "the dead time swallows");
    d.wait(300).press(&["o"]);
    assert_eq!(d.ops(), [], "what was never on the screen cannot be allowed");
    d.screen();
    d.type_text("o");
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Once }]);

    let mut d = Driver::new(100, 30);
    d.type_text("yes 1 a");
    d.ask(command(1, "touch x"));
    assert!(d.ui.ask.is_none(), "in the middle of a draft");
    assert!(next_wake(&d.ui).is_some());
    d.wait(400).type_text(" o");
    assert_eq!(d.ui.composer.text(), "yes 1 a o");
    d.wait(1_100);
    assert!(d.ui.ask.is_some() && d.ops().is_empty());
}

#[test]
fn r6_several_askers_one_at_a_time_with_their_place() {
    let mut d = Driver::new(120, 40);
    d.ask(command(1, "first command"));
    d.ask(Approval { agent: AgentId::MAIN, path: "main".into(), description: String::new(), ..command(2, "second command") });
    let text = d.screen();
    assert!(text.contains("a1 general-purpose “build everything” wants to run") && text.contains("1 of 2"), "{text}");
    assert!(text.contains("[o]nce  [a] this agent  [s]ession  [A]lways…  [d]eny  [r] deny and say why  [x] stop a1"), "{text}");
    assert!(text.contains("1 question parked"), "{text}");
    d.wait(400).press(&["d"]);
    assert!(d.screen().contains("second command") && d.screen().contains("1 of 1"), "{}", d.screen());
    d.press(&["o"]);
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Deny }], "the next one has its own dead time");
    assert!(d.screen().contains("[o]nce  [s]ession  [A]lways…  [d]eny  [r] deny and say why  "), "{}", d.screen());
    assert!(!d.screen().contains("[x]") && !d.screen().contains("[a]"));
    d.wait(400).press(&["x", "a", "A", "u"]);
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(2), answer: Answer::AlwaysUser }]);
}

#[test]
fn r6_a_reason_is_typed_and_a_dead_asker_removes_its_question() {
    let mut d = Driver::new(100, 30);
    d.ask(command(1, "x")).wait(400).press(&["r"]).type_text("use another").press(&["esc"]);
    assert_eq!(d.ops(), []);
    d.press(&["r"]).type_text("REASON x o a").press(&["enter"]);
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::DenyBecause { reason: "REASON x o a".into() } }]);
    d.ask(command(2, "y")).wait(400);
    assert!(d.ui.ask.is_some());
    d.ui.model.approvals.clear();
    d.wait(1);
    assert!(d.ui.ask.is_none());
    d.press(&["o"]);
    assert_eq!(d.ops(), []);
    d.ask(command(3, "z")).wait(400).press(&["tab"]);
    assert!(d.ui.ask.is_none() && d.screen().contains("1 question parked"));
}

#[test]
fn r8_a_protected_file_offers_no_lasting_allow() {
    let mut d = Driver::new(120, 30);
    d.ask(Approval { rule: None, ..command(1, "x") }).wait(400).press(&["s", "A", "p", "a"]);
    assert_eq!(d.ops(), []);
    assert!(d.screen().contains("[o]nce  [d]eny  [r] deny and say why  [x] stop a1"), "{}", d.screen());
}

#[test]
fn s17_a_fan_out_shows_one_list() {
    let mut d = Driver::new(120, 40);
    let children = (0..9).map(|n| ("Explore".to_owned(), format!("fan number {n}"))).collect();
    d.ask(Approval { agent: AgentId::MAIN, path: "main".into(), body: ApprovalBody::FanOut { children }, ..command(1, "") });
    let text = d.screen();
    assert!((0..9).all(|n| text.contains(&format!("fan number {n}"))) && text.contains("[a]ll  [s]ome  [n]one") && text.contains("9 subagents"), "{text}");
    d.wait(400).press(&["s", "space", "down", "down", "space", "enter"]);
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Start { chosen: vec![1, 3, 4, 5, 6, 7, 8] } }]);
    for (key, chosen) in [("a", vec![0, 1]), ("n", vec![]), ("esc", vec![])] {
        let mut d = Driver::new(120, 40);
        let children = vec![("a".into(), "b".into()); 2];
        d.ask(Approval { body: ApprovalBody::FanOut { children }, ..command(1, "") }).wait(400).press(&[key]);
        assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Start { chosen } }]);
    }
}

#[test]
fn t7_questions_take_options_several_and_free_text() {
    let option = |label: &str| QuestionOption { label: label.into(), description: "why".into() };
    let question =
        |text: &str, multi_select| Question { question: text.into(), header: "H".into(), options: vec![option("red"), option("blue")], multi_select };
    let questions = vec![question("which?", false), question("which ones?", true), question("how?", false)];
    let mut d = Driver::new(100, 30);
    d.ask(Approval { agent: AgentId::MAIN, path: "main".into(), body: ApprovalBody::Questions { questions }, ..command(1, "") }).wait(400);
    let text = d.screen();
    assert!(text.contains("which?") && text.contains("1. red — why") && text.contains("question 1 of 3"), "{text}");
    d.press(&["2"]);
    assert!(d.screen().contains("which ones?"));
    d.press(&["1", "2", "enter", "down", "down"]).type_text("by 1 hand").press(&["enter"]);
    let texts = vec!["blue".into(), "red, blue".into(), "by 1 hand".into()];
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Answers { texts } }]);
}

#[test]
fn r7_the_trust_question_has_its_keys() {
    for (key, trusted) in [("y", true), ("n", false)] {
        let mut d = Driver::new(100, 30);
        d.ui.model.trust = Some(vec![".mcp.json starts /bin/sh -c touch\u{202e}".into()]);
        d.wait(1);
        let text = d.screen();
        assert!(text.contains("[y] trust  [n] go on without them  [q] quit") && text.contains("touch\\u{202e}"), "{text}");
        d.press(&[key]);
        assert_eq!(d.ops(), [], "dead time");
        d.wait(400).press(&[key, "y"]);
        assert_eq!(d.ops(), [Op::Trust { trusted }]);
    }
    let mut d = Driver::new(100, 30);
    d.ui.model.trust = Some(vec![]);
    d.wait(1).wait(400).press(&["q"]);
    assert_eq!(d.effects, [Effect::Exit]);
}
