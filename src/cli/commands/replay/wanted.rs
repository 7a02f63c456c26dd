//! Secrets that a replay needs: placeholders in what the client would send.

use rpctape::replay::plan::Plan;
use rpctape::replay::recording::Recording;

/// How a secret stands in a recording: `<<secret:token#1>>`.
const MARK: (&str, &str) = ("<<secret:", ">>");

/// Names of secrets that stand in what is sent and that nobody gave, in the order of their first use.
pub fn secrets(recording: &Recording, plan: &Plan, given: &[(String, String)]) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    for (connection, steps) in recording.connections.iter().zip(&plan.connections) {
        for step in steps.steps.iter().filter(|step| step.left_out.is_none()) {
            for name in connection.events.get(step.event).into_iter().flat_map(|event| names(&event.text)) {
                let kind = name.split('#').next().unwrap_or(name);
                let known = given.iter().any(|(given, _)| given == name || given == kind);
                if !known && !missing.iter().any(|missing| missing == name) {
                    missing.push(name.to_string());
                }
            }
        }
    }
    missing
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MARK.0).filter_map(|(at, _)| text[at + MARK.0.len()..].split_once(MARK.1)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_of_placeholders() {
        let text = r#"{"a":"Bearer <<secret:token#1>>","b":"<<secret:authz#2>> <<secret:"}"#;
        assert_eq!(names(text).collect::<Vec<_>>(), ["token#1", "authz#2"]);
    }
}
