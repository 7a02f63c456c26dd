//! Who may ask a server that only this machine can reach: whoever calls it by a name of this machine, and no page of another host.
//!
//! A page in a browser may reach such a server under a name of its own (DNS rebinding): `Host` tells, and of pages `Origin`.

use hyper::HeaderMap;
use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;

/// True if a request comes from this machine, as far as its head tells.
pub fn is_local(headers: &HeaderMap) -> bool {
    is_called_locally(headers) && is_of_local_page(headers)
}

/// True unless a page of another host asks.
pub fn is_of_local_page(headers: &HeaderMap) -> bool {
    headers.get_all(ORIGIN).iter().all(|origin| {
        let authority =
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
        authority.is_some_and(names_this_machine)
    })
}

fn is_called_locally(headers: &HeaderMap) -> bool {
    headers.get_all(HOST).iter().all(|host| host.to_str().is_ok_and(names_this_machine))
}

/// True for `localhost`, a name below it, and loopback addresses, with or without a port.
fn names_this_machine(authority: &str) -> bool {
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
        let mut headers = HeaderMap::new();
        headers.extend(host.map(|host| (HOST, host.parse().expect("a value"))));
        origins.iter().for_each(|origin| {
            headers.append(ORIGIN, origin.parse().expect("a value"));
        });
        is_local(&headers)
    }

    #[test]
    fn pages_of_other_hosts_are_told_by_their_origin() {
        assert!(asked(None, &[]) && asked(Some("127.0.0.1:80"), &[]));
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
