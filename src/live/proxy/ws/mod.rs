//! The WebSocket recorder: a pipe. After the handshake, whose `host` is rewritten, bytes go through as they are, and a copy is
//! read as frames.

mod frames;
mod scribe;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use super::copy::{Copier, Passing};
use super::serve::{ELSEWHERE, Shared};
use crate::live::origin::is_local;
use crate::protocol::Side;
pub(super) use scribe::WsScribe;

/// The longest head of a handshake, in bytes.
const HEAD: usize = 64 << 10;

/// How long one direction may go on after the other has ended.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves one connection of a client until it ends.
pub(super) async fn serve(mut client: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    let Ok((head, rest)) = read_head(&mut client).await else { return };
    let Some((line, headers)) = parse(&head) else { return refuse(&mut client, "400 Bad Request", "no HTTP").await };
    let mut words = line.split(' ');
    let (method, asked) = (words.next().unwrap_or_default(), words.next().unwrap_or("/"));
    let Ok(uri) = asked.parse() else { return refuse(&mut client, "400 Bad Request", "no target").await };
    if shared.loopback && !is_local(&uri, &headers) {
        return refuse(&mut client, "403 Forbidden", ELSEWHERE).await;
    }
    let (target, endpoint) = shared.upstream.target(&uri);
    let copier = shared.copier.clone();
    let stream = copier.stream();
    let (method, asked) = (method.to_string(), asked.to_string());
    copier.send(stream, Passing::Request { peer, method, target: asked, endpoint, headers });
    let mut server = match shared.upstream.connect().await {
        Ok(server) => server,
        Err(error) => {
            let why = format!("cannot connect to {}: {error}", shared.upstream.address());
            copier.send(stream, Passing::NoAnswer { how: "refused", why: why.clone() });
            return refuse(&mut client, "502 Bad Gateway", &why).await;
        }
    };
    let head = rewritten(&head, &target, &shared.upstream.authority, shared.untouched);
    if server.write_all(&head).await.is_err() || server.flush().await.is_err() {
        return copier.send(stream, Passing::ResponseEnd { how: "reset" });
    }
    pipe(client, server, rest, &copier, stream).await;
}

/// Both directions, until one ends; the other then has a moment for its last words.
async fn pipe<S: AsyncRead + AsyncWrite>(client: TcpStream, server: S, rest: Bytes, copier: &Copier, stream: u32) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let up = async {
        if !rest.is_empty() {
            let _ = to_server.write_all(&rest).await;
            copier.body(stream, Side::Client, &rest);
        }
        // Who goes first is told before the other side can know of it and go, too.
        if let Some(how) = forward(&mut from_client, &mut to_server, copier, stream, Side::Client).await {
            copier.send(stream, Passing::ClientGone { how });
            let _ = to_server.shutdown().await;
        }
    };
    let down = async {
        if let Some(how) = forward(&mut from_server, &mut to_client, copier, stream, Side::Server).await {
            copier.send(stream, Passing::ResponseEnd { how });
            let _ = to_client.shutdown().await;
        }
    };
    tokio::pin!(up, down);
    tokio::select! {
        () = &mut up => drop(tokio::time::timeout(LAST_WORDS, down).await),
        () = &mut down => drop(tokio::time::timeout(LAST_WORDS, up).await),
    }
}

/// Forwards until the sender ends: each piece is written first and copied second. Tells how the sender ended;
/// nothing where it was the receiver that went away, which the other direction tells.
async fn forward(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    copier: &Copier,
    stream: u32,
    side: Side,
) -> Option<&'static str> {
    let mut buffer = BytesMut::with_capacity(64 << 10);
    loop {
        buffer.reserve(16 << 10);
        match from.read_buf(&mut buffer).await {
            Ok(0) => return Some("eof"),
            Ok(_) => {
                let piece = buffer.split().freeze();
                let written = to.write_all(&piece).await.is_ok() && to.flush().await.is_ok();
                copier.body(stream, side, &piece);
                if !written {
                    return None;
                }
            }
            Err(error) => return Some(if error.kind() == io::ErrorKind::ConnectionReset { "reset" } else { "cut" }),
        }
    }
}

/// Reads up to the end of a head: the head, and what came with it.
async fn read_head(client: &mut TcpStream) -> io::Result<(Vec<u8>, Bytes)> {
    let mut buffer = BytesMut::with_capacity(4096);
    loop {
        if client.read_buf(&mut buffer).await? == 0 || buffer.len() > HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if let Some(end) = head_end(&buffer) {
            let head = buffer.split_to(end).to_vec();
            return Ok((head, buffer.freeze()));
        }
    }
}

/// Where a head ends, its blank line included.
fn head_end(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, b"\r\n\r\n").map(|at| at + 4)
}

/// The first line and the headers of a head.
fn parse(head: &[u8]) -> Option<(String, HeaderMap)> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let first = lines.next()?.to_string();
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let name: HeaderName = name.trim().parse().ok()?;
        headers.append(name, HeaderValue::from_str(value.trim()).ok()?);
    }
    first.contains("HTTP/1.1").then_some((first, headers))
}

/// The head of a handshake as the server gets it: its target and its host, and no extension that compresses.
fn rewritten(head: &[u8], target: &str, host: &HeaderValue, untouched: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len() + 64);
    for (number, line) in head.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is = |name: &[u8]| line.len() > name.len() && line[..name.len()].eq_ignore_ascii_case(name);
        match () {
            () if number == 0 => out.extend_from_slice(format!("GET {target} HTTP/1.1\r\n").as_bytes()),
            () if is(b"host:") => {
                out.extend_from_slice(&[&line[..5], b" ", host.as_bytes(), b"\r\n"].concat());
            }
            () if is(b"sec-websocket-extensions:") && !untouched => {}
            () => out.extend_from_slice(line),
        }
    }
    out
}

async fn refuse(client: &mut TcpStream, status: &str, why: &str) {
    let body = serde_json::json!({ "error": format!("rpctape: {why}") }).to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = client.write_all(format!("{head}{body}").as_bytes()).await;
    let _ = client.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_target_host_and_extensions_change() {
        let head = b"GET /a HTTP/1.1\r\nHOST: 127.0.0.1:1\r\nX-Odd:  Value\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
        let host = HeaderValue::from_static("server:81");
        assert_eq!(
            String::from_utf8(rewritten(head, "/b?c", &host, false)).unwrap(),
            "GET /b?c HTTP/1.1\r\nHOST: server:81\r\nX-Odd:  Value\r\n\r\n"
        );
        let kept = rewritten(head, "/a", &host, true);
        assert!(String::from_utf8(kept).unwrap().contains("permessage-deflate"));
    }
}
