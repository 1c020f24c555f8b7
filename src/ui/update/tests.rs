//! Key paths: what a person presses and sees.

use super::testing::{Driver, command};
use crate::protocol::event::AgentTypeView;
use crate::protocol::permission::{Question, QuestionOption};
use crate::protocol::{AgentId, Approval, ApprovalBody, EventKind, Mode, Op, Origin, TaskId};
use crate::ui::msg::{Effect, Msg};
use crate::ui::overlays::Overlay;
use proptest::prelude::*;

fn turn(text: &str) -> Op {
    Op::UserTurn { text: text.into(), images: Vec::new() }
}

fn with_child(n: u32, background: bool) -> Driver {
    let mut d = Driver::new(100, 30);
    d.spawn(n, background, "do it");
    d
}

#[test]
fn u6_enter_sends_and_the_other_enters_make_lines() {
    let mut d = Driver::new(100, 30);
    d.type_text("one").press(&["shift+enter"]).type_text("two").press(&["alt+enter"]).type_text("three\\").press(&["enter"]).type_text("four");
    assert_eq!(d.ops(), []);
    assert!(d.screen().contains("❯ one\n   two\n   three\n   four\n"), "{}", d.screen());
    d.press(&["enter"]);
    assert_eq!(d.ops(), [turn("one\ntwo\nthree\nfour")]);
    assert!(d.ui.composer.is_empty());
    d.press(&["enter"]);
    assert_eq!(d.ops(), [], "an empty line is not sent");
}

#[test]
fn e05_a_paste_sends_nothing() {
    let mut d = Driver::new(100, 30);
    d.send(Msg::Paste("a\rb\r\nc\r".into()));
    assert_eq!(d.ops(), []);
    d.press(&["enter"]);
    assert_eq!(d.ops(), [turn("a\nb\nc\n")]);
}

#[test]
fn x5_a_line_is_a_message_a_command_a_shell_line_or_a_memory() {
    for (line, op) in [
        ("/usr/bin/env is missing", turn("/usr/bin/env is missing")),
        ("/tasks", Op::Report { what: "tasks".into(), args: String::new() }),
        ("/compact api", Op::Compact { focus: Some("api".into()) }),
        ("!ls -l", Op::Shell { command: "ls -l".into(), background: false }),
        ("!sleep 5 &", Op::Shell { command: "sleep 5".into(), background: true }),
        ("!a && b", Op::Shell { command: "a && b".into(), background: false }),
        ("# likes tabs", Op::Remember { text: "likes tabs".into(), user: false }),
        ("#hash", turn("#hash")),
        ("# a\nb", turn("# a\nb")),
        ("!", turn("!")),
    ] {
        let mut d = Driver::new(100, 30);
        d.send(Msg::Paste(line.into())).press(&["enter"]);
        assert_eq!(d.ops(), [op], "{line}");
    }
    let mut d = Driver::new(100, 30);
    d.ui.model.own_commands = vec![("review".into(), String::new())];
    d.type_text("/review src now").press(&["enter"]);
    assert_eq!(d.ops(), [Op::Slash { name: "review".into(), args: "src now".into() }]);
}

#[test]
fn x5_an_unknown_command_is_never_sent_and_comes_back_with_up() {
    let mut d = Driver::new(100, 30);
    d.type_text("/tsks now").press(&["enter"]);
    assert_eq!(d.ops(), []);
    assert!(d.ui.composer.is_empty());
    assert!(d.screen().contains("There is no command /tsks") && d.screen().contains("did you mean /tasks?"), "{}", d.screen());
    d.press(&["up"]);
    assert_eq!(d.ui.composer.text(), "/tsks now");
}

#[test]
fn x5_enter_in_the_palette_runs_what_is_selected() {
    let mut d = Driver::new(100, 30);
    d.type_text("/ta");
    assert!(d.screen().contains("▸ /tasks"), "{}", d.screen());
    d.press(&["enter"]);
    assert_eq!(d.ops(), [Op::Report { what: "tasks".into(), args: String::new() }]);
    d.type_text("/exit").press(&["enter"]);
    assert_eq!(d.effects.last(), Some(&Effect::Exit));
    d.effects.clear();
    d.type_text("/mod").press(&["tab"]);
    assert_eq!(d.ui.composer.text(), "/model ");
    d.press(&["ctrl+u"]).type_text("/").press(&["esc"]);
    assert!(d.ui.composer.popup.is_none() && d.ui.composer.text() == "/");
}

#[test]
fn u6_files_are_asked_for_once_and_completed() {
    let mut d = Driver::new(100, 30);
    d.type_text("see @ma");
    assert_eq!(d.effects, [Effect::WalkFiles]);
    d.send(Msg::Files(vec!["src/main.rs".into(), "README.md".into()])).press(&["enter"]);
    assert_eq!(d.ui.composer.text(), "see @src/main.rs ");
    d.press(&["enter"]);
    assert_eq!(d.ops(), [turn("see @src/main.rs ")]);
}

#[test]
fn l7_escape_interrupts_a_turn_and_nothing_when_idle() {
    let mut d = Driver::new(100, 30);
    d.press(&["esc"]);
    assert_eq!(d.ops(), []);
    d.ui.model.turn_since = Some(d.now);
    d.press(&["esc"]);
    assert_eq!(d.ops(), [Op::Interrupt]);
    // Also in the moment between sending and the engine's word.
    d.ui.model.turn_since = None;
    d.type_text("go").press(&["enter", "esc"]);
    assert_eq!(d.ops(), [turn("go"), Op::Interrupt]);
}

#[test]
fn l7_queued_messages_are_shown_and_taken_back() {
    let mut d = Driver::new(100, 30);
    d.ui.model.queued = vec!["first".into(), "second".into()];
    assert!(d.screen().contains("queued: second"), "{}", d.screen());
    d.press(&["up"]);
    assert_eq!(d.ops(), [Op::Unqueue]);
    d.engine(AgentId::MAIN, EventKind::Unqueued { text: "second".into() });
    assert_eq!(d.ui.composer.text(), "second");
}

#[test]
fn r1_shift_tab_cycles_and_reaches_bypass_only_if_started_with_it() {
    let mut d = Driver::new(100, 30);
    let set = |mode| Op::SetMode { mode };
    d.press(&["shift+tab", "shift+tab", "shift+tab"]);
    assert_eq!(d.ops(), [set(Mode::AcceptEdits), set(Mode::Plan), set(Mode::Default)]);
    d.ui.bypass_allowed = true;
    d.press(&["shift+tab", "shift+tab", "shift+tab", "shift+tab"]);
    assert_eq!(d.ops(), [set(Mode::AcceptEdits), set(Mode::Plan), set(Mode::Bypass), set(Mode::Default)]);
}

#[test]
fn s20_ctrl_b_and_f6_move_to_the_background() {
    let mut d = with_child(1, false);
    d.press(&["ctrl+b", "f6"]);
    let op = Op::ToBackground { agent: None };
    assert_eq!(d.ops(), [op.clone(), op]);
}

#[test]
fn u6_ctrl_c_clears_then_quits_on_the_second_press() {
    let mut d = Driver::new(100, 30);
    d.type_text("draft").press(&["ctrl+c"]);
    assert!(d.ui.composer.is_empty() && d.effects.is_empty());
    d.press(&["ctrl+c"]).wait(2_500).press(&["ctrl+c"]);
    assert!(d.effects.is_empty(), "too late for the second press");
    d.wait(500).press(&["ctrl+c"]);
    assert_eq!(d.effects, [Effect::Exit]);
    let mut d = Driver::new(100, 30);
    d.type_text("ab").press(&["left", "ctrl+d"]);
    assert_eq!((d.ui.composer.text(), d.effects.len()), ("a".into(), 0));
    d.press(&["backspace", "ctrl+d"]);
    assert_eq!(d.effects, [Effect::Exit]);
}

#[test]
fn s27_quitting_with_background_tasks_asks() {
    let mut d = with_child(1, true);
    d.type_text("/exit").press(&["enter"]);
    assert!(d.effects.iter().all(|e| *e != Effect::Exit));
    assert!(d.screen().contains("[w]ait  [s]top all  [c]ancel"), "{}", d.screen());
    d.press(&["c"]);
    assert!(d.ui.overlays.is_empty());
    d.press(&["ctrl+d", "w"]).wait(100);
    assert!(!d.effects.contains(&Effect::Exit));
    d.ui.model.agents.clear();
    d.wait(100);
    assert!(d.effects.contains(&Effect::Exit));

    let mut d = with_child(1, true);
    d.press(&["ctrl+d", "s"]);
    assert_eq!(d.effects, [Effect::Op(Op::AbortAll), Effect::Exit]);
}

#[test]
fn u3_the_trace_pane_folds_and_remembers() {
    let mut d = with_child(1, false);
    assert!(!d.ui.areas().trace_folded);
    d.press(&["ctrl+o"]);
    assert!(d.ui.areas().trace_folded && d.ui.areas().trace.height == 1);
    d.press(&["f2"]);
    assert_eq!(d.effects, [Effect::SaveTrace(false), Effect::SaveTrace(true)]);
    d.send(Msg::Resize(70, 30));
    assert!(d.ui.areas().trace_folded, "narrow: the header line stays");
    d.press(&["ctrl+o"]);
    assert!(d.ui.areas().conversation.is_empty() && !d.ui.areas().trace_folded, "narrow: one region at a time");
}

#[test]
fn u3_u4_the_task_panel_opens_a_child_with_the_end_of_its_prompt() {
    let mut d = Driver::new(100, 30);
    let prompt = format!("CHILDPROMPT {}DEEPMARK", "with many details ".repeat(20));
    d.spawn(1, true, &prompt).spawn(2, true, "other");
    assert!(!d.screen().contains("DEEPMARK"));
    d.press(&["ctrl+t", "enter"]);
    let text = d.screen();
    assert!(text.contains("CHILDPROMPT") && text.contains("DEEPMARK") && text.contains("a1 Explore · look 1"), "{text}");
    d.press(&["s", "b", "x"]);
    let agent = AgentId::child(1);
    assert_eq!(d.ops(), [Op::Stop { agent }, Op::ToBackground { agent: Some(agent) }, Op::Abort { task: TaskId::Agent(agent) }]);
    d.press(&["tab"]).type_text("sx faster").press(&["enter"]);
    assert_eq!(d.ops(), [Op::Steer { agent, text: "sx faster".into() }]);
    d.press(&["esc"]);
    assert!(d.ui.overlays.is_empty(), "the child took the place of the panel");
    d.press(&["ctrl+t", "down", "enter"]);
    assert!(d.screen().contains("a2 Explore"), "{}", d.screen());
    d.press(&["esc"]);
    assert!(d.ui.overlays.is_empty());
    let mut d = Driver::new(80, 24);
    d.spawn(1, true, &format!("START {}ENDMARK", "word ".repeat(20_000)));
    d.press(&["ctrl+t", "enter"]);
    assert!(d.screen().contains("START") && d.screen().contains("ENDMARK"), "{}", d.screen());
}

#[test]
fn u3_a_childs_words_are_copied_and_inserted_as_a_marked_block() {
    let mut d = with_child(1, true);
    d.press(&["ctrl+t", "enter", "i"]);
    assert!(d.ui.composer.is_empty() && d.ui.overlays.len() == 1, "it has said nothing yet");
    d.engine(AgentId::child(1), EventKind::TextDelta { text: "found it: a.rs:1".into() });
    d.press(&["y"]);
    assert!(d.effects.contains(&Effect::Copy("found it: a.rs:1".into())));
    d.press(&["i"]);
    assert!(d.ui.overlays.is_empty());
    d.press(&["enter"]);
    assert_eq!(d.ops(), [turn("--- from a1 Explore · look 1 ---\nfound it: a.rs:1\n--- end of a1 ---\n")]);
}

#[test]
fn u3_tab_selects_in_the_trace_pane_and_typing_comes_back_to_the_line() {
    let mut d = with_child(3, false);
    d.press(&["tab", "x"]);
    assert_eq!(d.ops(), [Op::Abort { task: TaskId::Agent(AgentId::child(3)) }]);
    d.type_text("hello");
    assert_eq!((d.ui.composer.text(), d.ui.trace_focused), ("hello".into(), false));
}

#[test]
fn s4_the_picker_switches_a_type_at_once_and_its_row_changes() {
    let mut d = Driver::new(100, 30);
    let view = |name: &str| AgentTypeView {
        name: name.into(),
        description: "d".into(),
        source: "built-in".into(),
        tools: "all".into(),
        model: "inherit".into(),
        enabled: true,
    };
    d.ui.model.agent_types = vec![view("Explore"), view("Plan"), view("aardvark")];
    d.type_text("/agents").press(&["enter"]);
    let before = d.screen();
    d.press(&["down", "down"]);
    let moved = d.screen();
    d.press(&["space"]);
    let after = d.screen();
    assert!(before.contains("aardvark") && before.contains("built-in"));
    let changed: Vec<_> = moved.lines().zip(after.lines()).filter(|(a, b)| a != b).map(|(_, b)| b).collect();
    assert!(changed.iter().any(|l| l.contains("aardvark")) && changed.iter().all(|l| !l.contains("Plan")), "{changed:?}");
    d.press(&["enter", "esc"]);
    let op = |enabled| Op::EnableAgentType { name: "aardvark".into(), enabled };
    assert_eq!(d.ops(), [op(false), op(true)]);
    assert!(d.ui.overlays.is_empty());
}

#[test]
fn the_first_prompt_waits_for_the_session_and_the_trust_question() {
    let mut d = Driver::new(100, 30);
    d.ui.initial_prompt = Some("go".into());
    d.wait(1);
    assert_eq!(d.ops(), []);
    d.ui.model.header.session = "s".into();
    d.ui.model.trust = Some(vec!["x".into()]);
    d.wait(1).wait(400).press(&["n"]);
    assert_eq!(d.ops(), [Op::Trust { trusted: false }, turn("go")]);
}

#[test]
fn u7_help_lists_keys_and_commands_and_closes() {
    let mut d = Driver::new(100, 60);
    for open in ["f1", "?"] {
        d.press(&[open]);
        assert!(d.screen().contains("/agents [on|off]"), "{}", d.screen());
        d.press(&["end"]);
        assert!(d.screen().contains("Leaving"), "{}", d.screen());
        d.press(&["esc"]);
        assert!(d.ui.overlays.is_empty());
    }
    d.type_text("a?");
    assert_eq!(d.ui.composer.text(), "a?", "only on an empty line");
}

#[test]
fn u8_nothing_wakes_an_idle_interface() {
    let mut d = Driver::new(100, 30);
    d.type_text("draft");
    assert_eq!(super::next_wake(&d.ui), None);
    d.ui.model.turn_since = Some(d.now);
    assert_eq!(super::next_wake(&d.ui), Some(1_000_250));
    let mut d = with_child(1, true);
    d.wait(1);
    assert_eq!(super::next_wake(&d.ui), Some(1_001_000));
    d.press(&["ctrl+c"]);
    d.ui.model.agents.clear();
    d.wait(6_000);
    assert_eq!(super::next_wake(&d.ui), None, "the words went away");
}

#[test]
fn u6_history_search_finds_and_takes() {
    let mut d = Driver::new(100, 30);
    d.send(Msg::History(vec!["fix the parser".into(), "run tests".into(), "fix the printer".into()]));
    d.press(&["ctrl+r"]).type_text("fix");
    assert!(d.screen().contains("search: fix") && d.screen().contains("fix the printer"), "{}", d.screen());
    d.press(&["ctrl+r", "enter"]);
    assert_eq!((d.ui.composer.text(), d.ops()), ("fix the parser".into(), vec![]));
    d.press(&["ctrl+r", "esc"]);
    assert_eq!(d.ui.composer.text(), "fix the parser");
}

#[test]
fn e08_the_cursor_is_in_the_line_on_every_frame() {
    let mut d = Driver::new(100, 30);
    d.type_text("你好a").press(&["left"]);
    for _ in 0..3 {
        let text = d.screen();
        let y = text.lines().position(|l| l.contains("你")).unwrap();
        assert_eq!(d.cursor.map(|c| (c.x, usize::from(c.y))), Some((3 + 4, y)));
        d.engine(AgentId::MAIN, EventKind::TextDelta { text: "more ".into() });
    }
}

#[test]
fn u2_the_draft_is_visible_at_every_usable_width() {
    for (width, height) in [(300, 4), (130, 40), (100, 30), (70, 24), (59, 14), (40, 10), (20, 3)] {
        let mut d = with_child(1, true);
        d.type_text("DRAFTTEXT");
        d.send(Msg::Resize(width, height));
        assert!(d.screen().contains("DRAFTTEXT"), "{width}×{height}\n{}", d.screen());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn e02_any_size_with_anything_open_draws(width in 0u16..140, height in 0u16..45, what in 0usize..12, keys in prop::collection::vec(0usize..14, 0..8)) {
        let mut d = with_child(1, true);
        d.ui.model.queued = vec!["q 你好".into(); 4];
        d.ui.model.agent_types = vec![AgentTypeView { name: "x".into(), description: "d\t你".into(), source: "s".into(), tools: "t".into(), model: "m".into(), enabled: true }; 30];
        d.type_text("DRAFT 你好 🌞 @s");
        d.send(Msg::Files(vec!["s你".into(); 20]));
        match what {
            0 => { d.press(&["f1"]); }
            1 => { d.press(&["ctrl+t"]); }
            2 => { d.press(&["ctrl+t", "enter", "i"]); }
            3 => { d.ui.overlays.push(Overlay::Agents(crate::ui::overlays::picker::State::default())); }
            4 => { d.press(&["ctrl+f"]).type_text("a"); }
            5 => { d.ui.model.trust = Some(vec!["你好 item".into(); 9]); }
            6 => { d.press(&["ctrl+c", "ctrl+d"]); }
            7 => { d.ask(command(1, &"line 你好\n".repeat(40))); }
            8 => { d.ask(Approval { body: ApprovalBody::FanOut { children: vec![("k".into(), "你".into()); 12] }, ..command(1, "") }); }
            9 => {
                let questions = vec![Question { question: "你好 q ".repeat(30), header: "h".into(), options: vec![QuestionOption { label: "l".into(), description: "d".into() }; 5], multi_select: true }];
                d.ask(Approval { body: ApprovalBody::Questions { questions }, ..command(1, "") });
            }
            10 => { d.press(&["ctrl+c", "ctrl+r"]).type_text("x"); }
            _ => {}
        }
        d.wait(2_000);
        d.send(Msg::Resize(width, height));
        d.screen();
        let names = ["up", "down", "pagedown", "end", "tab", "enter", "space", "r", "s", "left", "backspace", "home", "pageup", "A"];
        for k in keys {
            d.press(&[names[k]]);
            d.screen();
            if let Some(c) = d.cursor {
                prop_assert!(c.x < width && c.y < height);
            }
        }
        d.send(Msg::Resize(80, 24));
        d.screen();
    }
}
#[test]
fn u1_the_regions_stand_together_at_every_class_of_width() {
    let mut d = Driver::new(120, 30);
    d.engine(AgentId::MAIN, EventKind::UserMessage { text: "QUESTION".into(), origin: Origin::Person });
    d.spawn(1, false, "p").spawn(2, true, "p").wait(9_000).type_text("DRAFT");
    let wide = d.screen();
    for part in ["┬", "QUESTION", "│ TASKS", "a2 Explore look 2", "┤\n SUBAGENTS  2 running", "▾ a1 Explore", "┴", " ❯ DRAFT", "^T tasks"] {
        assert!(wide.contains(part), "{part}\n{wide}");
    }
    d.send(Msg::Resize(100, 26));
    let middle = d.screen();
    assert!(middle.contains("\n tasks ") && middle.contains("▾ a1 Explore") && !middle.contains("│ TASKS"), "{middle}");
    d.send(Msg::Resize(70, 20));
    let narrow = d.screen();
    assert!(narrow.contains("SUBAGENTS  2 running") && !narrow.contains("▾ a1") && narrow.contains("QUESTION"), "{narrow}");
}

#[test]
fn u5_search_brings_the_words_into_view() {
    let mut d = Driver::new(100, 24);
    for n in 0..200 {
        d.engine(AgentId::MAIN, EventKind::UserMessage { text: format!("message {n} end"), origin: Origin::Person });
    }
    assert!(!d.screen().contains("message 17 end"));
    d.press(&["ctrl+f"]).type_text("message 17 ").press(&["enter"]);
    assert!(d.screen().contains("message 17 end"), "{}", d.screen());
    d.press(&["esc", "end"]);
    assert!(d.screen().contains("message 199 end"));
}
