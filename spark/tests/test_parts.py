"""What needs no Spark: children that fail, orders, copies."""

import os
import stat
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import rpctape_spark as job

JUDGED = '{"type":"judged","connections":0,"messages":0,"findings":0}'


@pytest.fixture
def child(tmp_path):
    """A program that does what a line of shell says."""

    def make(script):
        path = tmp_path / "child"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return [str(path)]

    return make


def test_what_ends_well_is_given_and_its_input_streams(child):
    lines = list(job.audit((b"x" * 100_000 for _ in range(20)), child(f"wc -c; echo '{JUDGED}'")))
    assert [line.strip() for line in lines] == ["2000000", JUDGED]


@pytest.mark.parametrize("script", ["cat > /dev/null; echo '{}'; echo no luck >&2; exit 3", "echo '{}'; kill -9 $$", "exit 3"])
def test_half_an_answer_is_never_seen(child, script):
    seen = []
    with pytest.raises(job.Failed, match="rpctape audit ended with (3|-9)"):
        for line in job.audit((b"x" * 100_000 for _ in range(20)), child(script)):
            seen.append(line)
    assert seen == []


def test_an_answer_without_its_end_is_none(child):
    with pytest.raises(job.Failed, match="without its last line"):
        list(job.audit([b"x"], child("cat > /dev/null; echo '{}'")))


def test_an_empty_partition_starts_nothing():
    assert list(job.audit([], ["/no/such/program"])) == []


def test_the_words_of_the_binary_stand_in_the_error(child):
    with pytest.raises(job.Failed, match="rows are missing"):
        list(job.audit([b"x"], child("echo rows are missing >&2; exit 2")))


def test_sources_sort_as_folders_are_walked():
    names = ["a.log", "a/b.log", "a-b/c", "a/a.log"]
    assert sorted(names, key=job.source_order) == ["a/a.log", "a/b.log", "a-b/c", "a.log"]


def test_of_two_files_with_one_content_the_first_is_judged():
    sources = [{"source": name, "hash": hash, "size": 1} for name, hash in [("b", "1"), ("a", "1"), ("c", "2"), ("-", "")]]
    assert job.twice(sources) == {"b": "a"}


def test_files_are_whole_or_not_there(tmp_path):
    def broken():
        yield b"half"
        raise OSError("gone")

    with pytest.raises(OSError):
        job.write_pieces(str(tmp_path / "x"), broken())
    assert not (tmp_path / "x").exists()
    job.write_whole(str(tmp_path / "y"), "whole")
    assert job.read_json(str(tmp_path / "z"), 7) == 7
    (tmp_path / ".hidden").write_text("")
    listed = job.listed([str(tmp_path)])
    assert list(listed) == [str(tmp_path / "y")]


def test_blocks_go_to_the_child_as_they_lie_in_memory():
    pa = pytest.importorskip("pyarrow")
    column = pa.array(["ä\n".encode(), b"bc\n", b"d\n"])
    batches = [pa.RecordBatch.from_arrays([part], ["rows"]) for part in (column, column.slice(1, 2), column.slice(0, 0))]
    assert b"".join(bytes(chunk) for chunk in job.buffers(batches)) == "ä\nbc\nd\nbc\nd\n".encode()
