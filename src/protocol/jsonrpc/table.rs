//! What JSON-RPC 2.0 says and no rule judges, each sentence with the reason. Sentences that rules rest on stand beside the profile.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// JSON-RPC 2.0.
pub static V2: &[Remark] = table! { "jsonrpc-2.0/", "https://www.jsonrpc.org/specification";
    NotObservable Must "params-by-position" "#parameter_structures" "params MUST be an Array, containing the values in the Server expected order"
        "what a server expects is not in the messages";
    NotObservable Must "params-by-name" "#parameter_structures" "params MUST be an Object, with member names that match the Server expected parameter names"
        "what a server expects is not in the messages";
    NotObservable Must "names-match" "#parameter_structures" "The names MUST match exactly, including case, to the method's expected parameters"
        "what a server expects is not in the messages";
    Allows May "names-absent" "#parameter_structures" "The absence of expected names MAY result in an error being generated"
        "an error for parameters that are missing";
    Allows May "params-omitted" "#request_object" "This member MAY be omitted"
        "a request without parameters";
    NotObservable Should "message-short" "#error_object" "The message SHOULD be limited to a concise single sentence"
        "what is concise is no matter of messages";
    Allows May "batch-sent" "#batch" "the Client MAY send an Array filled with Request objects"
        "batches";
    NotObservable Should "batch-each-answered" "#batch" "A Response object SHOULD exist for each Request object, except that there SHOULD NOT be any Response objects for notifications"
        "an answer outside of the array may be meant for it; that each request is answered is judged by itself";
    Allows May "batch-concurrent" "#batch" "The Server MAY process a batch rpc call as a set of concurrent tasks"
        "members that are answered in another order";
    Allows May "batch-any-order" "#batch" "The Response objects being returned from a batch call MAY be returned in any order within the Array"
        "answers in another order than their requests";
    NotObservable Should "batch-matched-by-id" "#batch" "The Client SHOULD match contexts between the set of Request objects and the resulting set of Response objects"
        "what a client matches is inside the client";
    NotObservable Must "batch-unread" "#batch" "the response from the Server MUST be a single Response object"
        "whether a text could be read is known to its receiver alone";
};
