//! The head of a text, as detectors see it.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use memchr::memmem;

use super::lines::lossy;
use crate::json::scan;
use crate::jsonrpc::{NoLift, parse_at};

/// How many lines a detector looks at.
const LINES: usize = 200;

/// What a format learned; which one, its type tells.
type Lesson = Arc<dyn Any + Send + Sync>;

/// The head of a text.
#[derive(Clone)]
pub(crate) struct Sample {
    /// Its text; bytes that are no UTF-8 are replaced.
    text: String,
    /// True if it is all there is.
    pub whole: bool,
    limit: usize,
    /// How many wrappers were taken off it.
    pub depth: u8,
    /// How many lines stand before it.
    pub lines_before: u64,
    /// Where its lines stand, once one format has looked at them: every other one looks at the same.
    lines: OnceLock<Arc<[Range<usize>]>>,
    /// What formats have learned from it.
    learned: Arc<Mutex<Vec<Lesson>>>,
}

impl Sample {
    /// A sample from the head of a text; `all` looks at every line of it.
    pub(crate) fn new(head: &[u8], whole: bool, all: bool) -> Sample {
        let text = lossy(head).into_owned();
        Sample {
            text,
            whole,
            limit: if all { usize::MAX } else { LINES },
            depth: 0,
            lines_before: 0,
            lines: OnceLock::new(),
            learned: Arc::default(),
        }
    }

    /// A sample from further on in a text.
    pub(crate) fn further(bytes: &[u8], lines_before: u64) -> Sample {
        Sample { lines_before, ..Sample::new(bytes, false, true) }
    }

    /// What a wrapper left of `outer`.
    pub(crate) fn peeled(text: &[u8], outer: &Sample) -> Sample {
        let text = lossy(text).into_owned();
        Sample {
            text,
            whole: outer.whole,
            limit: outer.limit,
            depth: outer.depth + 1,
            lines_before: outer.lines_before,
            lines: OnceLock::new(),
            learned: Arc::default(),
        }
    }

    /// Its text without a last line that the sample cuts, unless that is the only one.
    pub(crate) fn whole_lines(&self) -> &str {
        let cut = !self.whole && !self.text.ends_with('\n');
        match self.text.rfind('\n') {
            Some(at) if cut => &self.text[..at],
            _ => &self.text,
        }
    }

    /// What a format learns from it, which is learned once and asked for several times: to detect, to survey and to read.
    pub(crate) fn learned<T: Send + Sync + 'static>(&self, learn: impl FnOnce(&Sample) -> T) -> Arc<T> {
        let known = self.lessons().iter().find_map(|known| Arc::clone(known).downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let new = Arc::new(learn(self));
            self.lessons().push(Arc::<T>::clone(&new));
            new
        })
    }

    /// The same where a format has learned this elsewhere.
    pub(crate) fn taught<T: Send + Sync + 'static>(&self, lesson: Arc<T>) -> Sample {
        let learned: Arc<Mutex<Vec<Lesson>>> = Arc::new(Mutex::new(vec![lesson]));
        Sample { learned, ..self.clone() }
    }

    fn lessons(&self) -> MutexGuard<'_, Vec<Lesson>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// True if `word` stands in it, at any place.
    pub(crate) fn holds(&self, word: &str) -> bool {
        memmem::find(self.text.as_bytes(), word.as_bytes()).is_some()
    }

    /// Its lines that are not blank. A last line that the sample cuts is left out unless it is the only one.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.places().iter().map(|place| &self.text[place.clone()])
    }

    /// How many lines there are.
    pub(crate) fn line_count(&self) -> usize {
        self.places().len()
    }

    fn places(&self) -> &[Range<usize>] {
        self.lines.get_or_init(|| {
            let start = self.text.as_ptr().addr();
            self.whole_lines()
                .split('\n')
                .map(|line| line.trim_matches(['\r', '\0', ' ', '\t']))
                .filter(|line| !line.is_empty())
                .take(self.limit)
                .map(|line| line.as_ptr().addr() - start..line.as_ptr().addr() - start + line.len())
                .collect()
        })
    }
}

/// True if a text starts with an object or a batch that is JSON-RPC by its members.
/// A request to a web server (`"method":"GET"`) is none.
pub(crate) fn is_message(text: &str) -> bool {
    let at = scan::skip_white(text.as_bytes(), 0);
    match text.as_bytes().get(at) {
        Some(b'{') => {
            looks_like_message(&text[at..])
                && (parse_at::<NoLift>(text, at).is_ok() || text.len() >= super::lines::RECORD_LIMIT / 32)
        }
        Some(b'[') => {
            let inner = scan::skip_white(text.as_bytes(), at + 1);
            text.as_bytes().get(inner) == Some(&b'{')
                && looks_like_message(&text[inner..])
                && parse_at::<NoLift>(text, at).is_ok()
        }
        _ => false,
    }
}

/// The same from the members alone, which may be cut off.
pub(crate) fn looks_like_message(text: &str) -> bool {
    let (mut version, mut method, mut id, mut params, mut answer) = (false, None, false, false, false);
    let (mut others, mut word, mut result) = (0, false, false);
    for member in scan::members(text) {
        match member.key {
            // Some recorders name their own account of a message so.
            "jsonrpc" if !member.value.starts_with(['{', '[']) => version = true,
            "method" => method = Some(scan::unquoted(member.value)),
            "id" => id = true,
            "params" => params = true,
            "error" if member.value.starts_with('"') => (answer, word) = (true, true),
            "result" => (answer, result) = (true, true),
            "error" => answer = true,
            // The one that messages of the DevTools protocol have.
            "sessionId" => {}
            _ => others += 1,
        }
        if version && (method.is_some() || id || answer) {
            return true;
        }
    }
    // What failed for a reason in words, among other members, is a job and no request.
    let job = others > 0 && word && !result;
    let message = envelope(version, method, id, params, answer) && !is_record(others, method, params, answer) && !job;
    message || others == 0 && method.is_some_and(is_notification)
}

/// True for what names no version and has so many members of its own that it is a record of something else, an access log's perhaps,
/// which has a method and an id, too.
pub(crate) fn is_record(others: usize, method: Option<&str>, params: bool, answer: bool) -> bool {
    others > 2 || others > 0 && method.is_some() && !params || method.is_some() && answer
}

/// True for the method of a notification that has no parameters where all else of its envelope is left out.
fn is_notification(method: &str) -> bool {
    method.starts_with("notifications/") || method.starts_with("$/") || matches!(method, "initialized" | "exit")
}

/// True if an object with these members is a JSON-RPC message. One without `jsonrpc` must not look like HTTP.
pub(crate) fn envelope(version: bool, method: Option<&str>, id: bool, params: bool, answer: bool) -> bool {
    let verbs = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE"];
    match method {
        _ if version => method.is_some() || id || answer,
        Some(method) => (id || params) && !verbs.contains(&method),
        None => id && answer,
    }
}
