"""Audit logs of JSON-RPC traffic: ``rpctape.check(path)``.

The package holds the program ``rpctape``; this module runs it and reads what it finds.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence, Union

__all__ = ["Finding", "Result", "RpctapeError", "check", "find_binary"]

Path = Union[str, "os.PathLike[str]"]


class RpctapeError(Exception):
    """The program could not run, or there was nothing to check."""


@dataclass(frozen=True)
class Finding:
    """One finding: a rule, a place in a log, and a sentence. ``raw`` has all members."""

    code: str
    rule: str
    severity: str
    certainty: str
    source: str
    line: int
    summary: str
    raw: Mapping[str, Any] = field(repr=False, compare=False, default_factory=dict)


@dataclass(frozen=True)
class Result:
    """All findings, and the summary of the run."""

    findings: Sequence[Finding]
    summary: Mapping[str, Any]

    def at_least(self, severity: str) -> Sequence[Finding]:
        """Findings of this severity or worse: ``error``, ``warning`` or ``note``."""
        order = ["error", "warning", "note"]
        taken = order[: order.index(severity) + 1]
        return [finding for finding in self.findings if finding.severity in taken]


def find_binary() -> str:
    """The path of the program: ``$RPCTAPE``, the one of this package, or the first in ``PATH``."""
    named = os.environ.get("RPCTAPE")
    if named:
        return named
    name = "rpctape.exe" if os.name == "nt" else "rpctape"
    for scheme in (None, "posix_user" if os.name != "nt" else "nt_user"):
        folder = sysconfig.get_path("scripts") if scheme is None else sysconfig.get_path("scripts", scheme)
        candidate = os.path.join(folder, name)
        if os.path.isfile(candidate):
            return candidate
    found = shutil.which("rpctape")
    if found is None:
        raise RpctapeError("the program rpctape is not installed: pip install rpctape, or name it in RPCTAPE")
    return found


def check(*logs: Path, args: Sequence[str] = (), binary: "Path | None" = None) -> Result:
    """Audits logs. ``args`` are flags of ``rpctape check``, such as ``["--proto", "mcp"]``.

    Raises ``RpctapeError`` where the program could not run or nothing was checked.
    """
    command = [os.fspath(binary or find_binary()), "check", "--format", "jsonl", *args, "--", *map(os.fspath, logs)]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    if ran.returncode not in (0, 1):
        raise RpctapeError(ran.stderr.strip() or f"rpctape ended with {ran.returncode}")
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line]
    findings = [_finding(line) for line in lines if line["type"] == "finding"]
    summary = next((line for line in lines if line["type"] == "summary"), {})
    return Result(findings, summary)


def _finding(line: Mapping[str, Any]) -> Finding:
    names = ("code", "rule", "severity", "certainty", "source", "line", "summary")
    return Finding(*(line[name] for name in names), raw=line)
