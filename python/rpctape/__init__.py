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
from typing import Any, List, Literal, Mapping, Sequence, Union

__all__ = ["Certainty", "Finding", "Result", "RpctapeError", "Severity", "check", "find_binary"]

Path = Union[str, "os.PathLike[str]"]
Severity = Literal["error", "warning", "note"]
Certainty = Literal["violation", "race", "undecidable"]
_ORDER: "tuple[Severity, ...]" = ("error", "warning", "note")


class RpctapeError(Exception):
    """The program could not run, or there was nothing to check."""


@dataclass(frozen=True)
class Finding:
    """One finding: a rule, a place in a log, and a sentence. ``raw`` has all members."""

    code: str
    rule: str
    severity: Severity
    certainty: Certainty
    source: str
    line: int
    summary: str
    raw: Mapping[str, Any] = field(repr=False, compare=False, default_factory=dict)


@dataclass(frozen=True)
class Result:
    """All findings, and the summary of the run."""

    findings: Sequence[Finding]
    summary: Mapping[str, Any]

    def at_least(self, severity: Severity) -> Sequence[Finding]:
        """Findings of this severity or worse: ``error``, ``warning`` or ``note``."""
        taken = _ORDER[: _ORDER.index(severity) + 1]
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
    """Audits logs: files, folders or archives. ``args`` are flags of ``rpctape check``, such as ``["--proto", "mcp"]``.

    Raises ``RpctapeError`` where the program could not run, nothing was checked, or a log is torn: an empty list of findings
    always means that what was read is clean.
    """
    names = [os.fspath(log) for log in logs]
    command = [os.fspath(binary or find_binary()), "check", "--format", "jsonl", *args, "--", *names]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    except OSError as error:
        raise RpctapeError(f"cannot start {command[0]}: {error}") from error
    if ran.returncode not in (0, 1):
        raise RpctapeError(ran.stderr.strip() or f"rpctape ended with {ran.returncode}")
    lines: List[Mapping[str, Any]] = [json.loads(line) for line in ran.stdout.splitlines() if line]
    findings = [_finding(line) for line in lines if line["type"] == "finding"]
    # The summary comes last: without it the answer is not whole.
    if not lines or lines[-1]["type"] != "summary":
        raise RpctapeError("rpctape ended in the middle of its answer")
    return Result(findings, lines[-1])


def _finding(line: Mapping[str, Any]) -> Finding:
    return Finding(
        code=line["code"],
        rule=line["rule"],
        severity=line["severity"],
        certainty=line["certainty"],
        source=line["source"],
        line=line["line"],
        summary=line["summary"],
        raw=line,
    )
