//! What is known of a method: who sends it, whether it is answered, and the few traits that judgement needs.

use super::{Facts, Side};

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

impl Sender {
    /// True if this side may send it.
    pub fn may_be(self, side: Side) -> bool {
        matches!((self, side), (Sender::Both, _) | (Sender::Client, Side::Client) | (Sender::Server, Side::Server))
    }
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
    /// A request that any server answers at once: its latency is close to a round trip.
    pub quick: bool,
    /// A request that stays open by design and is never "stuck" (`subscriptions/listen`, `workspace/diagnostic`).
    pub long_lived: bool,
    /// A request that is answered when a person has decided: no clause says how long that may take.
    pub asks_person: bool,
    /// A request for what its sender needs to work on anything at all: settings, the folders that are open.
    pub feeds_work: bool,
}

impl Method {
    /// A request.
    pub const fn request(name: &'static str, sender: Sender) -> Method {
        Method {
            name,
            sender,
            kind: MethodKind::Request,
            quick: false,
            long_lived: false,
            asks_person: false,
            feeds_work: false,
        }
    }
    /// A request that is answered at once.
    pub const fn quick(name: &'static str, sender: Sender) -> Method {
        Method { quick: true, ..Method::request(name, sender) }
    }
    /// A request that stays open.
    pub const fn long_lived(name: &'static str, sender: Sender) -> Method {
        Method { long_lived: true, ..Method::request(name, sender) }
    }
    /// A request to a person.
    pub const fn asking(name: &'static str, sender: Sender) -> Method {
        Method { asks_person: true, ..Method::request(name, sender) }
    }
    /// A request for what its sender needs to go on.
    pub const fn feeding(name: &'static str, sender: Sender) -> Method {
        Method { feeds_work: true, ..Method::request(name, sender) }
    }
    /// A notification.
    pub const fn notification(name: &'static str, sender: Sender) -> Method {
        Method { kind: MethodKind::Notification, ..Method::request(name, sender) }
    }
}

/// A request that its receiver must have declared to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The method, or with a `/` at the end all that begin so.
    pub method: &'static str,
    /// The capability, as in [`super::Capabilities::declares`].
    pub needs: &'static str,
}

impl Gate {
    /// A gate.
    pub const fn new(method: &'static str, needs: &'static str) -> Gate {
        Gate { method, needs }
    }

    /// True if it stands before this method.
    pub fn guards(&self, method: &str) -> bool {
        self.method == method || self.method.ends_with('/') && method.starts_with(self.method)
    }
}

/// A message that uses what one of the sides must have declared.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// The method.
    pub method: &'static str,
    /// True if the message uses it.
    pub used: fn(&Facts<'_>) -> bool,
    /// Who must have declared it.
    pub by: Side,
    /// The capability, as in [`super::Capabilities::declares`].
    pub needs: &'static str,
}

/// What a method does beyond being sent and answered; asked once per method and connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing that judgement asks for.
    Plain,
    /// Opens a prompt turn.
    Prompt,
    /// Has all that a session said told again.
    Reload,
    /// Asks the user for permission within a turn.
    Permission,
    /// Reports on a turn.
    Update,
    /// Cancels a task.
    TaskCancel,
    /// Reports a task's status by itself.
    TaskStatus,
    /// Creates a progress token on the server's behalf.
    CreateToken,
    /// Waits for the end of a task.
    TaskResult,
    /// Polls: sending the same again is normal.
    Poll,
}

/// What a message is about, by its method alone: what it says may have been taken out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A cancel, whatever it cancels and how.
    Cancel,
    /// Progress, or its token.
    Progress,
    /// A subscription.
    Subscription,
    /// That a document was opened, changed or closed.
    Document,
    /// How a turn or a task stands.
    State,
    /// Work that is asked for.
    Work,
    /// All else.
    Other,
}

/// What a request or a notification is about, and what an answer (`None`). Extensions have names of their own, so words decide.
pub fn about(method: Option<&str>, is_request: bool) -> About {
    let Some(method) = method else { return About::Other };
    let says = |word: &str| method.contains(word);
    match role(method) {
        Role::Update | Role::TaskStatus => About::State,
        _ if says("cancel") || says("Cancel") => About::Cancel,
        _ if says("rogress") => About::Progress,
        _ if says("subscri") => About::Subscription,
        _ if says("/did") => About::Document,
        _ if is_request => About::Work,
        _ => About::Other,
    }
}

/// True if `params.name` (or `command`) of a request names what is called: a tool, a prompt, a command. Elsewhere a name is
/// just data, and often another one each time.
pub fn names_callee(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "workspace/executeCommand" | "terminal/create")
}

/// The role of a method, whatever the protocol.
pub fn role(method: &str) -> Role {
    match method {
        "session/prompt" => Role::Prompt,
        "session/load" => Role::Reload,
        "session/request_permission" => Role::Permission,
        "session/update" => Role::Update,
        "tasks/cancel" => Role::TaskCancel,
        "notifications/tasks/status" => Role::TaskStatus,
        "window/workDoneProgress/create" => Role::CreateToken,
        "tasks/result" => Role::TaskResult,
        "ping" | "tasks/get" | "tasks/list" => Role::Poll,
        _ => Role::Plain,
    }
}

/// Requests that open or close a session or a turn: not to be sent in a batch (ACP 2).
pub fn is_lifecycle(method: &str) -> bool {
    matches!(method, "initialize" | "authenticate" | "auth/login" | "session/new" | "session/resume" | "session/prompt")
}

/// Requests that cancel a part of the work of a session (ACP 2).
pub fn cancels_part(method: &str) -> bool {
    matches!(method, "tool_call/cancel" | "terminal/cancel")
}

/// Requests that end all work of a session before they are served (ACP 2).
pub fn closes(method: &str) -> bool {
    matches!(method, "session/close" | "session/archive")
}

/// The request that takes up a session (ACP 2).
pub fn resumes(method: &str) -> bool {
    method == "session/resume"
}

/// Requests in which a client tells about itself and where it stands. What it tells differs from one machine to the next;
/// the answer does not hang on it.
pub fn introduces(method: &str) -> bool {
    matches!(method, "initialize" | "session/new")
}

/// The request after which a server is only told to exit (LSP and what took it over).
pub fn is_shutdown(method: &str) -> bool {
    method == "shutdown"
}

/// The notification with which a server is told to exit.
pub fn is_exit(method: &str) -> bool {
    method == "exit"
}
