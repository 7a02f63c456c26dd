//! Requests over HTTP: the client that sends them, what the user gave for it, and addresses in words.

use std::error::Error as _;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, Url};

use super::{Access, tls};

/// A client that trusts what the user trusts, follows no redirect, and goes through no proxy to this machine.
pub(super) fn client(
    url: &Url,
    access: &Access,
    more: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, String> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls::client(&access.authorities)?)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true)
        .user_agent(concat!("rpctape/", env!("CARGO_PKG_VERSION")));
    let builder = if is_loopback(url) { builder.no_proxy() } else { builder };
    more(builder).build().map_err(|error| format!("cannot set up HTTP: {}", chain(&error)))
}

/// The headers that the user gave.
pub(super) fn headers(access: &Access) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let own = access.headers.iter().map(|(name, value)| Ok((name.parse().map_err(drop)?, secret(value)?)));
    own.collect::<Result<Vec<_>, ()>>().map_err(|()| "a header cannot be sent".to_string())
}

/// A value that is not to be shown.
fn secret(value: &str) -> Result<HeaderValue, ()> {
    let mut value = HeaderValue::from_str(value).map_err(drop)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The host, an address without its brackets.
pub(super) fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_matches(['[', ']'])
}

/// True for this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = host(url);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address as it may be shown: without user, password and query, which may hold secrets.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// The innermost cause of an error, which says what happened; those around it say only where.
pub(super) fn chain(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if error.source().is_none() { "the request failed".to_string() } else { cause.to_string() }
}
