//! A child of the explorer: reads its prompt, searches in rounds, reports.
//!
//! Must not: know its parent. Everything that it needs stands in its prompt.

use super::explore::{self, Next, Task};
use super::needle::Term;
use super::rank::{self, Evidence};
use super::report;
use super::terms::{self, Wants};
use super::view::{Plan, View};
use crate::protocol::{Message, Origin};
use crate::util::text::one_line;

const QUESTION: &str = "Question: ";
const LOOK_FOR: &str = "Look for: ";

/// A self-contained prompt for a child.
#[must_use]
pub fn prompt(question: &str, terms: &[Term]) -> String {
    let flat = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let list: Vec<String> = terms.iter().map(Term::written).collect();
    format!(
        "Find where the following stands in this project and report exact `path:line` findings, definitions first.\n{QUESTION}{}\n{LOOK_FOR}{}\nSearch by content and by file name, read around the best places, and report only lines that a tool showed.",
        one_line(&flat, 600),
        serde_json::to_string(&list).unwrap_or_default()
    )
}

/// What a prompt asks for: its list of terms, or the words of any other text.
fn wanted(prompt: &str) -> (Vec<Term>, Wants) {
    let field = |name: &str| prompt.lines().find_map(|l| l.strip_prefix(name));
    let asked = terms::read(field(QUESTION).unwrap_or(prompt));
    let listed: Option<Vec<String>> = field(LOOK_FOR).and_then(|l| serde_json::from_str(l).ok());
    let listed: Vec<Term> = listed.unwrap_or_default().iter().take(12).filter_map(|t| Term::parse(t)).collect();
    (if listed.is_empty() { asked.terms() } else { listed }, asked.wants)
}

/// The next reply of a child.
#[must_use]
pub fn reply(view: &View<'_>) -> Plan {
    let own: Vec<(usize, &str, bool)> = view
        .texts()
        .filter_map(|(at, text, origin)| match origin {
            Origin::Person | Origin::Fork { .. } => Some((at, text, false)),
            Origin::Steer => Some((at, text, true)),
            Origin::Notification { .. } | Origin::Engine | Origin::Summary => None,
        })
        .collect();
    let Some((mut from, first, _)) = own.first().copied() else { return done("There is no prompt to read.".into()) };
    let (mut terms, mut wants) = wanted(first);
    for (at, text, _) in own.into_iter().skip(1) {
        let (new, new_wants) = wanted(text);
        // Words like `go on` change nothing.
        if new.iter().all(|t| t.weight < 2) {
            continue;
        }
        let finished = at > 0 && matches!(view.messages.get(at - 1).map(AsRef::as_ref), Some(Message::Assistant(a)) if a.calls().next().is_none());
        terms = if finished { new } else { new.into_iter().chain(terms).take(10).collect() };
        (from, wants) = (at, new_wants);
    }
    if terms.is_empty() {
        return done("The prompt holds no word that can be searched for. This child is a rule-based search without a language model: it needs names, words or file names.".into());
    }
    let task = Task { terms, wants, root: view.root.to_owned() };
    let (seen, _) = view.seen(0);
    let (fresh, rounds) = view.seen(from);
    if view.no_tools {
        let evidence = rank::gather(&seen, &task.terms, &task.root);
        return done(report::child(&task, &evidence, true));
    }
    match explore::next(&task, &seen, seen.len() - fresh.len(), rounds, view.offered) {
        Next::Calls { text, calls } => Plan { text, calls },
        Next::Done { task, evidence } => done(finish(view, &task, &evidence)),
    }
}

fn finish(view: &View<'_>, task: &Task, evidence: &Evidence) -> String {
    if evidence.searches == 0 && evidence.errors.is_empty() && !view.offered.grep && !view.offered.glob {
        return "Nothing was searched: neither Grep nor Glob is offered to this agent.".into();
    }
    report::child(task, evidence, false)
}

fn done(text: String) -> Plan {
    Plan { text, calls: Vec::new() }
}
