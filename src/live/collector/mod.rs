//! A collector of telemetry: takes the lines of `export --as otlp` and sends each as one request of OTLP over HTTP, as protobuf.

mod message;

use std::io::{self, Write};
use std::time::Duration;

use prost::Message;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::runtime::{Builder, Runtime};

use super::web::{self, chain, shown};
use super::{Access, tls};
use crate::error::{Error, ErrorKind, Result};
use message::{Answer, Line, Logs, Refused, Traces};

/// How long a collector may take for one request.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a request is sent that the collector has no time for, and how long the first pause is; each is twice as long as the one
/// before.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// The longest pause, whatever the collector asks for.
const LONGEST: Duration = Duration::from_secs(30);

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");

/// Where telemetry goes. Lines may be written in pieces; each is sent when it is complete.
#[derive(Debug)]
pub struct Collector {
    runtime: Runtime,
    client: Client,
    base: Url,
    own: Vec<(HeaderName, HeaderValue)>,
    line: Vec<u8>,
}

impl Collector {
    /// The one at `base`, to which `/v1/traces` and `/v1/logs` are added. Nothing is sent yet.
    pub fn new(base: &str, access: &Access) -> Result<Collector> {
        let fault = |why: String| Error::new(ErrorKind::Usage, why);
        let url = Url::parse(base.trim_end_matches('/'))
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.query().is_none())
            .ok_or_else(|| fault(format!("{base} is no URL of a collector")).hint("such as http://localhost:4318"))?;
        let client = web::client(&url, access, |builder| builder.timeout(PATIENCE)).map_err(fault)?;
        let own = web::headers(access).map_err(fault)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::new(ErrorKind::Io, format!("cannot start: {error}")))?;
        Ok(Collector { runtime, client, base: url, own, line: Vec::new() })
    }

    fn send(&self, line: &[u8]) -> Result<()> {
        let line: Line = serde_json::from_slice(line)
            .map_err(|error| Error::new(ErrorKind::Io, format!("a line of the export is no OTLP: {error}")))?;
        let (path, body) = match line {
            Line::ResourceSpans(resource_spans) => ("v1/traces", Traces { resource_spans }.encode_to_vec()),
            Line::ResourceLogs(resource_logs) => ("v1/logs", Logs { resource_logs }.encode_to_vec()),
        };
        self.runtime.block_on(self.post(path, body))
    }

    /// Sends until it is taken, or refused for good.
    async fn post(&self, path: &str, body: Vec<u8>) -> Result<()> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        let mut pause = PAUSE;
        for attempt in 1.. {
            let mut request = self.client.post(url.clone()).header(CONTENT_TYPE, PROTOBUF).body(body.clone());
            for (name, value) in &self.own {
                request = request.header(name, value.clone());
            }
            let response = request.send().await.map_err(|error| unreachable(&url, &error))?;
            if !is_busy(response.status()) || attempt == TRIES {
                return taken(&url, response).await;
            }
            tokio::time::sleep(asked_for(&response).unwrap_or(pause).min(LONGEST)).await;
            pause *= 2;
        }
        Ok(())
    }
}

impl Write for Collector {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        while let Some(end) = memchr::memchr(b'\n', &self.line) {
            let rest = self.line.split_off(end + 1);
            let line = std::mem::replace(&mut self.line, rest);
            self.send(&line).map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Answers after which OTLP asks for another try.
fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// The pause that the collector asks for, in seconds.
fn asked_for(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn unreachable(url: &Url, error: &reqwest::Error) -> Error {
    let why = if error.is_timeout() { "it does not answer".to_string() } else { chain(error) };
    let failed = Error::new(ErrorKind::Io, format!("cannot send to {}: {why}", shown(url)));
    match tls::is_refused(error) {
        true => failed.hint(tls::ADVICE),
        false => failed.hint("is a collector there that takes OTLP over HTTP (port 4318 as a rule)?"),
    }
}

/// An error where the collector did not take everything.
async fn taken(url: &Url, response: Response) -> Result<()> {
    let status = response.status();
    let body = response.bytes().await.map_err(|error| unreachable(url, &error))?;
    let fault = |why: String| Err(Error::new(ErrorKind::Io, format!("{} {why}", shown(url))));
    if !status.is_success() {
        let said = Refused::decode(body).map(|refused| refused.message).unwrap_or_default();
        let said = if said.is_empty() { said } else { format!(": {said}") };
        return fault(format!("answers HTTP {status}{said}"));
    }
    // Some answer in JSON, or with nothing: then there is nothing to complain of.
    match Answer::decode(body).ok().and_then(|answer| answer.partial) {
        Some(partial) if partial.rejected > 0 => {
            fault(format!("left {} of them out: {}", partial.rejected, partial.message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    use super::*;

    const LINE: &str = "{\"resourceLogs\":[]}\n";

    /// A collector that gives these answers, one a request, and then what it was asked.
    fn peer(answers: &'static [&'static str]) -> (String, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/up/", listener.local_addr().expect("an address"));
        let serve = move |answer: &&str| {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(io::Result::ok);
            let head = lines.by_ref().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
            write!(stream, "HTTP/1.1 {answer}\r\nConnection: close\r\n\r\n").expect("a reader");
            head.to_ascii_lowercase()
        };
        (address, thread::spawn(move || answers.iter().map(serve).collect()))
    }

    fn sent(answers: &'static [&'static str]) -> (io::Result<()>, Vec<String>) {
        let (address, asked) = peer(answers);
        let access = Access { headers: vec![("X-Key".into(), "k".into())], ..Access::default() };
        let mut collector = Collector::new(&address, &access).expect("a collector");
        let (first, rest) = LINE.as_bytes().split_at(9);
        let result = collector.write_all(first).and_then(|()| collector.write_all(rest));
        (result, asked.join().expect("a peer"))
    }

    #[test]
    fn who_is_busy_is_asked_again_and_who_refuses_is_not() {
        let (result, asked) = sent(&["503 Busy\r\nRetry-After: 0", "429 Later\r\nRetry-After: 0", "200 OK"]);
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(asked.len(), 3);
        assert!(asked[2].starts_with("post /up/v1/logs "), "{asked:?}");
        assert!(
            asked[2].contains("content-type: application/x-protobuf") && asked[2].contains("x-key: k"),
            "{asked:?}"
        );
        let (result, _) = sent(&["404 Not Found"]);
        assert!(result.is_err_and(|error| error.to_string().contains("answers HTTP 404")));
    }

    #[test]
    fn places_that_are_no_collector_s_are_refused() {
        for bad in ["localhost:4318", "ftp://localhost", "", "http://localhost?x=1"] {
            assert!(Collector::new(bad, &Access::default()).is_err(), "{bad}");
        }
    }
}
