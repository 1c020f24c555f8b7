//! The text that a child's end puts into its parent (SPEC S11, S12, S13). Pure.

use crate::protocol::{AgentInfo, AgentOutcome, Ending};
use crate::util::text::{escape_own_tags, tail};

/// Bytes of a report that reach the parent: its tail.
pub const REPORT_LIMIT: usize = 32_768;

/// The result of a child for its parent, and whether it is an error result.
#[must_use]
pub fn result(info: &AgentInfo, outcome: &AgentOutcome) -> (String, bool) {
    let mark = match outcome.ending {
        Ending::Completed => String::new(),
        Ending::OverBudget => "[over budget] ".into(),
        Ending::Partial | Ending::Denied | Ending::Failed | Ending::Cancelled | Ending::Interrupted => format!("[{}] ", outcome.ending.name()),
    };
    let mut text = format!("{mark}[Agent: {}]\n{}\n\n{}", escape_own_tags(&info.description), body(outcome), statistics(info, outcome));
    for fact in facts(outcome) {
        text.push('\n');
        text.push_str(&fact);
    }
    let bad = match outcome.ending {
        Ending::Completed | Ending::Partial | Ending::OverBudget => false,
        Ending::Denied | Ending::Failed | Ending::Cancelled | Ending::Interrupted => true,
    };
    (text, bad || outcome.report.trim().is_empty())
}

/// The report as the parent reads it: capped, our own tags made harmless.
#[must_use]
pub fn body(outcome: &AgentOutcome) -> String {
    if outcome.report.trim().is_empty() {
        return format!("(no summary)\nAgent finished without text ({})", escape_own_tags(&outcome.reason));
    }
    let report = outcome.report.trim_end();
    if report.len() <= REPORT_LIMIT {
        return escape_own_tags(report);
    }
    let kept = tail(report, REPORT_LIMIT - 200);
    format!(
        "[{} characters of the beginning left out; the whole report is in the transcript]\n{}",
        report.chars().count() - kept.chars().count(),
        escape_own_tags(kept)
    )
}

/// The two lines of statistics.
#[must_use]
pub fn statistics(info: &AgentInfo, outcome: &AgentOutcome) -> String {
    let plural = |n: u32, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    format!(
        "(agent {} · {} · {} · {})\nTokens: {} in / {} out",
        info.id,
        info.kind,
        plural(outcome.tool_uses, "tool use"),
        plural(outcome.requests, "request"),
        outcome.usage.all_input(),
        outcome.usage.output
    )
}

/// The engine's own facts, one line each.
#[must_use]
pub fn facts(outcome: &AgentOutcome) -> Vec<String> {
    let mut facts = Vec::new();
    if outcome.ending != Ending::Completed {
        let why = if outcome.reason.is_empty() || outcome.reason == outcome.ending.name() {
            String::new()
        } else {
            format!(" ({})", escape_own_tags(&outcome.reason))
        };
        facts.push(format!("Ended: {}{why}", outcome.ending.name()));
    }
    if !outcome.files_written.is_empty() {
        facts.push(format!("Files written: {}", some(&outcome.files_written, 20)));
    }
    if !outcome.denied.is_empty() {
        let calls: Vec<String> = outcome.denied.iter().map(|d| format!("{} {}", d.tool, d.input)).collect();
        facts.push(format!("Refused calls: {} — {}", outcome.denied.len(), escape_own_tags(&some(&calls, 5))));
    }
    if !outcome.dropped_tools.is_empty() {
        facts.push(format!("Tools not given (not of this type): {}", outcome.dropped_tools.join(", ")));
    }
    if !outcome.bad_citations.is_empty() {
        facts.push(format!("Citations that do not exist: {}", escape_own_tags(&some(&outcome.bad_citations, 20))));
    }
    if let Some(branch) = &outcome.branch {
        facts.push(format!("Changes are on the branch {branch}"));
    }
    facts
}

fn some(all: &[String], max: usize) -> String {
    let shown = all.iter().take(max).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > max { format!("{shown} and {} more", all.len() - max) } else { shown }
}

/// The notification of a background child's end (SPEC S25): the whole, and a short form that names how to read it.
#[must_use]
pub fn notification(info: &AgentInfo, outcome: &AgentOutcome) -> (String, String) {
    let head = format!(
        "<task-notification>\n<id>{}</id>\n<kind>agent</kind>\n<status>{}</status>\n<summary>{} “{}” ended: {}</summary>\n",
        info.id,
        outcome.ending.name(),
        escape_own_tags(&info.kind),
        escape_own_tags(&info.description),
        outcome.ending.name().replace('_', " "),
    );
    let (text, _) = result(info, outcome);
    let short =
        format!("{head}<result>not loaded: it does not fit the context now; read it with TaskOutput, task_id {}</result>\n</task-notification>", info.id);
    (format!("{head}<result>\n{text}\n</result>\n</task-notification>"), short)
}

#[cfg(test)]
mod tests;
