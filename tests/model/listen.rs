//! Subscriptions of MCP 2026-07-28: requests that stay open until one of the two sides takes them down.

use rpctape::protocol::Side;

use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{Ask, notification};

impl Sim {
    pub fn listen(&mut self) {
        let id = self.fresh_id(Side::Client);
        let result =
            format!(r#"{{"resultType":"complete","_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#);
        let ask = Ask::new("subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#, &result);
        let request = self.request(Side::Client, id, ask.sure(), Kind::Listen);
        self.consider_cancel(request);
    }

    pub fn take_listen(&mut self, request: usize) {
        self.say_of(request, "notifications/subscriptions/acknowledged");
        for _ in 0..self.rng.between(0, 4) {
            self.later(0, 1500, Deed::Feed(request));
        }
        if self.rng.chance(50) {
            self.later(0, 1500, Deed::TakeDown(request));
        }
    }

    fn say_of(&mut self, request: usize, method: &str) {
        let id = &self.requests[request].id;
        let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
        self.send(Side::Server, notification(method, &meta), Meaning::About(request));
    }

    pub fn feed(&mut self, request: usize) {
        if self.owes(request) {
            self.say_of(request, "notifications/tools/list_changed");
        }
    }

    /// The answer after the server's own cancel; not if the client has cancelled as well.
    pub fn conclude(&mut self, request: usize) {
        if !self.requests[request].cancel_came {
            self.reply_result(request);
        }
    }

    /// The pages contradict each other: a cancel, an answer, or both; over HTTP an answer ends the stream.
    pub fn take_down(&mut self, request: usize) {
        if !self.owes(request) {
            return;
        }
        let way = if self.http { 0 } else { self.rng.between(0, 2) };
        if way != 0 {
            let text = self.speech.cancel(&self.requests[request].id).unwrap_or_default();
            self.requests[request].answered = true;
            self.send(Side::Server, text, Meaning::TakenDown(request));
        }
        match way {
            0 => drop(self.reply_result(request)),
            1 => {}
            _ => self.later(0, 1500, Deed::Conclude(request)),
        }
    }
}
