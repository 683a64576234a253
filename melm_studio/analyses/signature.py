"""Signatures of verdicts by an ed25519 key, which the package cryptography makes and checks."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from melm_core.base import UserError
from melm_studio.extras import install_command

_NO_PACKAGE = "Signatures of verdicts need the package cryptography: {install}"
_NO_KEY = (
    "The key {path} cannot sign verdicts: it is not a readable ed25519 key in PEM without a "
    "password. Make one by: openssl genpkey -algorithm ed25519 -out {path}"
)


class Signature(Struct, frozen=True):
    """Of a seal, by an ed25519 key; hexadecimal."""

    public_key: str
    value: str


def signature_of(seal: str, key_file: str) -> Signature:
    """Return the signature of a seal.

    Parameters
    ----------
    seal : str
    key_file : str
        Path of an ed25519 key in PEM.

    Raises
    ------
    UserError
        If the key cannot be used, or the package is missing.
    """
    keys = _cryptography("hazmat.primitives.asymmetric.ed25519")
    load = _cryptography("hazmat.primitives.serialization").load_pem_private_key
    key = None
    with suppress(OSError, ValueError, TypeError, _cryptography("exceptions").UnsupportedAlgorithm):
        key = load(Path(key_file).read_bytes(), None)
    if not isinstance(key, keys.Ed25519PrivateKey):
        raise UserError(_NO_KEY.format(path=key_file))
    public = key.public_key().public_bytes_raw().hex()
    return Signature(public, key.sign(seal.encode()).hex())


def is_genuine(signature: Signature, seal: str) -> bool:
    """Return whether the owner of the key that a signature names has signed a seal.

    Raises
    ------
    UserError
        If the package is missing.
    """
    keys = _cryptography("hazmat.primitives.asymmetric.ed25519")
    with suppress(_cryptography("exceptions").InvalidSignature, ValueError):
        key = keys.Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
        key.verify(bytes.fromhex(signature.value), seal.encode())
        return True
    return False


def _cryptography(module: str) -> Any:
    try:
        return import_module(f"cryptography.{module}")
    except ImportError:
        raise UserError(_NO_PACKAGE.format(install=install_command("signing"))) from None
