//! What the probes speak: a protocol, the handshake that the server answers, and the request that is cancelled.

use super::probes::Needs;
use crate::protocol::{Profile, Side};
use crate::replay::splice;

/// A request that takes its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its method.
    pub method: String,
    /// Its parameters, a JSON object.
    pub params: String,
    /// The tool, where it is one's.
    pub tool: Option<String>,
}

impl Call {
    /// How people call it: the tool, or the method.
    pub fn name(&self) -> &str {
        self.tool.as_deref().unwrap_or(&self.method)
    }

    /// How the policy calls it.
    pub fn pattern(&self) -> String {
        match &self.tool {
            Some(tool) => format!("{}:{tool}", self.method),
            None => self.method.clone(),
        }
    }
}

/// What is spoken to one server.
#[derive(Clone, Debug)]
pub struct Speech {
    /// The protocol.
    pub profile: &'static Profile,
    /// What the server answered when it was asked for its tools under the id of `TOOLS`: hints are taken from it.
    pub tools: Option<String>,
    /// What the client says before it asks for anything slow, and what is answered: a session, a document.
    pub prelude: Vec<(Side, String)>,
    /// The request that is cancelled; `None` where none was found.
    pub slow: Option<Call>,
    /// True if the server makes tasks of tool calls and cancels them, as it says.
    pub offers_tasks: bool,
    /// What the server asks while it works on the slow request, if the client lets itself be asked.
    pub question: Option<Question>,
}

/// A request of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its method.
    pub method: String,
    /// Its parameters, JSON.
    pub params: String,
    /// How long after the slow request it came, microseconds.
    pub after_us: i64,
}

/// Id of the request that opens a connection.
pub(super) const HELLO: &str = "1";
/// Id of the request for the tools.
pub(super) const TOOLS: &str = "9000";
/// Id of a request that the slow one needs before it.
pub const PRELUDE: &str = "8999";
/// The answer of a server without tools, to the request for them.
pub const NO_TOOLS: &str = r#"{"jsonrpc":"2.0","id":9000,"result":{"tools":[]}}"#;

impl Speech {
    /// What is spoken to a server of which nothing is known but its protocol.
    pub fn of(profile: &'static Profile) -> Speech {
        Speech { profile, tools: None, prelude: Vec::new(), slow: None, offers_tasks: false, question: None }
    }

    /// What is said in a probe: only one that wants to be asked says that it may be.
    pub fn for_probe(&self, needs: Needs) -> Speech {
        let asked = matches!(needs, Needs::Question | Needs::TurnQuestion);
        Speech { question: self.question.clone().filter(|_| asked), ..self.clone() }
    }

    /// Why the slow request cannot be made a task; `None` if it can.
    pub fn no_task(&self) -> Option<String> {
        let name = self.slow.as_ref()?.tool.as_deref();
        if !self.offers_tasks {
            return Some("the server declares no tasks that can be cancelled".to_string());
        }
        let tools = self.tools.as_deref().unwrap_or_default();
        let pointer = self.profile.tools().map(|(_, at)| format!("{at}/*")).unwrap_or_default();
        let mut tools = splice::each(tools, &pointer).into_iter().map(|(_, range)| &tools[range]);
        let text = |tool: &str, at: &str| splice::at(tool, at).map(|raw| crate::json::lenient_string(raw).into_owned());
        let own = tools.find(|tool| text(tool, "/name").as_deref() == name);
        let support = own.and_then(|tool| text(tool, "/execution/taskSupport"));
        let may = matches!(support.as_deref(), Some("optional" | "required"));
        (!may).then(|| format!("{} may not be called as a task", name.unwrap_or("it")))
    }

    /// The opening: the handshake, and the list of tools, as a client does it.
    pub(super) fn opening(&self) -> Vec<(Side, String)> {
        let mut said = self.profile.hello(HELLO);
        if let (Some(_), Some((_, hello))) = (&self.question, said.first_mut()) {
            *hello = self.profile.open_to_questions(std::mem::take(hello));
        }
        if let (Some(answer), Some((method, _))) = (&self.tools, self.profile.tools()) {
            said.push((Side::Client, self.profile.request(TOOLS, method, "{}", None)));
            said.push((Side::Server, answer.clone()));
        }
        said.extend(self.prelude.iter().cloned());
        said
    }
}

/// The tools of a list that can be called by what the list says: none of their arguments is required, or all of those have a value to take.
pub fn candidates(profile: &Profile, answer: &str) -> Vec<Call> {
    let Some((_, at)) = profile.tools() else { return Vec::new() };
    let tools = splice::each(answer, &format!("{at}/*"));
    tools.into_iter().filter_map(|(_, range)| candidate(profile, &answer[range])).collect()
}

fn candidate(profile: &Profile, tool: &str) -> Option<Call> {
    let name = crate::json::lenient_string(splice::at(tool, "/name")?).into_owned();
    let required = splice::each(tool, "/inputSchema/required/*");
    let mut arguments = Vec::new();
    for (_, range) in required {
        let argument = crate::json::lenient_string(&tool[range]).into_owned();
        let schema = format!("/inputSchema/properties/{}", crate::json::pointer::escape(&argument));
        let ways = ["default", "const", "enum/0", "examples/0"];
        let value = ways.iter().find_map(|way| splice::at(tool, &format!("{schema}/{way}")))?;
        arguments.push(format!("{}:{value}", splice::quote(&argument)));
    }
    let (method, params) = profile.tool_call(&name, &format!("{{{}}}", arguments.join(",")))?;
    Some(Call { method: method.to_string(), params, tool: Some(name) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::by_name;

    #[test]
    fn a_tool_is_callable_if_the_list_says_what_with() {
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[
            {"name":"a","inputSchema":{"type":"object"}},
            {"name":"b","inputSchema":{"required":["x"],"properties":{"x":{"type":"string"}}}},
            {"name":"c","inputSchema":{"required":["x","y/z"],"properties":{"x":{"default":3},"y/z":{"enum":["p","q"]}}}}]}}"#;
        let mcp = by_name("mcp", Some("2025-11-25")).expect("a profile");
        let found = candidates(mcp, answer);
        let said: Vec<&str> = found.iter().map(|call| call.params.as_str()).collect();
        assert_eq!(said, [r#"{"name":"a","arguments":{}}"#, r#"{"name":"c","arguments":{"x":3,"y/z":"p"}}"#]);
        assert_eq!((found[1].name(), found[1].pattern()), ("c", "tools/call:c".to_string()));
    }
}
