//! Certificates that a server shows and a user names, in handshakes over loopback.

use std::sync::Arc;

use rpctape::live::transport::{Framing, connect};
use rpctape::live::{Access, Clock, Incoming, Target, tls};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::bench::LONG;

/// Certificates of one key for `localhost` and `127.0.0.1`, marked as authorities as `openssl req -x509` marks them.
const GIVEN: &[u8] = include_bytes!("../../fixtures/tls/given.pem");
const OTHER: &[u8] = include_bytes!("../../fixtures/tls/other.pem");
const EXPIRED: &[u8] = include_bytes!("../../fixtures/tls/expired.pem");

/// Their key: the head of every Ed25519 key, and 32 times the same byte.
const HEAD: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

fn authorities(pem: &[u8]) -> Vec<Vec<u8>> {
    tls::authorities(pem).expect("a certificate")
}

/// A server that shows this certificate to whoever comes, and has nothing for who trusts it; its port.
async fn server(shown: &[u8]) -> u16 {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from([&HEAD[..], &[7; 32]].concat()));
    let chain = authorities(shown).into_iter().map(CertificateDer::from).collect();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let config = config.with_no_client_auth().with_single_cert(chain, key).expect("a certificate of this key");
    let (acceptor, listener) = (TlsAcceptor::from(Arc::new(config)), TcpListener::bind("127.0.0.1:0").await);
    let listener = listener.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
            let _ = stream.shutdown().await;
        }
    });
    port
}

/// Shakes hands with a server that shows `shown`, under a name, where `given` is trusted; why not, where not.
async fn shake(shown: &[u8], given: &[u8], name: &'static str) -> Result<(), String> {
    let config = tls::client(&authorities(given)).expect("a client");
    let stream = TcpStream::connect(("127.0.0.1", server(shown).await)).await.expect("a connection");
    let name = ServerName::try_from(name).expect("a name");
    let shaken = timeout(LONG, TlsConnector::from(Arc::new(config)).connect(name, stream)).await.expect("it ends");
    shaken.map(drop).map_err(|error| {
        assert!(tls::is_refused(&error), "{error}");
        error.to_string()
    })
}

#[tokio::test]
async fn a_certificate_that_is_given_itself_is_trusted_for_its_names() {
    for name in ["localhost", "127.0.0.1"] {
        assert_eq!(shake(GIVEN, GIVEN, name).await, Ok(()));
    }
    assert_eq!(shake(GIVEN, &[OTHER, GIVEN].concat(), "localhost").await, Ok(()), "one of several");
    for name in ["example.com", "127.0.0.2"] {
        let why = shake(GIVEN, GIVEN, name).await.expect_err("another name");
        assert!(why.contains("not valid for name"), "{why}");
    }
}

#[tokio::test]
async fn what_is_not_given_byte_for_byte_or_has_expired_is_refused() {
    let why = shake(OTHER, GIVEN, "localhost").await.expect_err("another one of the same key and names");
    assert!(why.contains("CaUsedAsEndEntity"), "{why}");
    let why = shake(EXPIRED, EXPIRED, "localhost").await.expect_err("its time is over");
    assert!(why.contains("expired"), "{why}");
}

#[tokio::test]
async fn a_refusal_says_what_to_do_and_what_is_given_helps() {
    let port = server(GIVEN).await;
    let failed = async |given: &[u8]| {
        let access = Access { authorities: authorities(given), ..Access::default() };
        let target = Target::Ws(format!("wss://localhost:{port}/"));
        let mut link = connect(&target, &access, Framing::Lines, Clock::start()).await;
        let arrival = timeout(LONG, link.from.recv()).await.expect("something arrives").expect("an arrival");
        let Incoming::Failed { why } = arrival.what else { panic!("{:?}", arrival.what) };
        why
    };
    let why = failed(OTHER).await;
    assert!(why.contains(tls::ADVICE), "{why}");
    let why = failed(GIVEN).await;
    assert!(why.contains("HTTP 404") && !why.contains(tls::ADVICE), "{why}");
}
