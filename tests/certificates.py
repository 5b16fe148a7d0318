"""Certificates for servers under test: for names or addresses, good for a day, or over, vouched for or not."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def server_context(directory: Path, name: str = "127.0.0.1") -> ssl.SSLContext:
    """A server's context with a certificate that nobody vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(write_certificate(directory, name))
    return context


def authority(directory: Path) -> Path:
    """Write the certificate of somebody who vouches for others."""
    file = directory / "authority.pem"
    file.write_bytes(_authority().public_bytes(Encoding.PEM))
    return file


def write_certificate(directory: Path, *names: str, days: int = 1, vouched: bool = False) -> Path:
    """Write key and certificate for *names* into one file.

    Args:
        days: below 0: it has ended so long ago.
        vouched: by `authority`, else by itself.
    """
    key = _key("server")
    subject = _name(names[0])
    issuer, signer = (_authority().subject, _key("authority")) if vouched else (subject, key)
    alternatives = x509.SubjectAlternativeName([_alternative(name) for name in names])
    builder = _builder(subject, issuer, key, days).add_extension(alternatives, critical=False)
    certificate = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
    ).sign(signer, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = directory / f"{names[0]}{days}{vouched}.pem"
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return file


@cache
def _authority() -> x509.Certificate:
    name = _name("tests")
    key = _key("authority")
    builder = _builder(name, name, key, 1).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    usage = dict.fromkeys(
        ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
         "encipher_only", "decipher_only"), False,
    )  # fmt: skip
    builder = builder.add_extension(x509.KeyUsage(**usage, key_cert_sign=True, crl_sign=True), critical=True)
    return builder.sign(key, hashes.SHA256())


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    begin, end = now - timedelta(days=max(1, 1 - days)), now + timedelta(days=days)
    builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number(), begin, end)
    return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@cache
def _key(of: str) -> ec.EllipticCurvePrivateKey:
    """One key for each of those who have one, for the whole process."""
    return ec.generate_private_key(ec.SECP256R1())
