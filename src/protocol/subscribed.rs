//! Subscriptions: the notifications that only those get who asked for them (MCP 2026-07-28).

use super::found::Raw;

/// The notifications that a subscription asks for, one bit each (MCP 2026-07-28).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted(u8);

/// Notifications that come to subscribers only, and the member that asks for them.
const SUBSCRIBED: [(&str, &str); 4] = [
    ("notifications/tools/list_changed", "toolsListChanged"),
    ("notifications/prompts/list_changed", "promptsListChanged"),
    ("notifications/resources/list_changed", "resourcesListChanged"),
    ("notifications/resources/updated", "resourceSubscriptions"),
];

impl Wanted {
    /// Reads `params.notifications` of a subscription. A list without members asks for nothing, as `false` does.
    pub fn from_json(raw: Raw<'_>) -> Wanted {
        let value: serde_json::Value = raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let asked = |member: &str| match &value[member] {
            serde_json::Value::Bool(asked) => *asked,
            serde_json::Value::Array(list) => !list.is_empty(),
            serde_json::Value::Null => false,
            _ => true,
        };
        Wanted(SUBSCRIBED.iter().enumerate().fold(0, |bits, (at, (_, member))| bits | u8::from(asked(member)) << at))
    }

    /// The member that would have asked for a notification, where it did not; said once.
    pub fn unasked(&mut self, method: &str) -> Option<&'static str> {
        let at = SUBSCRIBED.iter().position(|(name, _)| *name == method)?;
        let asked = self.0 >> at & 1 == 1;
        self.0 |= 1 << at;
        (!asked).then_some(SUBSCRIBED[at].1)
    }
}
