//! What a server asks a person for: by a form, or by a page at an address.

use serde_json::Value;

use super::{Flaws, is_blotted, is_uri, shown};
use crate::json::each_member;
use crate::protocol::Facts;

/// Names of fields that ask for what grants access, without signs and in lower case.
const SECRETS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesstoken",
    "refreshtoken",
    "secretkey",
    "clientsecret",
    "privatekey",
    "creditcardnumber",
    "cardnumber",
    "cvv",
];

/// The parameters of `elicitation/create`.
pub(super) fn request(params: &Value, flaws: &mut Flaws) {
    if !params.is_object() {
        return;
    }
    flaws.add_if(params.get("message").is_none(), "PAY004", || "an elicitation without a message".to_string());
    match &params["mode"] {
        Value::String(mode) if mode == "url" => url(params, flaws),
        Value::String(mode) if mode == "form" => form(params, flaws),
        Value::Null if params.get("mode").is_none() => form(params, flaws),
        mode if is_blotted(mode) => {}
        mode => flaws.add("PAY004", || format!("the mode of an elicitation is {mode}")),
    }
}

fn form(params: &Value, flaws: &mut Flaws) {
    let schema = &params["requestedSchema"];
    if is_blotted(schema) {
        return;
    }
    flaws.add_if(!schema.is_object(), "PAY004/form", || "a form without a requestedSchema".to_string());
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let nested = matches!(field["type"].as_str(), Some("object")) || field.get("properties").is_some();
        flaws.add_if(nested, "PAY004/flat", || format!("the field {} of a form is an object", shown(name)));
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let asks = SECRETS.contains(&plain.as_str()) && field["type"].as_str().is_none_or(|kind| kind == "string");
        flaws.add_if(asks, "PAY004/secret", || format!("a form asks for {}", shown(name)));
    }
}

fn url(params: &Value, flaws: &mut Flaws) {
    let unnamed = params.get("elicitationId").is_none();
    flaws.add_if(unnamed, "PAY004/elicitation-id", || "an elicitation by URL without an elicitationId".to_string());
    let url = &params["url"];
    if is_blotted(url) {
        return;
    }
    let Some(address) = url.as_str() else {
        return flaws.add("PAY004/url", || "an elicitation by URL without a URL".to_string());
    };
    flaws.add_if(!is_uri(address), "PAY004/url-valid", || format!("{} is no URL", shown(address)));
    let authority = address.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let (account, host) = authority.map_or((None, ""), |text| match text.rsplit_once('@') {
        Some((account, host)) => (Some(account), host),
        None => (None, text),
    });
    let secret = account.and_then(|account| account.split_once(':')).is_some_and(|(_, secret)| !secret.is_empty());
    flaws.add_if(secret, "PAY004/credentials", || "the URL of an elicitation has credentials in it".to_string());
    let local = |host: &str| {
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        name == "localhost" || name.ends_with(".localhost") || name.starts_with("127.") || name.starts_with("[::1]")
    };
    let plain = address.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"));
    flaws.add_if(plain && !local(host), "PAY004/https", || format!("{} is not HTTPS", shown(address)));
}

/// The notification that an elicitation by URL is done (2025-11-25).
pub(super) fn complete(facts: &Facts<'_>, flaws: &mut Flaws) {
    let mut named = false;
    each_member(facts.body().unwrap_or_default(), |key, _| named |= key == "elicitationId");
    flaws.add_if(!named, "PAY004/complete", || "an elicitation is complete, and nothing says which".to_string());
}
