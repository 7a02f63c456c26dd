//! vim-lsp's `g:lsp_log_file` (prabirshrestha/vim-lsp, `autoload/lsp.vim` and `autoload/lsp/client.vim`).
//!
//! `Wed Jul 28 20:05:48 2021:["--->",1,"typescript-language-server",{"method":...}]`: `strftime('%c')` in any locale, then a list with
//! the number of the client, the name of the server and the message. An outgoing request is logged before it has its
//! id; ids count up from 1 for each client, and a reply comes with the request that it answers, id and all, which tells
//! how far the count is where the log begins in the middle. A request whose id is not known is left out. Responses that
//! nobody waits for are not logged. `s:on_request` records are requests of the server.

mod count;

use std::collections::HashMap;

use self::count::{Count, Outgoing, counts};
use crate::capture::date::Dates;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::{Channels, Out};
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::json::scan::{members, skip_white, unquoted, value_end};
use crate::protocol::{Side, by_name};

/// The format.
pub(crate) struct VimLsp;

const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE).without(Proof::ALL_ANSWERS);

impl Format for VimLsp {
    fn name(&self) -> &'static str {
        "vim-lsp-log"
    }

    fn about(&self) -> &'static str {
        "vim-lsp's g:lsp_log_file"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits = sample.lines().filter(|line| Entry::read(line).is_some()).count();
        (hits > 0).then(|| Match::new(88, "it has lines `DATE:[\"--->\",1,\"SERVER\",{...}]`")).flatten()
    }

    fn reader(&self, sample: &Sample) -> Reader {
        Reader::Ordered(Box::new(VimReader { counts: counts(sample), ..VimReader::default() }))
    }
}

/// One line that holds a message, taken apart.
#[derive(Debug)]
struct Entry<'a> {
    time: &'a str,
    side: Side,
    /// Number of the client, as written.
    client: &'a str,
    server: &'a str,
    /// The last element of the list, and the byte at which it starts.
    object: &'a str,
    at: usize,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Entry<'a>> {
        let start =
            [":[\"--->\"", ":[\"<---\""].iter().filter_map(|sign| line.find(sign)).min().filter(|at| *at <= 80)?;
        let side = if line[start + 3..].starts_with('-') { Side::Client } else { Side::Server };
        let mut at = start + 2;
        let mut elements = [""; 4];
        for element in &mut elements {
            let from = skip_white(line.as_bytes(), at);
            let end = value_end(line.as_bytes(), from).unwrap_or(line.len());
            *element = line.get(from..end)?;
            at = skip_white(line.as_bytes(), end);
            at += usize::from(line.as_bytes().get(at) == Some(&b','));
        }
        let [_, second, third, object] = elements;
        let (client, server) = if second == "\"s:on_request\"" { (third, "") } else { (second, unquoted(third)) };
        let is_client = client.bytes().all(|byte| byte.is_ascii_digit()) && !client.is_empty();
        let at = object.as_ptr() as usize - line.as_ptr() as usize;
        (is_client && object.starts_with('{')).then_some(Entry {
            time: &line[..start],
            side,
            client,
            server,
            object,
            at,
        })
    }
}

#[derive(Default)]
struct VimReader {
    counts: HashMap<String, Count>,
    channels: Channels,
    names: HashMap<String, String>,
    dates: Dates,
    json: String,
}

impl LineReader for VimReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let Some(entry) = Entry::read(&text) else {
            out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
            return Ok(());
        };
        if !entry.server.is_empty() {
            self.names.insert(entry.client.to_string(), entry.server.to_string());
        }
        let place = self.place(&entry, line, out)?;
        if value_end(entry.object.as_bytes(), 0).is_none() {
            out.skip(line.number, Skip::CutOff);
            return if line.ended { out.put(&place, Body::gap(Some(1))) } else { Ok(()) };
        }
        match entry.side {
            Side::Client => self.outgoing(&entry, &place, out),
            Side::Server => {
                self.incoming(&entry, place, out)?;
                // The request that an answer came with stood there before.
                out.read_to_end_of(entry.object);
                Ok(())
            }
        }
    }
}

impl VimReader {
    fn outgoing(&mut self, entry: &Entry<'_>, place: &Place, out: &mut Out<'_>) -> Result<()> {
        let outgoing = Outgoing::read(entry.object);
        if outgoing.has_id {
            return out.put_json(place, entry.object, entry.object);
        }
        self.json.clear();
        self.json.push_str("{\"jsonrpc\":\"2.0\"");
        if outgoing.is_request {
            let Some(id) = self.counts.entry(entry.client.to_string()).or_default().sent(&outgoing) else {
                out.skip(place.line, Skip::NotAMessage);
                return out.put(place, Body::gap(Some(1)));
            };
            self.json.push_str(&format!(",\"id\":{id}"));
        }
        self.json.extend([",\"method\":", outgoing.method]);
        if let Some(params) = outgoing.params {
            self.json.extend([",\"params\":", params]);
        }
        self.json.push('}');
        out.put_json(place, entry.object, &self.json)
    }

    fn incoming(&mut self, entry: &Entry<'_>, mut place: Place, out: &mut Out<'_>) -> Result<()> {
        let (mut response, mut request) = (None, None);
        for member in members(entry.object) {
            match member.key {
                "response" => response = Some(member),
                "request" => request = Some(member.value),
                _ => {}
            }
        }
        if let Some(request) = request
            && self.counts.entry(entry.client.to_string()).or_default().answered(request)
        {
            out.put(&Place { direction: Direction::Unknown, ..place }, Body::gap(None))?;
        }
        match response {
            Some(response) => {
                place.byte_offset += response.at as u64;
                out.promised(&place, response.value, false)
            }
            None => out.promised(&place, entry.object, false),
        }
    }

    fn place(&mut self, entry: &Entry<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<Place> {
        let names = &self.names;
        let channel = self.channels.get(entry.client, out, || Channel {
            name: Some(names.get(entry.client).cloned().unwrap_or_else(|| entry.client.to_string())),
            profile: by_name("lsp", None),
            vantage: Vantage::Client,
            proof: PROOF,
            resolution_us: 1_000_000,
            ..Channel::default()
        })?;
        out.said(entry.time);
        Ok(Place {
            line: line.number,
            byte_offset: line.offset + entry.at as u64,
            channel,
            at_us: self.dates.read(entry.time, out.zoning()),
            direction: Direction::By(entry.side),
            stream: None,
            taps: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{Kept, read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn sent(message: &Value) -> String {
        format!("Wed Jul 28 20:05:48 2021:{}\n", json!(["--->", 2, "ts", message]))
    }

    fn received(message: &Value) -> String {
        format!("Wed Jul 28 20:05:49 2021:{}\n", json!(["<---", 2, "ts", message]))
    }

    fn jsons(kept: &Kept) -> Vec<Value> {
        kept.frames
            .iter()
            .map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or(&frame.text)).expect("JSON"))
            .collect()
    }

    #[test]
    fn ids_of_requests_count_up() {
        let log = sent(&json!({"method": "initialize", "params": {"a": 1}, "on_notification": "---funcref---"}))
            + "Wed Jul 28 20:05:48 2021:[\"s:send_event_queue()\"]\n"
            + &sent(&json!({"method": "a", "on_notification": "---funcref---", "bufnr": 1, "params": {}}))
            + &sent(&json!({"method": "$/cancelRequest", "params": {"id": 2}}))
            + &received(
                &json!({"response": {"id": 2, "jsonrpc": "2.0", "error": {"code": -32800, "message": "no"}}, "request": {"id": 2, "jsonrpc": "2.0", "method": "a", "params": {}}}),
            )
            + "Wed Jul 28 20:05:49 2021:[\"<---\",\"s:on_request\",2,{\"id\":0,\"method\":\"b\",\"jsonrpc\":\"2.0\"}]\n"
            + &sent(&json!({"id": 0, "result": null}));
        let kept = read("vim-lsp-log", &log);
        let want = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"a": 1}}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "a", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 2}}),
            json!({"id": 2, "jsonrpc": "2.0", "error": {"code": -32800, "message": "no"}}),
            json!({"id": 0, "method": "b", "jsonrpc": "2.0"}),
            json!({"id": 0, "result": null}),
        ];
        assert_eq!(jsons(&kept), want);
        assert_eq!((kept.names(), kept.frames[0].at_us), (vec![Some("ts")], Some(1_627_502_748_000_000)));
        let frame = &kept.frames[3];
        assert_eq!(&log[frame.byte_offset as usize..][..frame.text.len()], frame.text);
    }

    #[test]
    fn a_request_without_a_callback_has_an_id_as_well() {
        let log = sent(&json!({"method": "initialize", "params": {}}))
            + &sent(&json!({"method": "textDocument/hover", "params": {}}))
            + &sent(&json!({"method": "shutdown"}));
        let ids: Vec<Value> = jsons(&read("vim-lsp-log", &log)).iter().map(|message| message["id"].clone()).collect();
        assert_eq!(ids, [1, 2, 3]);
    }

    #[test]
    fn a_log_that_begins_in_the_middle_learns_its_count_from_an_answer() {
        let request =
            |method: &str| json!({"method": method, "on_notification": "---funcref---", "params": {"m": method}});
        let answer = |id: i64, method: &str| json!({"response": {"id": id, "result": null}, "request": {"id": id, "method": method, "params": {"m": method}}});
        let log = sent(&request("a")) + &sent(&request("b")) + &received(&answer(18, "b")) + &sent(&request("c"));
        let ids: Vec<Value> =
            jsons(&read("vim-lsp-log", &log)).into_iter().map(|message| message["id"].clone()).collect();
        assert_eq!(ids, [17, 18, 18, 19]);
        let kept = read("vim-lsp-log", &sent(&request("a")));
        assert_eq!((kept.frames[0].kind, &kept.skipped[..]), ("gap", &[(1, Skip::NotAMessage)][..]));
    }

    #[test]
    fn an_answer_whose_number_runs_ahead_shows_that_requests_are_missing() {
        let answer = json!({"response": {"id": 4, "result": null}, "request": {"id": 4, "method": "shutdown"}});
        let log = sent(&json!({"method": "initialize", "params": {}})) + &sent(&json!({"method": "shutdown"}));
        let kept = read("vim-lsp-log", &(log + &received(&answer)));
        assert_eq!(
            kept.frames.iter().map(|frame| frame.kind).collect::<Vec<_>>(),
            ["message", "message", "gap", "message"]
        );
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"jsonrpc": "2.0", "method": "m", "params": {"a": [text]}})).collect();
            let log: String = messages.iter().map(|message| received(&json!({"response": message}))).collect();
            prop_assert_eq!(jsons(&read("vim-lsp-log", &log)), messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[\\[\\]{}\":,a-z0-9<>é-]{0,60}") {
            read_as("vim-lsp-log", &bytes);
            read_as("vim-lsp-log", format!("x:[\"<---\",1,\"a\",{{\"response\":{tail}\nx:[\"--->\",{tail}").as_bytes());
        }
    }
}
