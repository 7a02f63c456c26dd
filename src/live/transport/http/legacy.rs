//! HTTP+SSE of 2024-11-05: one GET whose first event names the place to POST to, and which carries all that the server says.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::reply::Reply;
use super::wire::{Call, EOF, End, Refusal, Wire, is_event_stream};
use super::{Attempt, Opened};
use crate::live::Incoming;
use crate::live::link::{MESSAGE_BYTES, NO_STREAM, RESET, turned_away};
use crate::live::transport::port::Gone;
use crate::live::web::shown;
use crate::protocol::{Side, http};
use crate::wire::{SseEvent, SseReader};

/// How long the server may take to name the place to POST to.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stream while it is read.
struct Stream {
    wire: Arc<Wire>,
    reply: Reply,
    reader: SseReader,
}

/// Opens the stream and waits for the place to POST to.
pub(super) async fn open(url: Url, wire: Arc<Wire>) -> Attempt {
    let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(http::EVENT_STREAM))]);
    let call = Call { stream: NO_STREAM, method: Method::GET, url: url.clone(), headers, body: None };
    let answer = timeout(PATIENCE, wire.reach(&call, &mut None)).await;
    let response = match answer.map_err(|_| format!("{} does not answer", shown(&url)))? {
        Err(Gone) => return Ok(None),
        Ok(Err(Refusal::Unreachable(why))) => return Err(why),
        Ok(Err(Refusal::Reset)) => return Err(format!("{} closed the connection instead of answering", shown(&url))),
        Ok(Ok(response)) => response,
    };
    if let Some(advice) = turned_away(response.status().as_u16()) {
        return Err(format!("{} answers HTTP {}: {advice}", shown(&url), response.status()));
    }
    if !response.status().is_success() || !is_event_stream(&response) {
        let status = response.status();
        return Err(format!(
            "a GET of {} gave {status} and no event stream: is this the address of its stream?",
            shown(&url)
        ));
    }
    let reply = Reply::new(response);
    if let Some(encoding) = &reply.closed {
        return Err(format!("{} is packed ({encoding}), which cannot be undone here", shown(&url)));
    }
    let mut stream = Stream { wire: Arc::clone(&wire), reply, reader: SseReader::keeping(MESSAGE_BYTES) };
    let named = match timeout(PATIENCE, stream.endpoint()).await {
        Err(_) | Ok(Ok(None)) => return Err(format!("{} did not name the place to POST to", shown(&url))),
        Ok(Err(Gone)) => return Ok(None),
        Ok(Ok(Some(named))) => named,
    };
    let place =
        url.join(&named).map_err(|error| format!("{} names a place to POST to that is none: {error}", shown(&url)))?;
    if place.origin() != url.origin() {
        return Err(format!("{} names {} to POST to, which is another server", shown(&url), shown(&place)));
    }
    let mut requests = JoinSet::new();
    requests.spawn(stream.read());
    Ok(Some(Opened { url: place, wire, requests, streams: false }))
}

impl Stream {
    /// Reads up to the event that names the place; `None` if the stream ends before. What the server says before it is told.
    async fn endpoint(&mut self) -> Result<Option<String>, Gone> {
        loop {
            let Ok(Some(chunk)) = self.reply.chunk().await else { return Ok(None) };
            let mut found = None;
            for event in self.reader.push(&chunk) {
                match event {
                    SseEvent { name: Some(name), data: Some(data), .. }
                        if name == http::ENDPOINT && found.is_none() =>
                    {
                        found = Some(String::from_utf8_lossy(data.trim_ascii()).into_owned());
                    }
                    event => self.wire.event(None, None, event).await?,
                }
            }
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Reads the rest. Its end is the end of the connection.
    async fn read(mut self) -> End {
        let how = loop {
            let chunk = match self.reply.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break EOF,
                Err(_) => break RESET,
            };
            for event in self.reader.push(&chunk) {
                if self.wire.event(None, None, event).await.is_err() {
                    return End::Gone;
                }
            }
        };
        End::Last(Incoming::Closed { stream: None, by: Side::Server, how: how.into() })
    }
}
