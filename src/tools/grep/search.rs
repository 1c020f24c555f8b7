//! The search over many files: one thread walks in the order of the names, two search, and what they find is put back
//! into that order, so that the same question gets the same answer. Ends as soon as the limit is reached for sure.

use super::filter::Filter;
use super::lines::{Collector, Line};
use crate::tools::files::walk::{Ignored, walk};
use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Files on the way between the walk and the search.
const QUEUE: usize = 256;
/// Threads that search.
const SEARCHERS: usize = 2;
/// Bytes that a search may hold, at most (one line, or the file with `multiline`).
const HEAP: usize = 64 * 1024 * 1024;

/// What to print.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The matching lines.
    Content,
    /// The names of the files.
    Files,
    /// The number of matching lines of each file.
    Count,
}

/// What to look for, where, and how much to print.
#[derive(Debug)]
pub struct Query {
    /// A file or folder, resolved.
    pub root: PathBuf,
    /// As it was given.
    pub given: String,
    /// A place other than the project was named.
    pub explicit: bool,
    /// Which files.
    pub filter: Filter,
    /// The expression.
    pub matcher: RegexMatcher,
    /// What to print.
    pub mode: Mode,
    /// Lines before a match.
    pub before: usize,
    /// Lines after a match.
    pub after: usize,
    /// With line numbers.
    pub numbers: bool,
    /// Across lines.
    pub multiline: bool,
    /// Lines of output at most.
    pub limit: usize,
}

/// A file with matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// Which.
    pub path: PathBuf,
    /// For [`Mode::Content`].
    pub lines: Vec<Line>,
    /// Matching lines.
    pub count: usize,
}

impl Hit {
    /// Lines of output.
    fn size(&self) -> usize {
        self.lines.len().max(1)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of the names.
    pub hits: Vec<Hit>,
    /// Files that were searched.
    pub searched: usize,
    /// The limit was reached: there may be more.
    pub limited: bool,
    /// A file that was named by itself is binary.
    pub binary: bool,
    /// Files that could not be read, or not be held.
    pub failed: usize,
    /// All of it is in files that are otherwise ignored.
    pub ignored: bool,
}

/// Results in order of their files, and whether enough is known.
#[derive(Debug, Default)]
struct Order {
    found: Found,
    /// Results that came before those of earlier files.
    early: BTreeMap<usize, Option<Hit>>,
    next: usize,
    size: usize,
    enough: bool,
}

impl Order {
    fn put(&mut self, index: usize, hit: Option<Hit>, limit: usize) {
        self.early.insert(index, hit);
        while let Some(hit) = self.early.remove(&self.next) {
            self.next += 1;
            if self.enough {
                continue;
            }
            if let Some(hit) = hit {
                // One line beyond the limit is kept as the sign that there are more.
                self.size = self.size.saturating_add(hit.size());
                self.found.hits.push(hit);
                self.enough = self.size > limit;
            }
        }
    }
}

/// Search. Ends soon after `cancel` fires.
pub fn search(query: &Query, ignored: Ignored, cancel: &CancellationToken) -> Found {
    let order = Mutex::new(Order::default());
    let (send, receive) = sync_channel::<(usize, PathBuf)>(QUEUE);
    let receive = Arc::new(Mutex::new(receive));
    std::thread::scope(|scope| {
        for _ in 0..SEARCHERS {
            let (receive, order) = (Arc::clone(&receive), &order);
            scope.spawn(move || work(query, &receive, order, cancel));
        }
        drop(receive);
        let single = query.root.is_file();
        let mut index = 0;
        for entry in walk(&query.root, ignored).sort_by_file_name(std::ffi::OsStr::cmp).build() {
            if cancel.is_cancelled() || lock(&order).enough {
                break;
            }
            // What cannot be listed is not there for us.
            let Ok(entry) = entry else { continue };
            let file = entry.file_type().is_some_and(|t| t.is_file());
            if single || (file && query.filter.takes(entry.path())) {
                if send.send((index, entry.into_path())).is_err() {
                    break;
                }
                index += 1;
            }
        }
        drop(send);
    });
    let order = order.into_inner().unwrap_or_else(PoisonError::into_inner);
    Found { limited: order.enough, ..order.found }
}

fn lock(order: &Mutex<Order>) -> std::sync::MutexGuard<'_, Order> {
    order.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One searching thread: takes files until there are no more. When enough is known it only empties the queue.
fn work(query: &Query, receive: &Mutex<Receiver<(usize, PathBuf)>>, order: &Mutex<Order>, cancel: &CancellationToken) {
    let mut searcher = searcher(query);
    loop {
        let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((index, path)) = next else { return };
        if cancel.is_cancelled() || lock(order).enough {
            continue;
        }
        let mut collector = Collector::new(&query.matcher, query.mode, query.limit, cancel);
        let result = one(&mut searcher, query, &path, &mut collector);
        let hit = (collector.count > 0).then_some(Hit { path, lines: collector.lines, count: collector.count });
        let mut order = lock(order);
        order.found.searched += 1;
        order.found.failed += usize::from(result.is_err());
        order.found.binary |= collector.binary;
        order.put(index, hit, query.limit);
    }
}

fn one(searcher: &mut Searcher, query: &Query, path: &Path, collector: &mut Collector<'_>) -> std::io::Result<()> {
    searcher.search_path(&query.matcher, path, collector)
}

fn searcher(query: &Query) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder.binary_detection(BinaryDetection::quit(0)).line_number(true).heap_limit(Some(HEAP)).multi_line(query.multiline);
    if !query.multiline {
        builder.line_terminator(LineTerminator::crlf());
    }
    if query.mode == Mode::Content {
        builder.before_context(query.before).after_context(query.after);
    }
    builder.build()
}
