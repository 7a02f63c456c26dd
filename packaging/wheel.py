#!/usr/bin/env python3
"""Packs a wheel from a binary that is there already: wheel.py BINARY VERSION TAG OUTDIR.

TAG is the platform, such as manylinux_2_34_x86_64: the glibc that the binary needs, as `auditwheel show` tells it. The
wheel is the same, byte for byte, for the same input.
"""

import base64
import hashlib
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(binary: str, version: str, platform: str, out: str) -> None:
    tag = f"py3-none-{platform}"
    info = f"rpctape-{version}.dist-info"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    metadata = (
        f"Metadata-Version: 2.4\nName: rpctape\nVersion: {version}\n"
        "Summary: A flight recorder and auditor for JSON-RPC traffic: MCP, ACP, LSP and plain JSON-RPC 2.0\n"
        "License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\n"
        f"Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n{readme}"
    )
    wheel = f"Wheel-Version: 1.0\nGenerator: rpctape\nRoot-Is-Purelib: false\nTag: {tag}\n"
    program = "rpctape.exe" if "win" in platform else "rpctape"
    files = [(f"rpctape/{name}", (ROOT / "python/rpctape" / name).read_bytes(), 0o644) for name in ("__init__.py", "py.typed")]
    files.append((f"rpctape-{version}.data/scripts/{program}", pathlib.Path(binary).read_bytes(), 0o755))
    files += [(f"{info}/licenses/{name}", (ROOT / name).read_bytes(), 0o644) for name in ("LICENSE-MIT", "LICENSE-APACHE")]
    files += [(f"{info}/METADATA", metadata.encode(), 0o644), (f"{info}/WHEEL", wheel.encode(), 0o644)]
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    target = pathlib.Path(out) / f"rpctape-{version}-{tag}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    print(target)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
