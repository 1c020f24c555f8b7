//! The explorer that the person talks to: sends children, reports what they found, says what it is.
//!
//! Must not: search by itself while children can be sent, or pretend to understand.

use super::child;
use super::explore::{self, Next, Task, Wanted};
use super::needle::{Kind, Term};
use super::report::{self, Place, Report};
use super::terms::{self, Question};
use super::view::{self, Plan, View};
use crate::protocol::{Message, Origin, TaskId, ToolCall, ToolResult};
use crate::util::text::one_line;
use serde_json::{Map, Value, json};

/// Places of one answer at most.
const PLACES: usize = 14;

const INTRO: &str = "I am the offline explorer: no language model, a rule-based search of this project. (Set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or start a local model server, to work with a model.)";

const ABOUT: &str = "I am the offline explorer: no language model, only a rule-based search of this project. I can find names, words, quoted texts and files, and report the places as `path:line`. \
    I cannot talk, explain, write, change files or run commands.\n\nAsk for example ``Where is `parse_config` defined?``, ``Where is `timeout` used?`` or `retry logic`. \
    For everything else set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or start a local model server, and start again (or switch with `/provider`).";

/// The next reply to the person.
#[must_use]
pub fn reply(view: &View<'_>) -> Plan {
    let Some(last) = view.last() else { return said(ABOUT.into()) };
    let asked = view::person(last);
    if view.no_tools {
        let summary = asked.as_ref().is_none_or(|q| q.to_lowercase().contains("summar"));
        return said(if summary {
            summarise(view)
        } else {
            "I am the offline explorer (no language model), and no search tool is offered to me, so I cannot look anything up.".into()
        });
    }
    let mut plan = Plan::default();
    results(view, asked.is_some(), &mut plan);
    for (task, text) in view::notices(last) {
        add(&mut plan.text, &notice(task, text));
    }
    if let Some(question) = asked {
        ask(view, &question, &mut plan);
    }
    if plan.text.is_empty() && plan.calls.is_empty() {
        plan.text = "Nothing is open. I am the offline explorer (no language model): ask for a name, a word or a file.".into();
    }
    plan
}

fn said(text: String) -> Plan {
    Plan { text, calls: Vec::new() }
}

fn add(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// A question of the person.
fn ask(view: &View<'_>, text: &str, plan: &mut Plan) {
    let question = terms::read(text);
    if question.action || question.topics.is_empty() {
        let offer = question
            .topics
            .first()
            .filter(|_| question.action)
            .map(|t| format!("\n\nWhat I can do is look for {}: ask `where is …`.", report::names(t.get(..3).unwrap_or(t))))
            .unwrap_or_default();
        add(&mut plan.text, &format!("{ABOUT}{offer}"));
        return;
    }
    let here = view.messages.len().saturating_sub(1);
    let first = !view.messages.iter().any(|m| matches!(m.as_ref(), Message::Assistant(_))) && !view.texts().any(|(_, _, o)| *o == Origin::Summary);
    if first {
        add(&mut plan.text, INTRO);
    }
    if !view.agents {
        add(&mut plan.text, "No children can be sent in this session, so I search directly.");
        direct(view, &question, here, plan);
        return;
    }
    let known: Vec<Term> = view.texts().filter(|(at, _, o)| *at < here && **o == Origin::Person).flat_map(|(_, t, _)| terms::read(t).terms()).collect();
    let follows = question.terms().iter().any(|t| known.iter().any(|k| k.text.eq_ignore_ascii_case(&t.text)));
    if known.is_empty() || follows {
        let words = if question.topics.len() > 1 {
            format!("I send {} children, one for each topic.", question.topics.len())
        } else {
            "I send a child to search.".into()
        };
        add(&mut plan.text, &words);
        let mut taken = Vec::new();
        plan.calls.extend(question.topics.iter().map(|topic| agent(text, topic, false, &mut taken)));
    } else {
        add(&mut plan.text, "This is another topic: a child searches for it in the background.");
        plan.calls.push(agent(text, &question.terms(), true, &mut Vec::new()));
    }
}

/// A call that sends an `Explore` child.
fn agent(question: &str, terms: &[Term], background: bool, taken: &mut Vec<String>) -> Wanted {
    let single: Vec<&str> = terms.iter().filter(|t| t.strong() || t.kind != Kind::Phrase).map(|t| t.text.as_str()).collect();
    let named = single.get(..2).unwrap_or(&single);
    let mut description = one_line(&format!("find {}", named.join(", ")), 40);
    while taken.contains(&description) {
        description.push('+');
    }
    taken.push(description.clone());
    let mut input = Map::new();
    input.insert("description".into(), json!(description));
    input.insert("prompt".into(), json!(child::prompt(question, terms)));
    input.insert("subagent_type".into(), json!("Explore"));
    if background {
        input.insert("run_in_background".into(), json!(true));
    }
    ("Agent", input)
}

/// Search without children; also goes on with such a search.
fn direct(view: &View<'_>, question: &Question, from: usize, plan: &mut Plan) {
    let task = Task { terms: question.terms(), wants: question.wants, root: view.root.to_owned() };
    let (seen, rounds) = view.seen(from);
    match explore::next(&task, &seen, 0, rounds, view.offered) {
        Next::Calls { text, calls } => {
            add(&mut plan.text, &text);
            plan.calls.extend(calls);
        }
        Next::Done { task, evidence } => {
            let mut found = report::of(&task, &evidence);
            for error in &evidence.errors {
                add(&mut found.counts, &format!("A tool failed: {error}"));
            }
            add(&mut plan.text, &answer(&[("the search".into(), found)], &[]));
        }
    }
}

/// What came of the calls of the last reply. `more`: the person asks something else meanwhile.
fn results(view: &View<'_>, more: bool, plan: &mut Plan) {
    let calls = view.last_calls();
    if calls.is_empty() {
        return;
    }
    let before = view.messages.len().saturating_sub(1);
    let asked = view.texts().rfind(|(at, _, o)| *at < before && **o == Origin::Person);
    let (agents, searches): (Vec<_>, Vec<_>) = calls.into_iter().partition(|(c, _)| c.name == "Agent");
    let (launched, sent): (Vec<_>, Vec<_>) = agents.into_iter().partition(|(c, r)| c.input.get("run_in_background") == Some(&Value::Bool(true)) && !r.is_error);
    for (call, result) in launched {
        add(&mut plan.text, &launch(call, result));
    }
    let replaceable = |r: &ToolResult| r.is_error && ["disabled", "nknown", "not available", "unavailable", "no such"].iter().any(|w| r.text.contains(w));
    if let (Some((at, text, _)), true) = (asked, (!sent.is_empty() && sent.iter().all(|(_, r)| replaceable(r))) || (sent.is_empty() && !searches.is_empty())) {
        if !more {
            if let Some((_, result)) = sent.first() {
                add(&mut plan.text, &format!("No child could be sent ({}), so I search directly.", one_line(&result.text, 160)));
            }
            direct(view, &terms::read(text), at, plan);
        }
        return;
    }
    if !sent.is_empty() {
        let reports: Vec<(String, Report)> = sent.iter().filter(|(_, r)| !r.is_error).map(|(c, r)| (description(c), report::parse(&r.text))).collect();
        let mut problems: Vec<String> = sent
            .iter()
            .filter(|(_, r)| r.is_error)
            .map(|(c, r)| format!("The child `{}` brought no report: {}", description(c), one_line(&r.text, 240)))
            .collect();
        problems.extend(
            sent.iter()
                .filter(|(_, r)| !r.is_error && r.text.starts_with('[') && !r.text.starts_with("[Agent:"))
                .map(|(c, _)| format!("The child `{}` was stopped before its end.", description(c))),
        );
        add(&mut plan.text, &answer(&reports, &problems));
    }
}

fn description(call: &ToolCall) -> String {
    call.input.get("description").and_then(Value::as_str).unwrap_or("child").to_owned()
}

fn launch(call: &ToolCall, result: &ToolResult) -> String {
    let id = result
        .text
        .lines()
        .find_map(|l| l.trim().strip_prefix("agentId:"))
        .map(|id| id.split_whitespace().next().unwrap_or_default().to_owned())
        .unwrap_or_default();
    format!(
        "`{}` runs in the background{}. Its findings come here when it ends; ask on meanwhile.",
        description(call),
        if id.is_empty() { String::new() } else { format!(" as {id}") }
    )
}

fn notice(task: TaskId, text: &str) -> String {
    let inner = text.split_once("<result>").map_or(text, |(_, r)| r.rsplit_once("</result>").map_or(r, |(r, _)| r));
    let found = report::parse(inner);
    if found.counts.is_empty() && found.places.is_empty() {
        return format!("The background task {task} has ended: {}", one_line(inner, 240));
    }
    format!("The background search {task} has ended.\n\n{}", answer(&[(task.to_string(), found)], &[]))
}

/// The final text: what was found, and nothing else.
fn answer(reports: &[(String, Report)], problems: &[String]) -> String {
    let mut places: Vec<Place> = Vec::new();
    // The best of each child first, so that no topic hides another.
    let longest = reports.iter().map(|(_, r)| r.places.len()).max().unwrap_or(0);
    for n in 0..longest {
        for place in reports.iter().filter_map(|(_, r)| r.places.get(n)) {
            if places.len() < PLACES && !places.iter().any(|p| p.path == place.path && p.line == place.line) {
                places.push(place.clone());
            }
        }
    }
    let mut out = if places.is_empty() {
        "Rule-based search, no language model: nothing was found.".to_owned()
    } else {
        format!(
            "Rule-based search, no language model: {}, best first. The lines are quoted as they stand in the files.\n\n{}",
            report::plural(places.len(), "place"),
            report::list(&places)
        )
    };
    let counts: Vec<String> = reports.iter().filter(|(_, r)| !r.counts.is_empty()).map(|(who, r)| format!("- {who}: {}", r.counts)).collect();
    add(&mut out, &counts.join("\n"));
    for problem in problems {
        add(&mut out, problem);
    }
    if places.is_empty() && problems.is_empty() {
        add(&mut out, "Try a name as it stands in the code, a part of an error message in quotes, or a file name.");
    }
    out
}

/// The questions and findings so far, for the place of the conversation that they came from.
fn summarise(view: &View<'_>) -> String {
    let mut questions: Vec<String> = Vec::new();
    let mut findings: Vec<String> = Vec::new();
    for message in view.messages {
        match message.as_ref() {
            Message::User(m) => {
                for (text, origin) in view::of_user(m) {
                    match origin {
                        Origin::Person if !text.to_lowercase().starts_with("summar") => questions.push(format!("- {}", one_line(text, 200))),
                        Origin::Summary => {
                            let old = |l: &&str| l.starts_with("- ");
                            questions.extend(text.lines().take_while(|l| *l != "Findings:").filter(old).map(str::to_owned));
                            findings.extend(text.lines().skip_while(|l| *l != "Findings:").filter(old).map(str::to_owned));
                        }
                        Origin::Person | Origin::Steer | Origin::Notification { .. } | Origin::Engine | Origin::Fork { .. } => {}
                    }
                }
            }
            Message::Assistant(m) => findings.extend(m.text().lines().filter(|l| l.starts_with("- `")).map(str::to_owned)),
        }
    }
    findings.dedup();
    let newest = |all: &[String], n: usize| all.get(all.len().saturating_sub(n)..).unwrap_or_default().join("\n");
    let (asked, found) = (newest(&questions, 30), newest(&findings, 40));
    let or_none = |s: String| if s.is_empty() { "none".into() } else { s };
    format!(
        "Summary by the offline explorer (no language model): a list, not an interpretation.\n\nQuestions:\n{}\n\nFindings:\n{}",
        or_none(asked),
        or_none(found)
    )
}
