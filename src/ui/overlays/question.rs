//! Questions of the model to the person: options and free text, one after the other (SPEC T7).

use super::ask::{self, Verdict};
use crate::action::Action;
use crate::config::keymap::{Context, Key, KeyCode};
use crate::protocol::permission::Question;
use crate::protocol::{Answer, Approval, ApprovalBody};
use crate::ui::draw::paint;
use crate::ui::panes::composer::line::Line;
use crate::ui::update::Ui;
use crate::util::clean::escape_hidden;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state of the dialog.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// The present question.
    at: usize,
    /// The selected option; the number of options is the free text.
    selected: usize,
    checked: Vec<bool>,
    text: Line,
    answers: Vec<String>,
}

impl State {
    /// Begin with the first question.
    #[must_use]
    pub fn new(questions: &[Question]) -> Self {
        let mut state = Self::default();
        state.begin(questions);
        state
    }

    fn begin(&mut self, questions: &[Question]) {
        let options = questions.get(self.at).map_or(0, |q| q.options.len());
        self.selected = 0;
        self.checked = vec![false; options];
        self.text = Line::default();
    }

    /// Pasted words: free text.
    pub fn paste(&mut self, text: &str) {
        self.selected = self.checked.len();
        self.text.insert(text);
    }
}

/// A key for the dialog.
pub fn key(state: &mut State, ui: &Ui, approval: &Approval, key: Key) -> Verdict {
    let ApprovalBody::Questions { questions } = &approval.body else { return Verdict::Later };
    let Some(question) = questions.get(state.at) else { return Verdict::Answer(Answer::Answers { texts: state.answers.clone() }) };
    let options = question.options.len();
    let free = state.selected >= options;
    let composer = ui.keymap.find(&[Context::Composer, Context::Global], key);
    match (composer, key.typed()) {
        (Some(Action::LineUp), _) => state.selected = state.selected.saturating_sub(1),
        (Some(Action::LineDown), _) => state.selected = (state.selected + 1).min(options),
        (Some(Action::Interrupt), _) => return Verdict::Answer(Answer::Deny),
        (Some(Action::Complete), _) => return Verdict::Later,
        (Some(Action::Submit), _) => return confirm(state, questions, question),
        (None, Some(c)) if free => state.text.insert(c.encode_utf8(&mut [0; 4])),
        (Some(action), _) if free => {
            state.text.act(action);
        }
        (_, Some(' ')) if question.multi_select => toggle(state, state.selected),
        _ => {
            if let KeyCode::Char(c @ '1'..='9') = key.code {
                let n = usize::try_from(c.to_digit(10).unwrap_or(1)).unwrap_or(1) - 1;
                if n < options {
                    state.selected = n;
                    if question.multi_select {
                        toggle(state, n);
                    } else {
                        return confirm(state, questions, question);
                    }
                }
            }
        }
    }
    Verdict::Open
}

fn toggle(state: &mut State, n: usize) {
    if let Some(on) = state.checked.get_mut(n) {
        *on = !*on;
    }
}

fn confirm(state: &mut State, questions: &[Question], question: &Question) -> Verdict {
    let text = state.text.text().trim();
    let mut parts: Vec<String> = question.options.iter().zip(&state.checked).filter(|(_, on)| **on).map(|(o, _)| o.label.clone()).collect();
    if state.selected >= question.options.len() || question.multi_select {
        parts.extend((!text.is_empty()).then(|| text.to_owned()));
    }
    if parts.is_empty() {
        // Nothing checked: the row under the sign is meant; an empty free text is no answer.
        match question.options.get(state.selected) {
            Some(option) => parts.push(option.label.clone()),
            None => return Verdict::Open,
        }
    }
    state.answers.push(parts.join(", "));
    state.at += 1;
    if state.at >= questions.len() {
        return Verdict::Answer(Answer::Answers { texts: state.answers.clone() });
    }
    state.begin(questions);
    Verdict::Open
}

/// Draw the present question over the lower end of the conversation.
pub fn draw(state: &mut State, ui: &Ui, approval: &Approval, buf: &mut Buffer) -> Option<Position> {
    let ApprovalBody::Questions { questions } = &approval.body else { return None };
    let question = questions.get(state.at)?;
    let theme = &ui.theme;
    let over = ui.areas().over_composer();
    let columns = usize::from(over.width.saturating_sub(4)).max(1);
    let text = paint::wrap(&escape_hidden(&question.question), columns);
    let mut rows = Vec::new();
    for (n, option) in question.options.iter().enumerate() {
        let sign = if state.selected == n { "▸" } else { " " };
        let check = match (question.multi_select, state.checked.get(n)) {
            (true, Some(true)) => "✔ ",
            (true, _) => "○ ",
            (false, _) => "",
        };
        let detail = if option.description.is_empty() { String::new() } else { format!(" — {}", option.description) };
        let words = format!("{sign} {}. {check}{}{detail}", n + 1, option.label);
        rows.push((escape_hidden(&words).replace('\n', " "), if state.selected == n { theme.accent } else { theme.text }));
    }
    let free = state.selected >= question.options.len();
    let height = u16::try_from(text.len() + rows.len() + 4).unwrap_or(u16::MAX).min(over.height);
    let rect = Rect { y: over.bottom() - height, height, ..over };
    let header = if question.header.is_empty() { "question".to_owned() } else { escape_hidden(&question.header) };
    let title = format!("{} asks: {header}", escape_hidden(&approval.path)).replace('\n', " ");
    let count = if questions.len() > 1 { format!("question {} of {}", state.at + 1, questions.len()) } else { ask::place(ui, approval.id) };
    let inside = paint::frame(buf, rect, &title, &count, "", theme.warn, theme.text);
    // Where not everything fits, the options win over the beginning of the question.
    let room = usize::from(inside.height).saturating_sub(rows.len() + 2);
    let mut y = inside.y;
    for line in text.iter().skip(text.len().saturating_sub(room)) {
        paint::put(buf, inside, inside.x, y, inside.width, line, theme.text);
        y = y.saturating_add(1);
    }
    for (words, style) in &rows {
        paint::put_cut(buf, inside, inside.x, y, inside.width, words, *style);
        y = y.saturating_add(1);
    }
    let x =
        paint::put(buf, inside, inside.x, y, inside.width, if free { "▸ own words: " } else { "  own words: " }, if free { theme.accent } else { theme.muted });
    let cursor = super::permission::input(buf, Rect { x, y, width: inside.right().saturating_sub(x), height: 1 }.intersection(inside), &state.text, ui);
    let hints = if question.multi_select {
        "1-9 or space check · ↵ answer · esc no answer · ⇥ later"
    } else {
        "1-9 or ↵ answer · ↑↓ choose · esc no answer · ⇥ later"
    };
    paint::put_cut(buf, inside, inside.x, y.saturating_add(1), inside.width, hints, theme.muted);
    free.then_some(cursor)
}
