//! What the protocols say, as data: profiles (one per revision), methods, codes, clauses, and the facts that rules read.
//!
//! Nothing above this layer compares protocol names or revisions; it asks the [`Profile`].

mod acp;
mod brief;
mod capabilities;
mod clause;
pub mod codes;
mod dap;
mod detect;
mod dialect;
mod facts;
mod flaw;
mod flaws;
mod found;
pub mod http;
mod jsonrpc;
mod kinds;
mod logging;
mod lsp;
mod mcp;
mod method;
mod placeholder;
mod playing;
mod probing;
mod profile;
mod schema;
mod semconv;
mod shape;
mod side;
mod subscribed;
mod tables;
mod tasking;
#[cfg(test)]
mod tests;
mod versions;

pub use brief::{brief, brief_batch};
pub use capabilities::Capabilities;
pub use clause::{Beyond, Clause, Level, Remark, Ruling, Severity};
pub use codes::says_initialized;
pub use dap::ReportStage;
pub use detect::{
    Hint, answers_handshake, by_name, by_name_alone, handshakes, hint, is_notification, profiles, sender_of, settle,
};
pub use dialect::{CancelForm, Mechanism, Target, cancel_form};
pub use facts::{input_methods, peer_name};
pub use flaw::Flaw;
pub use found::{Facts, Found, ParamsShape, Raw};
pub use kinds::{Kinds, relative_in};
pub use logging::{is_log, is_log_level};
pub use mcp::flaws::{
    TaskSupport, changes_prompts, changes_tools, listed_tasks, missing_argument, questions, required_arguments,
    task_support, tool_order,
};
pub use method::{
    About, Feature, Gate, Method, MethodKind, Role, Sender, about, cancels_part, closes, introduces, is_exit,
    is_lifecycle, is_shutdown, names_callee, resumes, role,
};
pub use placeholder::{is_placeholder, is_placeholder_id, may_be_null};
pub use playing::{Access, Back, Choice, DefaultAnswer, Flow};
pub use probing::{Spoken, tried_in_turn};
pub use profile::{AfterCancel, Bound, Family, Opening, Profile, ServerCancel, Waits};
pub use semconv::Convention;
pub use shape::Ending;
pub use side::Side;
pub use subscribed::Wanted;
pub use versions::{Inquiry, Versions, names_versions};
