//! Where requests are forwarded to.

use std::io;
use std::sync::Arc;

use hyper::Uri;
use hyper::header::HeaderValue;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::way::{Home, bracketed};
use crate::error::{Error, ErrorKind, Result};
use crate::live::tls;

/// A connection to the server, encrypted or not.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A server, as the URL of its endpoint names it.
pub(super) struct Upstream {
    /// Where it is.
    pub home: Home,
    tls: Option<TlsConnector>,
    /// What the header `host` says.
    pub authority: HeaderValue,
    /// The path of the endpoint.
    pub path: String,
    query: Option<String>,
}

impl Upstream {
    /// Reads a URL; `schemes` are the plain and the encrypted one.
    pub(super) fn parse(url: &str, schemes: [&str; 2]) -> Result<Upstream> {
        let wrong = |why: &str| {
            Error::new(ErrorKind::Usage, format!("`{url}` is no URL to record: {why}"))
                .hint(format!("{}://HOST:PORT/PATH", schemes[0]))
        };
        let uri: Uri = url.parse().map_err(|error| wrong(&format!("{error}")))?;
        let secure = match uri.scheme_str() {
            Some(scheme) if scheme.eq_ignore_ascii_case(schemes[0]) => false,
            Some(scheme) if scheme.eq_ignore_ascii_case(schemes[1]) => true,
            _ => return Err(wrong(&format!("it starts with neither {}:// nor {}://", schemes[0], schemes[1]))),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("it holds a password, which the client sends in a header"));
        }
        Ok(Upstream {
            home: Home {
                secure,
                host: authority.host().trim_start_matches('[').trim_end_matches(']').to_string(),
                port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            },
            tls: secure.then(connector).transpose()?,
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| wrong("its host is none"))?,
            path: uri.path().to_string(),
            query: uri.query().map(str::to_string),
        })
    }

    /// Host and port.
    pub(super) fn address(&self) -> String {
        format!("{}:{}", bracketed(&self.home.host), self.home.port)
    }

    /// What to ask the server for where a client asks for `asked`, and whether that is the endpoint.
    /// The root is the endpoint too, for clients that were given no path.
    pub(super) fn target(&self, asked: &Uri) -> (String, bool) {
        let is_endpoint = asked.path() == self.path || asked.path() == "/";
        if !is_endpoint {
            return (asked.path_and_query().map_or("/", |target| target.as_str()).to_string(), false);
        }
        let query = match (self.query.as_deref(), asked.query()) {
            (Some(own), Some(asked)) if asked != own && !asked.starts_with(&format!("{own}&")) => {
                Some(format!("{own}&{asked}"))
            }
            (own, asked) => asked.or(own).map(str::to_string),
        };
        (query.map_or_else(|| self.path.clone(), |query| format!("{}?{query}", self.path)), true)
    }

    /// Connects.
    pub(super) async fn connect(&self) -> io::Result<Box<dyn Duplex>> {
        let stream = TcpStream::connect((self.home.host.as_str(), self.home.port)).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(self.home.host.clone()).map_err(io::Error::other)?;
        Ok(Box::new(tls.connect(name, stream).await?))
    }
}

/// Trusts what this machine trusts.
fn connector() -> Result<TlsConnector> {
    let config = tls::client(&[]).map_err(|why| Error::new(ErrorKind::Io, why))?;
    Ok(TlsConnector::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, asked: &str) -> (String, bool) {
        Upstream::parse(url, ["http", "https"]).unwrap().target(&asked.parse().unwrap())
    }

    #[test]
    fn paths_and_queries() {
        assert_eq!(target("http://a/mcp", "/mcp"), ("/mcp".into(), true));
        assert_eq!(target("http://a/mcp", "/"), ("/mcp".into(), true));
        assert_eq!(target("http://a/mcp?p=1", "/mcp"), ("/mcp?p=1".into(), true));
        assert_eq!(target("http://a/mcp?p=1", "/mcp?p=1&q=2"), ("/mcp?p=1&q=2".into(), true));
        assert_eq!(target("http://a/mcp?p=1", "/mcp?q=2"), ("/mcp?p=1&q=2".into(), true));
        assert_eq!(target("http://a/mcp", "/.well-known/x?a=b"), ("/.well-known/x?a=b".into(), false));
        assert_eq!(target("http://a", "/"), ("/".into(), true));
    }

    #[test]
    fn addresses() {
        let address = |url: &str| Upstream::parse(url, ["http", "https"]).map(|upstream| upstream.address());
        assert_eq!(address("http://[::1]:81/x").unwrap(), "[::1]:81");
        assert_eq!(address("http://localhost").unwrap(), "localhost:80");
        for bad in ["ws://a/", "http://", "a/b", "http://user:pass@host/", "http://a b/"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
