//! What is known of a method: who sends it, whether it is answered, and the few traits that judgement needs.

/// Which side may send a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// Only the client (in ACP the editor).
    Client,
    /// Only the server (in ACP the agent).
    Server,
    /// Either.
    Both,
}

/// Whether a method is a request or a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// It carries an id and is answered.
    Request,
    /// It carries no id.
    Notification,
}

/// One method of a protocol family, over all its revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The method's name on the wire.
    pub name: &'static str,
    /// Who may send it.
    pub sender: Sender,
    /// Request or notification.
    pub kind: MethodKind,
    /// A request that any server answers at once: its latency is close to a round trip (rules.md 4.4).
    pub quick: bool,
    /// A request that stays open by design and is never "stuck" (`subscriptions/listen`).
    pub long_lived: bool,
}

impl Method {
    /// A request.
    pub const fn request(name: &'static str, sender: Sender) -> Method {
        Method { name, sender, kind: MethodKind::Request, quick: false, long_lived: false }
    }
    /// A request that is answered at once.
    pub const fn quick(name: &'static str, sender: Sender) -> Method {
        Method { quick: true, ..Method::request(name, sender) }
    }
    /// A request that stays open.
    pub const fn long_lived(name: &'static str, sender: Sender) -> Method {
        Method { long_lived: true, ..Method::request(name, sender) }
    }
    /// A notification.
    pub const fn notification(name: &'static str, sender: Sender) -> Method {
        Method { kind: MethodKind::Notification, ..Method::request(name, sender) }
    }
}
