//! Where the answer to a request goes: out at once, or into the array that answers a batch.

use std::sync::{Arc, Mutex, PoisonError};

/// Where the lines of a server go. A stream is what a request came on, where there are several.
pub trait Way: Send + Sync {
    /// Sends one line.
    fn send(&self, stream: u32, line: &str);
    /// Nothing more will come on this stream.
    fn close(&self, stream: u32);
    /// Ends the connection.
    fn dismiss(&self);
}

/// Where an answer goes.
#[derive(Clone)]
pub struct Reply {
    /// What the request came on.
    pub stream: u32,
    batch: Option<Arc<Mutex<Batch>>>,
}

/// The answers of a batch, which go out together.
struct Batch {
    due: usize,
    answers: Vec<String>,
}

impl Reply {
    /// To a message that stands alone.
    pub fn alone(stream: u32) -> Reply {
        Reply { stream, batch: None }
    }

    /// To messages of a batch, so many of which are answered.
    pub fn batch(stream: u32, due: usize) -> Reply {
        Reply { stream, batch: Some(Arc::new(Mutex::new(Batch { due, answers: Vec::new() }))) }
    }

    /// True for what came in a batch.
    pub fn is_batched(&self) -> bool {
        self.batch.is_some()
    }

    /// Sends an answer; without one, nobody wants it any more.
    pub fn send(&self, way: &dyn Way, answer: Option<String>) {
        let line = match &self.batch {
            None => answer,
            Some(batch) => {
                let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
                batch.answers.extend(answer);
                batch.due = batch.due.saturating_sub(1);
                if batch.due > 0 {
                    return;
                }
                // Where every request was cancelled there is no answer, and not an empty one.
                (!batch.answers.is_empty()).then(|| format!("[{}]", batch.answers.join(",")))
            }
        };
        if let Some(line) = line {
            way.send(self.stream, &line);
        }
        way.close(self.stream);
    }
}
