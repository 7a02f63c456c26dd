//! What is wrong with payloads of ACP, beyond their shapes: names that must be unique, and addresses.

use serde_json::Value;

use crate::jsonrpc::Message;
use crate::protocol::Facts;
use crate::protocol::flaw::{Flaw, Flaws, list, shown, text, twice};

/// What is wrong with a message.
pub(in crate::protocol) fn of(message: &Message<'_>, facts: &Facts<'_>) -> Vec<Flaw> {
    let mut flaws = Flaws::default();
    let read = || {
        let message: Value = serde_json::from_str(facts.message()).unwrap_or_default();
        message.get("params").cloned().unwrap_or_default()
    };
    let update = |kind: &str| Facts::is(facts.update(), kind);
    match message.method() {
        _ if facts.is_brief => {}
        "session/update" if update("available_commands_update") => commands(&read()["update"], &mut flaws),
        "session/update" if update("plan_update") => plan(&read()["update"]["plan"], &mut flaws),
        "session/request_permission" => choices(&read(), &mut flaws),
        _ => {}
    }
    flaws.0
}

/// The commands that an agent offers.
fn commands(update: &Value, flaws: &mut Flaws) {
    let names = || list(&update["availableCommands"]).filter_map(|command| text(&command["name"]));
    if let Some(name) = names().find(|name| name.contains(char::is_whitespace)) {
        flaws.add("PAY022", || format!("the name of a command, {}, has a blank in it", shown(name)));
    }
    if let Some(name) = twice(names()) {
        flaws.add("PAY022", || format!("two commands are named {}", shown(name)));
    }
}

/// A plan that stands in a file.
fn plan(plan: &Value, flaws: &mut Flaws) {
    if let Some(uri) = text(&plan["uri"]).filter(|uri| plan["type"] == "file" && !uri.contains(':')) {
        flaws.add("PAY014/plan", || format!("the address of a plan, {}, is no absolute URI", shown(uri)));
    }
}

/// What a person may choose from.
fn choices(params: &Value, flaws: &mut Flaws) {
    if let Some(id) = twice(list(&params["options"]).filter_map(|option| text(&option["optionId"]))) {
        flaws.add("PAY022/options", || format!("two options of one request have the id {}", shown(id)));
    }
}
