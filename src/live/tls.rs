//! What is trusted: the authorities that this machine trusts, and those that the user names.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// What a user is told where a certificate is not trusted.
pub const ADVICE: &str = "its certificate is not trusted; name the authority that signed it with --ca FILE";

/// The certificates in a file of PEM blocks, each as its bytes (DER). A file without any is an error, which says why.
pub fn authorities(pem: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let found: Result<Vec<Vec<u8>>, _> =
        CertificateDer::pem_slice_iter(pem).map(|found| found.map(|certificate| certificate.to_vec())).collect();
    match found {
        Ok(found) if found.is_empty() => Err("it holds no certificate in PEM form".to_string()),
        Ok(found) => Ok(found),
        Err(error) => Err(format!("it is not PEM: {error}")),
    }
}

/// A client that trusts what this machine trusts, and `authorities` (DER) besides. A server may show one of them as its own.
pub fn client(authorities: &[Vec<u8>]) -> Result<ClientConfig, String> {
    let fail = |error: rustls::Error| format!("cannot set up TLS: {error}");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let given: Vec<CertificateDer<'static>> = authorities.iter().map(|der| CertificateDer::from(der.clone())).collect();
    let inner = Verifier::new_with_extra_roots(given.clone(), Arc::clone(&provider)).map_err(fail)?;
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(fail)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(Trust { inner, given })).with_no_client_auth())
}

/// What this machine trusts, and certificates that were given, also where the server itself shows one: `openssl req -x509` marks what it
/// makes as an authority, and an authority is refused in the place of a server.
#[derive(Debug)]
struct Trust {
    inner: Verifier,
    given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.inner.verify_server_cert(shown, others, name, ocsp, now) {
            // Its dates are looked at before that.
            Err(error) if is_authority(&error) && self.given.contains(shown) => {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            told => told,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, shown, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, shown, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// True where a certificate was refused for nothing but being marked as an authority. The library below has a name for that, and hands
/// on no more than the name.
fn is_authority(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(why)) = error else { return false };
    why.0.to_string() == "CaUsedAsEndEntity"
}

/// True if an error, or what caused it, is that a certificate was refused.
pub fn is_refused(error: &(dyn std::error::Error + 'static)) -> bool {
    causes(error)
        .any(|cause| matches!(cause.downcast_ref::<rustls::Error>(), Some(rustls::Error::InvalidCertificate(_))))
}

/// True for an error that another try may mend: the server is not up yet. A name that does not exist, or a certificate, is not.
pub fn may_heal(error: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind::*;
    causes(error).filter_map(|cause| cause.downcast_ref::<std::io::Error>()).any(|io| {
        matches!(
            io.kind(),
            ConnectionRefused
                | ConnectionReset
                | HostUnreachable
                | NetworkUnreachable
                | NetworkDown
                | TimedOut
                | NotFound
        )
    })
}

/// An error and what caused it.
pub(super) fn causes<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| inside(*error).or_else(|| error.source()))
}

/// What an I/O error wraps: it gives the cause of that as its own, and so would hide it.
fn inside<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e (dyn std::error::Error + 'static)> {
    let inner = error.downcast_ref::<std::io::Error>()?.get_ref()?;
    Some(inner as &(dyn std::error::Error + 'static))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_heal() {
        let io = |kind: std::io::ErrorKind| std::io::Error::from(kind);
        assert!(
            may_heal(&io(std::io::ErrorKind::ConnectionRefused)) && may_heal(&io(std::io::ErrorKind::HostUnreachable))
        );
        assert!(!may_heal(&io(std::io::ErrorKind::InvalidData)) && !may_heal(&io(std::io::ErrorKind::Other)));
        let refused = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let refused = std::io::Error::new(std::io::ErrorKind::InvalidData, refused);
        assert!(is_refused(&refused) && !may_heal(&refused));
        let wrapped = std::io::Error::other(refused);
        assert!(is_refused(&wrapped) && !may_heal(&wrapped), "as a client of HTTPS has it");
    }

    #[test]
    fn a_file_without_a_certificate_is_an_error() {
        assert!(authorities(b"").is_err() && authorities(b"hello").is_err());
    }
}
