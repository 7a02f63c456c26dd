//! Who may ask a server that only this machine can reach: whoever calls it by a name of this machine, and no page of another host.
//!
//! A page in a browser may reach such a server under a name of its own (DNS rebinding): `Host` tells, and of pages `Origin`. A
//! target that is a whole URL names a host, too, and goes before `Host` for whoever reads it.

use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Uri};

/// True if a request comes from this machine, as far as its head tells. One that names no host has not said so.
pub fn is_local(target: &Uri, headers: &HeaderMap) -> bool {
    is_called_locally(target, headers) && is_of_local_page(headers)
}

/// True unless a page of another host asks.
pub fn is_of_local_page(headers: &HeaderMap) -> bool {
    headers.get_all(ORIGIN).iter().all(|origin| {
        let authority =
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
        authority.is_some_and(names_this_machine)
    })
}

fn is_called_locally(target: &Uri, headers: &HeaderMap) -> bool {
    let named = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
    let mut names = target.authority().map(Authority::as_str).into_iter().chain(named).peekable();
    names.peek().is_some() && names.all(names_this_machine)
}

/// True for `localhost`, a name below it, and loopback addresses, with or without a port.
pub fn names_this_machine(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<Authority>() else { return false };
    if authority.as_str().contains('@') {
        return false;
    }
    let name = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    name == "localhost" || name.ends_with(".localhost") || is_loopback
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(host: Option<&str>, origins: &[&str]) -> bool {
        asked_of("/mcp", host, origins)
    }

    fn asked_of(target: &'static str, host: Option<&str>, origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.extend(host.map(|host| (HOST, host.parse().expect("a value"))));
        origins.iter().for_each(|origin| {
            headers.append(ORIGIN, origin.parse().expect("a value"));
        });
        is_local(&Uri::from_static(target), &headers)
    }

    #[test]
    fn who_names_no_host_or_two_is_not_of_this_machine() {
        assert!(asked(Some("127.0.0.1:80"), &[]) && !asked(None, &[]) && !asked(Some(""), &[]));
        assert!(asked_of("http://localhost:5/mcp", Some("localhost:5"), &[]));
        assert!(asked_of("http://127.0.0.1/mcp", None, &[]));
        assert!(!asked_of("http://evil.example/mcp", Some("localhost"), &[]));
        assert!(!asked_of("http://evil.example/mcp", None, &[]));
        assert!(!asked_of("http://localhost/mcp", Some("evil.example"), &[]));
    }

    #[test]
    fn pages_of_other_hosts_are_told_by_their_origin() {
        for own in
            ["http://localhost:6274", "https://LOCALHOST", "http://127.0.0.9:1", "http://[::1]:5", "app://a.localhost"]
        {
            assert!(asked(Some("localhost:1"), &[own]), "{own}");
        }
        let foreign = ["http://evil.example", "null", "http://localhost.evil.example", "http://localhost@evil.example"];
        for other in foreign.into_iter().chain(["http://127.0.0.1.evil.example:80", "", "localhost", "http://10.0.0.1"])
        {
            assert!(!asked(Some("localhost:1"), &[other]), "{other}");
        }
        assert!(!asked(Some("localhost:1"), &["http://localhost", "http://evil.example"]));
        assert!(!asked(Some("evil.example:1"), &[]) && !asked(Some("evil.example"), &["http://localhost"]));
    }
}
