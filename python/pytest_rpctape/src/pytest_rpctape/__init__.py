"""Records the servers that a test starts, and fails the test where they break the protocol."""

from __future__ import annotations

import pathlib
from typing import Any, Iterator, List, Optional, Sequence

import pytest
import rpctape as _rpctape

SEVERITIES = ("error", "warning", "note", "none")
_RECORDER = pytest.StashKey["Recorder"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rpctape")
    group.addoption("--rpctape-fail-on", choices=SEVERITIES, default="error", help="the least severity that fails a test")
    group.addoption("--rpctape-binary", default=None, metavar="PATH", help="the program rpctape")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rpctape(fail_on='error', ignore=[]): how the traffic of this test is judged")


class Recorder:
    """Records what a test starts; ``command`` gives the command line that does it."""

    def __init__(self, folder: pathlib.Path, binary: str, fail_on: str, ignore: Sequence[str]) -> None:
        self.folder = folder
        self.binary = binary
        self.fail_on = fail_on
        self.ignore = list(ignore)
        self._judged: dict = {}

    def command(self, *argv: str) -> List[str]:
        """The command line of a server, recorded."""
        if not argv:
            raise ValueError("name the command of the server")
        self.folder.mkdir(parents=True, exist_ok=True)
        return [self.binary, "record", "-o", f"{self.folder}/", "--", *map(str, argv)]

    @property
    def recordings(self) -> List[pathlib.Path]:
        """The recordings so far, each part a file."""
        return sorted(self.folder.glob("*.rec.jsonl"))

    def judge(self) -> Optional[str]:
        """Audits what was not audited before, or has grown since; what fails the test, in words."""
        sizes = {path: path.stat().st_size for path in self.recordings}
        fresh = sizes != self._judged
        self._judged = sizes
        if not fresh or self.fail_on == "none":
            return None
        ignore = ["--ignore", ",".join(self.ignore)] if self.ignore else []
        with_messages = [path for path in sizes if '"k":"msg"' in path.read_text(encoding="utf-8", errors="replace")]
        if not with_messages:
            return None
        result = _rpctape.check(*with_messages, args=ignore, binary=self.binary)
        found = result.at_least(self.fail_on)
        lines = [f"{one.source}:{one.line}: {one.code} {one.severity}: {one.summary}" for one in found]
        return "\n".join(["rpctape: the protocol was broken", *lines]) if lines else None


@pytest.fixture
def rpctape(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[Recorder]:
    """Records the servers that this test starts."""
    options: Any = request.config.getoption
    fail_on, ignore = options("--rpctape-fail-on"), []
    for mark in reversed(list(request.node.iter_markers("rpctape"))):
        fail_on = mark.kwargs.get("fail_on", fail_on)
        ignore = [*ignore, *mark.kwargs.get("ignore", [])]
    if fail_on not in SEVERITIES:
        raise pytest.UsageError(f"fail_on is one of {', '.join(SEVERITIES)}, not {fail_on}")
    binary = options("--rpctape-binary") or _rpctape.find_binary()
    recorder = Recorder(tmp_path / "rpctape", binary, fail_on, ignore)
    request.node.stash[_RECORDER] = recorder
    yield recorder
    found = recorder.judge()
    if found:
        pytest.fail(found, pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    recorder = item.stash.get(_RECORDER, None)
    # A test that failed by itself has its own reason.
    if recorder is None or outcome.excinfo is not None:
        return
    found = recorder.judge()
    if found:
        pytest.fail(found, pytrace=False)
