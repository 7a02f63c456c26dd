//! How a connection begins, and how it ends in good order.

use rpctape::protocol::Side;

use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{Ask, Tongue, notification};
use super::wire::side;

impl Sim {
    /// The handshake, where there is one. Sometimes it takes two attempts.
    pub fn begin(&mut self) {
        let Some(ask) = self.greeting() else {
            self.ready = [true; 2];
            return self.start();
        };
        if self.sabotage.is_none() && self.rng.chance(15) {
            let refused = Ask { result: String::new(), ..ask.sure() };
            let id = self.fresh_id(Side::Client);
            self.request(Side::Client, id, refused, Kind::Refused);
            return self.start();
        }
        self.sabotage_handshake(None);
        let id = self.fresh_id(Side::Client);
        let request = self.request(Side::Client, id, ask.sure(), Kind::Initialize);
        self.sabotage_handshake(Some(request));
        // LSP allows one attempt only, as long as it is not refused.
        if self.sabotage.is_none() && self.speech.tongue != Tongue::Lsp && self.rng.chance(15) {
            self.later(0, 300, Deed::Again);
        }
        self.start();
    }

    /// The handshake is asked for again.
    pub fn greet_again(&mut self, kind: Kind) {
        if let Some(ask) = self.greeting().filter(|_| !self.greeted) {
            let id = self.fresh_id(Side::Client);
            self.request(Side::Client, id, ask.sure(), kind);
        }
    }

    /// The request that opens a connection, where there is one.
    fn greeting(&mut self) -> Option<Ask> {
        let cancels = self.cancels;
        let support = if cancels { r#","cancellation":{"request":true}"# } else { "" };
        let revision = self.speech.profile.revision;
        Some(match self.speech.tongue {
            Tongue::Plain | Tongue::McpNext => return None,
            Tongue::Mcp => Ask::new(
                "initialize",
                &format!(
                    r#""protocolVersion":"{revision}","capabilities":{{"roots":{{}},"sampling":{{}},"elicitation":{{}}}},"clientInfo":{{"name":"c","version":"1"}}"#
                ),
                &format!(
                    r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}},"resources":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#
                ),
            ),
            Tongue::Acp => {
                let version = if revision == "2" { 2 } else { 1 };
                Ask::new(
                    "initialize",
                    &format!(
                        r#""protocolVersion":{version},"clientCapabilities":{{"fs":{{"readTextFile":true,"writeTextFile":true}},"terminal":true{support}}}"#
                    ),
                    &format!(
                        r#"{{"protocolVersion":{version},"agentCapabilities":{{"loadSession":true,"sessionCapabilities":{{"list":{{}}}}{support}}}}}"#
                    ),
                )
            }
            Tongue::Lsp => Ask::new(
                "initialize",
                r#""processId":1,"rootUri":null,"capabilities":{"window":{"workDoneProgress":true},"workspace":{"configuration":true,"applyEdit":true}}"#,
                r#"{"capabilities":{}}"#,
            ),
        })
    }

    fn start(&mut self) {
        for side in Side::BOTH {
            self.later(0, 100, Deed::Ask(side));
            self.later(0, 2000, Deed::Chat(side));
        }
        self.later(0, 1500, Deed::Sabotage);
    }

    /// The orderly end.
    pub fn farewell(&mut self) {
        if self.speech.tongue == Tongue::Lsp {
            self.now += self.rng.between(0, 1_000_000);
            let id = self.fresh_id(Side::Client);
            self.request(Side::Client, id, Ask::new("shutdown", "", "null").sure(), Kind::Shutdown);
            self.drain();
            self.send(Side::Client, notification("exit", ""), Meaning::Nothing);
            self.drain();
        }
        if self.rng.chance(80) {
            self.now += self.rng.between(0, 40_000_000);
            let by = *self.rng.pick(&[Some(Side::Client), Some(Side::Server), None]);
            self.closed = Some((self.now, by));
        }
    }

    pub fn initialized(&mut self) {
        self.ready[side(Side::Client)] = !self.http;
        let method = self.speech.profile.opening.initialized.unwrap_or_default();
        self.send(Side::Client, notification(method, ""), Meaning::Initialized);
    }
}
