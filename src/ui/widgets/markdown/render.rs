//! Markdown blocks to styled rows. Works on one finished (or provisionally finished) piece of a text.

use super::Look;
use super::table::Table;
use crate::ui::widgets::highlight::Painter;
use crate::ui::widgets::wrap::{Break, Indent, wrap_into};
use crate::util::clean::for_screen;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// Containers whose signs are drawn.
const DEPTH: usize = 12;
/// Lines of an indented code block that are coloured while its piece is still open.
const OPEN_LINES: usize = 30;

/// Lay out a piece and add its rows to `out`. `open`: more may come, so dear work is left out.
pub(super) fn blocks(text: &str, look: &Look<'_>, open: bool, out: &mut Vec<Line<'static>>) {
    let text = for_screen(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut r = Renderer::new(look, open, out);
    for event in Parser::new_ext(&text, options) {
        r.event(event);
    }
    r.flush();
}

enum Container {
    Quote,
    /// A list item: its marker until it is drawn, and the marker's width.
    Item(Option<String>, usize),
}

struct Renderer<'a> {
    look: &'a Look<'a>,
    open: bool,
    out: &'a mut Vec<Line<'static>>,
    containers: Vec<Container>,
    lists: Vec<Option<u64>>,
    /// The inline text of the open block.
    inline: Vec<Span<'static>>,
    styles: Vec<Style>,
    /// Open links: target and the place of the first span.
    links: Vec<(String, usize)>,
    code: Option<(String, String)>,
    table: Option<Table>,
    /// The next block stands behind an empty row.
    gap: bool,
}

impl<'a> Renderer<'a> {
    fn new(look: &'a Look<'a>, open: bool, out: &'a mut Vec<Line<'static>>) -> Self {
        Self {
            look,
            open,
            out,
            containers: Vec::new(),
            lists: Vec::new(),
            inline: Vec::new(),
            styles: vec![look.theme.text],
            links: Vec::new(),
            code: None,
            table: None,
            gap: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(text.into_string(), Style::new()),
            },
            Event::Code(text) => self.push(text.into_string(), self.look.theme.code),
            Event::InlineMath(text) => self.push(format!("${text}$"), self.look.theme.code),
            Event::DisplayMath(text) => self.push(format!("$${text}$$"), self.look.theme.code),
            Event::Html(text) | Event::InlineHtml(text) => self.push(text.into_string(), self.look.theme.muted),
            Event::FootnoteReference(name) => self.push(format!("[^{name}]"), self.look.theme.link),
            Event::SoftBreak => self.push(" ".to_owned(), Style::new()),
            Event::HardBreak => self.push("\n".to_owned(), Style::new()),
            Event::Rule => {
                self.block();
                let wide = self.look.width.saturating_sub(self.look.indent).min(60);
                let indent = self.indent();
                wrap_into(self.out, &[Span::styled("─".repeat(wide), self.look.theme.border)], self.look.width, &indent, Break::Words);
                self.gap = true;
            }
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }.to_owned(), self.look.theme.muted),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let theme = self.look.theme;
        match tag {
            Tag::Paragraph | Tag::HtmlBlock | Tag::FootnoteDefinition(_) | Tag::MetadataBlock(_) => self.block(),
            Tag::Heading { .. } => {
                self.block();
                self.styles.push(theme.heading);
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.containers.push(Container::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.block();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(start) => {
                self.flush();
                if self.lists.is_empty() {
                    self.block();
                }
                self.gap = false;
                self.lists.push(start);
            }
            Tag::Item => self.start_item(),
            Tag::Table(align) => {
                self.block();
                self.table = Some(Table { align, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.styles.push(self.style().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(self.style().add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self.styles.push(self.style().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.inline.len()));
                self.styles.push(self.style().patch(theme.link));
            }
            Tag::Image { dest_url, .. } => {
                self.push("image: ".to_owned(), theme.muted);
                self.links.push((dest_url.into_string(), self.inline.len()));
                self.styles.push(self.style().patch(theme.link));
            }
            Tag::TableCell | Tag::Superscript | Tag::Subscript | Tag::DefinitionList | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::FootnoteDefinition | TagEnd::MetadataBlock(_) => {
                self.flush();
                self.gap = true;
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
                self.gap = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.containers.pop();
                self.gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.gap = true;
            }
            TagEnd::Item => {
                if self.pending() {
                    self.inline.push(Span::raw(""));
                }
                self.flush();
                self.containers.pop();
                // Items stand close together; where a list is loose at the top level, the cut into pieces gives the space.
                self.gap = false;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let prefix = self.indent().first;
                    self.out.extend(table.lines(&prefix, self.look.width, self.look.theme));
                }
                self.gap = true;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.table.as_mut().and_then(|t| t.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => {}
        }
    }

    fn start_item(&mut self) {
        self.flush();
        let marker = match self.lists.last_mut() {
            Some(Some(n)) => {
                let marker = format!("{n}. ");
                *n = n.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        let wide = marker.len();
        self.containers.push(Container::Item(Some(marker), wide));
    }

    fn end_link(&mut self) {
        self.styles.pop();
        let Some((target, from)) = self.links.pop() else { return };
        let label: String = self.inline.get(from..).unwrap_or_default().iter().map(|s| s.content.as_ref()).collect();
        if !target.is_empty() && label.trim() != target && target.strip_prefix("mailto:") != Some(label.trim()) {
            self.push(format!(" ({target})"), self.look.theme.muted);
        }
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let lines: Vec<&str> = code.lines().collect();
        let colours = !self.open || lines.len() <= OPEN_LINES;
        let mut painter = Painter::new(if colours { &language } else { "" }, &self.look.theme.syntax, self.look.theme.code);
        for line in lines {
            let spans = painter.line(line);
            let mut indent = self.indent();
            indent.first.push(Span::raw("  "));
            indent.rest.push(Span::raw("  "));
            wrap_into(self.out, &spans, self.look.width, &indent, Break::Cells);
        }
        self.gap = true;
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push(&mut self, text: String, style: Style) {
        self.inline.push(Span::styled(text, self.style().patch(style)));
    }

    /// Whether the innermost list item has drawn nothing yet.
    fn pending(&self) -> bool {
        matches!(self.containers.last(), Some(Container::Item(Some(_), _)))
    }

    /// A block begins: an empty row before it where one is due.
    fn block(&mut self) {
        if std::mem::take(&mut self.gap) && !self.pending() {
            let rest = self.indent_rows(false);
            let bare = self.containers.iter().all(|c| !matches!(c, Container::Quote));
            self.out.push(if bare { Line::default() } else { Line::from(rest) });
        }
    }

    fn flush(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let mut spans = std::mem::take(&mut self.inline);
        if let Some(last) = spans.last_mut().filter(|s| s.content.ends_with('\n')) {
            // Raw HTML brings its own line end.
            last.content = last.content.trim_end_matches('\n').to_owned().into();
        }
        let indent = self.indent();
        wrap_into(self.out, &spans, self.look.width, &indent, Break::Words);
        self.gap = false;
    }

    /// The signs before the rows of a block; markers are drawn once.
    fn indent(&mut self) -> Indent {
        let first = self.indent_rows(true);
        for c in &mut self.containers {
            if let Container::Item(marker, _) = c {
                *marker = None;
            }
        }
        Indent { first, rest: self.indent_rows(false) }
    }

    fn indent_rows(&self, first: bool) -> Vec<Span<'static>> {
        let theme = self.look.theme;
        let mut spans = vec![Span::raw(" ".repeat(self.look.indent))];
        for c in self.containers.iter().take(DEPTH) {
            spans.push(match c {
                Container::Quote => Span::styled("▌ ", theme.muted),
                Container::Item(Some(marker), _) if first => Span::styled(marker.clone(), theme.accent),
                Container::Item(_, wide) => Span::raw(" ".repeat(*wide)),
            });
        }
        spans
    }
}
