//! The two sides of a connection.

use std::fmt;

use serde::Serialize;

/// One of the two sides. In ACP the editor is the client and the agent the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The side that opens the connection and, where there is a handshake, sends `initialize`.
    Client,
    /// The other one.
    Server,
}

impl Side {
    /// Both, client first.
    pub const BOTH: [Side; 2] = [Side::Client, Side::Server];

    /// The other side.
    pub fn peer(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }

    /// A request of this side as people name it: `#17` for the client's, `s17` for the server's.
    pub fn label(self, id: impl fmt::Display) -> String {
        match self {
            Side::Client => format!("#{id}"),
            Side::Server => format!("s{id}"),
        }
    }

    /// `client` or `server`.
    pub fn as_str(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
        }
    }
}
