"""What ``rpctape.check`` gives is what the program says. Run with ``RPCTAPE`` set, or with the package installed."""

import pathlib

import pytest
import rpctape

BAD = "samples/mcp/bad.jsonl"


def test_findings_and_summary():
    result = rpctape.check(BAD)
    assert len(result.findings) == result.summary["counts"]["findings"] == 11
    first = result.findings[0]
    assert (first.code, first.rule, first.line) == ("CAN010", "response-after-cancel", 14)
    assert first.raw["clause"]["level"] == "SHOULD"
    assert [one.severity for one in result.at_least("error")] == ["error"] * 4
    assert len(result.at_least("note")) == 11


def test_a_path_and_flags():
    result = rpctape.check(pathlib.Path(BAD), args=["--select", "CAN030"])
    assert [one.code for one in result.findings] == ["CAN030"]
    assert not rpctape.check("samples/mcp/good.jsonl").at_least("warning")


def test_a_name_that_begins_with_a_dash_is_a_file(tmp_path, monkeypatch):
    (tmp_path / "--db=x.jsonl").write_bytes(pathlib.Path(BAD).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert len(rpctape.check("--db=x.jsonl").findings) == 11


def test_what_cannot_be_checked_is_an_error(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for bad in (empty, tmp_path / "missing.jsonl"):
        with pytest.raises(rpctape.RpctapeError):
            rpctape.check(bad)
    with pytest.raises(rpctape.RpctapeError, match="cannot start"):
        rpctape.check(BAD, binary=tmp_path / "no-program")
    broken = tmp_path / "half"
    broken.write_text("#!/bin/sh\nexit 0\n")
    broken.chmod(0o755)
    with pytest.raises(rpctape.RpctapeError, match="middle"):
        rpctape.check(BAD, binary=broken)
