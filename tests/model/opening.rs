//! How a connection begins, and how it ends in good order.

use rpctape::protocol::Side;

use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{Ask, Tongue, notification};
use super::wire::side;

impl Sim {
    /// The handshake, where there is one.
    pub fn begin(&mut self) {
        let cancels = self.cancels;
        let support = if cancels { r#""cancellation":{"request":true}"# } else { "" };
        let revision = self.speech.profile.revision;
        let ask = match self.speech.tongue {
            Tongue::Plain | Tongue::McpNext => {
                self.ready = [true; 2];
                return self.start();
            }
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
                    &format!(r#""protocolVersion":{version},"clientCapabilities":{{{support}}}"#),
                    &format!(r#"{{"protocolVersion":{version},"agentCapabilities":{{{support}}}}}"#),
                )
            }
            Tongue::Lsp => {
                Ask::new("initialize", r#""processId":1,"rootUri":null,"capabilities":{}"#, r#"{"capabilities":{}}"#)
            }
        };
        self.sabotage_handshake(None);
        let id = self.fresh_id(Side::Client);
        let request = self.request(Side::Client, id, ask.sure(), Kind::Initialize);
        self.sabotage_handshake(Some(request));
        self.start();
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
        self.ready[side(Side::Client)] = true;
        let method = self.speech.profile.opening.initialized.unwrap_or_default();
        self.send(Side::Client, notification(method, ""), Meaning::Initialized);
    }
}
