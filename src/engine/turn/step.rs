//! The arrows of the machine. Each is a small function named after its input.

use super::effect::Effect;
use super::input::{CallClass, Input};
use super::state::{Consent, Inbox, MAX_CONTINUATIONS, MAX_SAME_FAILURE, Phase, Progress, Slot, State};
use crate::engine::announce;
use crate::protocol::event::{TurnEnding, TurnError};
use crate::protocol::{AssistantBlock, AssistantMessage, CallFault, CallId, Message, Origin, ToolCall, ToolResult, UserContent, UserMessage};
use std::sync::Arc;

/// What an unfinished call is answered with after an interrupt (SPEC L2).
pub const INTERRUPTED: &str = "interrupted: the user stopped this turn before the call ended";
const CUT_CALL: &str = "not run: the reply hit the output limit in the middle of this call, so its arguments are incomplete. Work in smaller steps: for example write a file in several parts.";
const CONTINUE: &str = "Your reply was cut by the output limit. Continue exactly where it ended, without repeating anything.";
const PRESS: &str =
    "That only announces what you will do. Nobody reads it: do the work now if anything is missing, then give the complete report as your final message.";

/// Take an input; returns what the driver has to do, in order.
pub fn step(s: &mut State, input: Input) -> Vec<Effect> {
    let mut out = Vec::new();
    match input {
        Input::Say { text, images, origin } => receive(s, Inbox::Say { text, images, origin }, &mut out),
        Input::Notice { task, full, short, tokens } => receive(s, Inbox::Notice { task, full, short, tokens }, &mut out),
        Input::Note { text } => s.inbox.push_back(Inbox::Note { text }),
        Input::Withdraw { task } => s.inbox.retain(|i| !matches!(i, Inbox::Notice { task: t, .. } if *t == task)),
        Input::Reply { message, cut, classes, consent } => reply(s, message, cut, &classes, consent, &mut out),
        Input::Failed { error, partial } => failed(s, error, partial, &mut out),
        Input::Consent { allowed, reason } => consented(s, &allowed, &reason, &mut out),
        Input::Result { result } => result_came(s, result, &mut out),
        Input::Interrupt { partial } => interrupt(s, partial, &mut out),
        Input::ReportNow { note, cancel } => report_now(s, note, cancel, &mut out),
        Input::Compacted { history } => s.history = history,
    }
    out
}

fn receive(s: &mut State, item: Inbox, out: &mut Vec<Effect>) {
    let person = matches!(item, Inbox::Say { .. });
    s.inbox.push_back(item);
    if s.is_idle() {
        start_turn(s, out);
    } else if person {
        out.push(Effect::QueueChanged);
    }
}

fn start_turn(s: &mut State, out: &mut Vec<Effect>) {
    out.push(Effect::TurnStarted);
    if s.limits.per_turn {
        s.requests = 0;
    }
    s.continuations = 0;
    s.failing = None;
    s.last_request = false;
    s.cut_text.clear();
    flush(s, Vec::new(), out);
    request(s, out);
}

/// Results first, then what waited, as one user message (SPEC L2, L7, S25).
fn flush(s: &mut State, results: Vec<ToolResult>, out: &mut Vec<Effect>) {
    let results = if results.is_empty() { std::mem::take(&mut s.lead) } else { results };
    let mut content = Vec::new();
    let mut said = false;
    let mut room = s.room;
    for item in std::mem::take(&mut s.inbox) {
        match item {
            Inbox::Say { text, images, origin } => {
                said = true;
                content.extend(images.into_iter().map(|(media_type, data)| UserContent::Image { media_type, data }));
                content.push(UserContent::Text { text, origin });
            }
            Inbox::Notice { task, full, short, tokens } => {
                let text = if tokens <= room { full } else { short };
                room = room.saturating_sub(tokens);
                content.push(UserContent::Text { text, origin: Origin::Notification { task } });
            }
            Inbox::Note { text } => content.push(UserContent::Text { text, origin: Origin::Engine }),
        }
    }
    if said {
        out.push(Effect::QueueChanged);
    }
    if results.is_empty() && content.is_empty() {
        return;
    }
    append(s, Message::User(UserMessage { results, content }), out);
}

/// Push a message; the history refuses what is not legal, and then nothing is sent either.
fn append(s: &mut State, message: Message, out: &mut Vec<Effect>) -> bool {
    if s.history.push(message).is_err() {
        return false;
    }
    if let Some(last) = s.history.messages().last() {
        out.push(Effect::Appended(Arc::clone(last)));
    }
    true
}

fn request(s: &mut State, out: &mut Vec<Effect>) {
    if s.requests >= s.limits.max_requests {
        return end(s, TurnEnding::Limit { max: s.limits.max_requests }, out);
    }
    s.requests += 1;
    s.phase = Phase::Requesting;
    out.push(Effect::Request { tools: !s.last_request });
}

fn end(s: &mut State, ending: TurnEnding, out: &mut Vec<Effect>) {
    s.phase = Phase::Idle;
    s.last_request = false;
    s.report_now = None;
    out.push(Effect::TurnEnded(ending));
    let waiting = s.inbox.iter().any(|i| matches!(i, Inbox::Say { .. } | Inbox::Notice { .. }));
    let goes_on = match out.last() {
        Some(Effect::TurnEnded(TurnEnding::Completed | TurnEnding::Interrupted)) => true,
        // After a failure or at a limit only the person's own words start anew; completions wait for them.
        _ => s.inbox.iter().any(|i| matches!(i, Inbox::Say { origin: Origin::Person, .. })) && s.limits.per_turn,
    };
    if waiting && goes_on {
        start_turn(s, out);
    }
}

fn reply(s: &mut State, message: AssistantMessage, cut: bool, classes: &[CallClass], consent: bool, out: &mut Vec<Effect>) {
    if !s.is_requesting() {
        return;
    }
    let calls: Vec<ToolCall> = message.calls().cloned().collect();
    let text = message.text();
    if !message.blocks.is_empty() && !append(s, Message::Assistant(message), out) {
        return end(s, internal("the reply does not fit the conversation"), out);
    }
    if cut {
        s.continuations += 1;
    } else {
        s.continuations = 0;
    }
    if calls.is_empty() {
        return final_text(s, &text, cut, out);
    }
    s.cut_text.clear();
    if s.continuations > MAX_CONTINUATIONS {
        answer_all(s, &calls, CUT_CALL, out);
        return end(s, output_limit(), out);
    }
    if let Some(why) = no_more_calls(s) {
        answer_all(s, &calls, &why, out);
        if s.report_now.is_some() && !s.last_request && s.requests < s.limits.max_requests {
            return last_request(s, out);
        }
        let ending = if s.last_request { TurnEnding::Completed } else { TurnEnding::Limit { max: s.limits.max_requests } };
        return end(s, ending, out);
    }
    let slots = calls
        .into_iter()
        .enumerate()
        .map(|(i, call)| {
            let class = classes.get(i).copied().unwrap_or(CallClass::Write);
            let progress = match faulty(&call) {
                Some(text) => Progress::Done(ToolResult::error(call.id.clone(), text)),
                None => Progress::Waiting,
            };
            Slot { call, class, progress }
        })
        .collect();
    s.phase = Phase::Tools { slots, consent: if consent { Consent::Needed } else { Consent::Given } };
    advance(s, out);
}

/// Why the calls of this reply are not run, if so.
fn no_more_calls(s: &State) -> Option<String> {
    if s.last_request {
        return Some("not run: this was the last request, without tools".into());
    }
    if s.report_now.is_some() {
        return Some("not run: the limit is reached; report what you have".into());
    }
    let last = !s.limits.per_turn && s.requests >= s.limits.max_requests;
    last.then(|| format!("not run: the limit of {} requests is reached", s.limits.max_requests))
}

fn faulty(call: &ToolCall) -> Option<String> {
    call.fault.as_ref().map(|fault| match fault {
        CallFault::Cut => CUT_CALL.to_owned(),
        CallFault::NotJson { message } => format!("not run: the arguments of {} are not valid JSON ({message}); send a JSON object", call.name),
        CallFault::NotAnObject => format!("not run: the arguments of {} must be a JSON object", call.name),
    })
}

fn answer_all(s: &mut State, calls: &[ToolCall], text: &str, out: &mut Vec<Effect>) {
    let results = calls.iter().map(|c| ToolResult::error(c.id.clone(), text)).collect();
    flush_results_only(s, results, out);
}

/// Only the results; what waits keeps waiting.
fn flush_results_only(s: &mut State, results: Vec<ToolResult>, out: &mut Vec<Effect>) {
    append(s, Message::User(UserMessage { results, content: Vec::new() }), out);
}

fn last_request(s: &mut State, out: &mut Vec<Effect>) {
    let note = s.report_now.take().unwrap_or_default();
    s.last_request = true;
    s.inbox.push_back(Inbox::Note { text: note });
    flush(s, Vec::new(), out);
    s.requests = s.requests.min(s.limits.max_requests.saturating_sub(1));
    request(s, out);
}

fn final_text(s: &mut State, text: &str, cut: bool, out: &mut Vec<Effect>) {
    if cut && !text.is_empty() && s.continuations <= MAX_CONTINUATIONS && !s.last_request {
        s.cut_text.push_str(text);
        s.inbox.push_front(Inbox::Note { text: CONTINUE.into() });
        flush(s, Vec::new(), out);
        return request(s, out);
    }
    if cut && s.continuations > MAX_CONTINUATIONS {
        return end(s, output_limit(), out);
    }
    let steered = s.inbox.iter().any(|i| matches!(i, Inbox::Say { .. }));
    if s.limits.press_for_report && !s.pressed && !steered && s.requests < s.limits.max_requests && !s.last_request && announce::only_announces(text) {
        s.pressed = true;
        s.inbox.push_back(Inbox::Note { text: PRESS.into() });
        flush(s, Vec::new(), out);
        return request(s, out);
    }
    end(s, TurnEnding::Completed, out);
}

fn output_limit() -> TurnEnding {
    TurnEnding::Failed {
        error: TurnError {
            kind: "output_limit".into(),
            message: "the model hit its output limit again and again".into(),
            hint: "ask for smaller steps, or choose a model with a larger output limit (/model)".into(),
        },
    }
}

fn internal(message: &str) -> TurnEnding {
    TurnEnding::Failed { error: TurnError { kind: "internal".into(), message: message.into(), hint: String::new() } }
}

/// Start what may start now; when all calls have ended, go on.
fn advance(s: &mut State, out: &mut Vec<Effect>) {
    let limits = s.limits;
    let Phase::Tools { slots, consent } = &mut s.phase else { return };
    let Some(first) = slots.iter().position(|slot| !matches!(slot.progress, Progress::Done(_))) else {
        return complete(s, out);
    };
    let class = slots[first].class;
    // The group: the run of calls of the same class around the first unfinished one.
    let end = slots[first..].iter().position(|x| x.class != class && !matches!(x.progress, Progress::Done(_))).map_or(slots.len(), |n| first + n);
    let end = if class == CallClass::Write { first + 1 } else { end };
    if class == CallClass::Agent && *consent != Consent::Given {
        if *consent == Consent::Needed {
            *consent = Consent::Asked;
            let ids = slots.iter().filter(|x| x.class == CallClass::Agent && x.progress == Progress::Waiting).map(|x| x.call.id.clone()).collect();
            out.push(Effect::AskConsent(ids));
        }
        return;
    }
    let max = match class {
        CallClass::Read => limits.max_reads,
        CallClass::Write => 1,
        CallClass::Agent => limits.max_agents,
    };
    let mut running = slots[first..end].iter().filter(|x| x.progress == Progress::Running).count();
    for slot in &mut slots[first..end] {
        if running >= max {
            break;
        }
        if slot.progress == Progress::Waiting && slot.class == class {
            slot.progress = Progress::Running;
            running += 1;
            out.push(Effect::Run(slot.call.clone()));
        }
    }
}

/// All calls of the reply have ended.
fn complete(s: &mut State, out: &mut Vec<Effect>) {
    let Phase::Tools { slots, .. } = std::mem::replace(&mut s.phase, Phase::Requesting) else { return };
    let mut results = Vec::new();
    let mut loops = None;
    for slot in slots {
        let Progress::Done(result) = slot.progress else { continue };
        let key = format!("{} {}", slot.call.name, serde_json::Value::Object(slot.call.input.clone()));
        s.failing = match s.failing.take() {
            _ if !result.is_error => None,
            Some((k, n)) if k == key => Some((k, n + 1)),
            _ => Some((key, 1)),
        };
        if s.failing.as_ref().is_some_and(|(_, n)| *n >= MAX_SAME_FAILURE) {
            loops = Some(slot.call.name.clone());
        }
        results.push(result);
    }
    if let Some(name) = loops {
        flush_results_only(s, results, out);
        let message = format!("the same call of {name} failed {MAX_SAME_FAILURE} times in a row with equal arguments");
        let hint = "say what to do differently, then continue".into();
        return end(s, TurnEnding::Failed { error: TurnError { kind: "loop".into(), message, hint } }, out);
    }
    if s.report_now.is_some() {
        flush_results_only(s, results, out);
        return last_request(s, out);
    }
    if s.limits.announce_last && s.requests + 1 == s.limits.max_requests {
        let text = format!("This is your last request of {}: give your complete report now, without further tool calls.", s.limits.max_requests);
        s.inbox.push_back(Inbox::Note { text });
    }
    if s.requests >= s.limits.max_requests {
        flush_results_only(s, results, out);
        return end(s, TurnEnding::Limit { max: s.limits.max_requests }, out);
    }
    flush(s, results, out);
    request(s, out);
}

fn result_came(s: &mut State, result: ToolResult, out: &mut Vec<Effect>) {
    let Phase::Tools { slots, .. } = &mut s.phase else { return };
    let Some(slot) = slots.iter_mut().find(|x| x.call.id == result.call_id && x.progress == Progress::Running) else { return };
    slot.progress = Progress::Done(result);
    advance(s, out);
}

fn consented(s: &mut State, allowed: &[CallId], reason: &str, out: &mut Vec<Effect>) {
    let Phase::Tools { slots, consent } = &mut s.phase else { return };
    if *consent != Consent::Asked {
        return;
    }
    *consent = Consent::Given;
    for slot in slots.iter_mut().filter(|x| x.class == CallClass::Agent && x.progress == Progress::Waiting) {
        if !allowed.contains(&slot.call.id) {
            slot.progress = Progress::Done(ToolResult::error(slot.call.id.clone(), reason));
        }
    }
    advance(s, out);
}

/// Answer what is unfinished; returns the ids of running calls.
fn close_calls(s: &mut State, why: &str, out: &mut Vec<Effect>) {
    let Phase::Tools { slots, .. } = std::mem::replace(&mut s.phase, Phase::Idle) else { return };
    let running: Vec<CallId> = slots.iter().filter(|x| x.progress == Progress::Running).map(|x| x.call.id.clone()).collect();
    if !running.is_empty() {
        out.push(Effect::CancelCalls(running));
    }
    let results = slots
        .into_iter()
        .map(|x| match x.progress {
            Progress::Done(result) => result,
            Progress::Waiting | Progress::Running => ToolResult::error(x.call.id, why),
        })
        .collect();
    flush_results_only(s, results, out);
}

/// What was streamed before the end, without calls (they are incomplete) and without unproved reasoning.
fn keep_partial(s: &mut State, partial: AssistantMessage, out: &mut Vec<Effect>) {
    let blocks: Vec<AssistantBlock> = partial.blocks.into_iter().filter(|b| matches!(b, AssistantBlock::Text { text } if !text.trim().is_empty())).collect();
    if !blocks.is_empty() {
        append(s, Message::Assistant(AssistantMessage { blocks }), out);
    }
}

fn interrupt(s: &mut State, partial: AssistantMessage, out: &mut Vec<Effect>) {
    match s.phase {
        Phase::Idle => return,
        Phase::Requesting => {
            out.push(Effect::CancelRequest);
            keep_partial(s, partial, out);
        }
        Phase::Tools { .. } => close_calls(s, INTERRUPTED, out),
    }
    end(s, TurnEnding::Interrupted, out);
}

fn failed(s: &mut State, error: TurnError, partial: AssistantMessage, out: &mut Vec<Effect>) {
    if !s.is_requesting() {
        return;
    }
    keep_partial(s, partial, out);
    end(s, TurnEnding::Failed { error }, out);
}

fn report_now(s: &mut State, note: String, cancel: bool, out: &mut Vec<Effect>) {
    match s.phase {
        Phase::Idle => {}
        Phase::Requesting if s.last_request => {}
        Phase::Requesting => {
            s.report_now = Some(note);
            if cancel {
                out.push(Effect::CancelRequest);
                s.requests = s.requests.saturating_sub(1);
                last_request(s, out);
            }
        }
        Phase::Tools { .. } => {
            s.report_now = Some(note);
            if cancel {
                close_calls(s, "interrupted: the report is asked for now", out);
                last_request(s, out);
            }
        }
    }
}
