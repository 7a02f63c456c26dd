//! The methods of MCP, over all revisions and the tasks extension. Sorted by name.

use crate::protocol::Method;
use crate::protocol::Sender::{Both, Client, Server};

/// One list for all revisions: a method that a revision has dropped is still known for what it is.
pub static METHODS: &[Method] = &[
    Method::request("completion/complete", Client),
    Method::asking("elicitation/create", Server),
    Method::quick("initialize", Client),
    Method::request("logging/setLevel", Client),
    Method::notification("notifications/cancelled", Both),
    Method::notification("notifications/elicitation/complete", Server),
    Method::notification("notifications/initialized", Client),
    Method::notification("notifications/message", Server),
    Method::notification("notifications/progress", Both),
    Method::notification("notifications/prompts/list_changed", Server),
    Method::notification("notifications/resources/list_changed", Server),
    Method::notification("notifications/resources/updated", Server),
    Method::notification("notifications/roots/list_changed", Client),
    Method::notification("notifications/subscriptions/acknowledged", Server),
    Method::notification("notifications/tasks", Server),
    // Either side may run a task for the other in 2025-11-25.
    Method::notification("notifications/tasks/status", Both),
    Method::notification("notifications/tools/list_changed", Server),
    Method::quick("ping", Both),
    Method::request("prompts/get", Client),
    Method::quick("prompts/list", Client),
    Method::quick("resources/list", Client),
    Method::request("resources/read", Client),
    Method::request("resources/subscribe", Client),
    Method::quick("resources/templates/list", Client),
    Method::request("resources/unsubscribe", Client),
    Method { quick: true, ..Method::feeding("roots/list", Server) },
    Method::asking("sampling/createMessage", Server),
    Method::quick("server/discover", Client),
    Method::long_lived("subscriptions/listen", Client),
    Method::request("tasks/cancel", Both),
    Method::request("tasks/get", Both),
    Method::quick("tasks/list", Both),
    Method::request("tasks/result", Both),
    Method::request("tasks/update", Client),
    Method::request("tools/call", Client),
    Method::quick("tools/list", Client),
];
