//! Where a URL that the server hands out leads its client: back to the recorder, or past it.
//!
//! A relative one leads back. One that names the server itself would lead past, and comes back without its scheme and host.

use hyper::http::uri::Authority;

use crate::live::origin::names_this_machine;

/// Where a URL leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Back to the recorder by itself.
    Back,
    /// To the server: this is the same URL, relative.
    Home(String),
    /// To this place, past the recorder.
    Past(String),
}

/// The origin of the server that is recorded.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub secure: bool,
    /// An address without its brackets.
    pub host: String,
    pub port: u16,
}

impl Home {
    /// Where a URL leads.
    pub(super) fn way(&self, url: &str) -> Way {
        let url = url.trim();
        let (scheme, rest) = match (url.split_once("://"), url.strip_prefix("//")) {
            // Behind a `/` or a `?` it is the value of a parameter.
            (Some((scheme, rest)), _) if scheme.bytes().all(is_of_scheme) => (scheme, rest),
            (_, Some(rest)) => (if self.secure { "https" } else { "http" }, rest),
            _ => return Way::Back,
        };
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        match authority.parse::<Authority>() {
            Ok(named) if self.is(&scheme.to_ascii_lowercase(), &named) => Way::Home(relative(path)),
            _ => Way::Past(format!("{scheme}://{}", authority.rsplit('@').next().unwrap_or_default())),
        }
    }

    fn is(&self, scheme: &str, named: &Authority) -> bool {
        let default = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        let host = named.host().trim_start_matches('[').trim_end_matches(']');
        // Both are this machine: a server that listens on one of its names is reached by the others.
        let same = host.eq_ignore_ascii_case(&self.host)
            || names_this_machine(named.host()) && names_this_machine(&bracketed(&self.host));
        let port = named.port_u16();
        let reached = port.unwrap_or(default) == self.port && (scheme == "https") == self.secure;
        // A server behind what encrypts for it often takes itself for one that speaks in the clear.
        let unaware = self.secure && scheme == "http" && self.port == 443 && port.is_none();
        same && !named.as_str().contains('@') && (reached || unaware)
    }
}

fn is_of_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// A host as URLs write it.
pub(super) fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_string() }
}

/// A path that begins with `//` would name a host (RFC 3986, 4.2).
fn relative(path: &str) -> String {
    let before = match path {
        _ if path.starts_with("//") => "/.",
        _ if path.starts_with('/') => "",
        _ => "/",
    };
    format!("{before}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(home: (bool, &str, u16), url: &str) -> Way {
        Home { secure: home.0, host: home.1.to_string(), port: home.2 }.way(url)
    }

    #[test]
    fn what_names_the_server_comes_back() {
        let home = |path: &str| Way::Home(path.to_string());
        let local = (false, "127.0.0.1", 8080);
        for url in ["http://127.0.0.1:8080/mcp/?a=1", "http://LOCALHOST:8080/mcp/?a=1", "//[::1]:8080/mcp/?a=1"] {
            assert_eq!(way(local, url), home("/mcp/?a=1"), "{url}");
        }
        assert_eq!(way(local, "http://localhost:8080"), home("/"));
        assert_eq!(way(local, "http://localhost:8080?s=1"), home("/?s=1"));
        assert_eq!(way(local, "http://localhost:8080//mcp"), home("/.//mcp"), "and names no host");
        assert_eq!(way((false, "::1", 80), "http://localhost/m"), home("/m"));
        assert_eq!(way((true, "a.example", 443), "https://A.example:443/m"), home("/m"));
        assert_eq!(way((true, "a.example", 443), "http://a.example/m"), home("/m"), "behind what encrypts for it");
    }

    #[test]
    fn all_else_leads_past_unless_it_is_relative() {
        let past = |place: &str| Way::Past(place.to_string());
        let local = (false, "localhost", 8080);
        for (url, place) in [
            ("http://localhost:8081/m", "http://localhost:8081"),
            ("https://localhost:8080/m", "https://localhost:8080"),
            ("http://a.example:8080/m", "http://a.example:8080"),
            ("http://u:p@localhost:8080/m", "http://localhost:8080"),
            ("ws://localhost:8080/m", "ws://localhost:8080"),
        ] {
            assert_eq!(way(local, url), past(place), "{url}");
        }
        assert_eq!(way((false, "a.example", 80), "https://a.example/m"), past("https://a.example"));
        assert_eq!(way((false, "10.0.0.1", 80), "http://10.0.0.2/m"), past("http://10.0.0.2"));
        for url in ["/m?to=http://elsewhere", "m", "?s=1", "m?to=http://elsewhere", ""] {
            assert_eq!(way(local, url), Way::Back, "{url}");
        }
    }
}
