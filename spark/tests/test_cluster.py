"""The job on a cluster of several processes: the bytes of `check`, whatever happens to executors, tasks and files."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("pyspark")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import rpctape_spark as job

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BINARY = os.environ.get("RPCTAPE", os.path.join(ROOT, "target/debug/rpctape"))
MARK = f"rpctape-test-{os.getpid()}"
# All of it, or a small run.
MATRIX = os.environ.get("RPCTAPE_SPARK_MATRIX") == "1"

needs_matrix = pytest.mark.skipif(not MATRIX, reason="RPCTAPE_SPARK_MATRIX=1 runs it")


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession

    os.environ["RPCTAPE_TEST_RUN"] = MARK
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    master = "local-cluster[2,1,1024]" if MATRIX else "local[2]"
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.executor.memory": "1g"}
    builder = SparkSession.builder.master(master).appName(MARK)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.addPyFile(job.__file__)
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def checked(logs):
    command = [BINARY, "check", "--no-progress", "--format", "jsonl", *logs]
    return subprocess.run(command, capture_output=True, text=True).stdout


def judged(spark, logs, out, *flags):
    job.run(spark, job.arguments([*map(str, logs), "--out", str(out), "--binary", BINARY, *flags]))
    return (out / "findings.jsonl").read_text()


def findings(text):
    return [line for line in text.splitlines() if line.startswith('{"type":"finding"')]


def message(at, conn, way, text):
    return f'{{"ts":"2026-01-05T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}Z","conn":"{conn}","dir":"{way}","msg":{text}}}\n'


def exchange(at, conn, id, fault=False):
    call = f'{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{{"n":{at},"text":"{"x" * 200}"}}}}}}'
    answer = f'{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{"y" * 300}"}}]}}}}'
    lines = message(at, conn, "c2s", call) + message(at + 1, conn, "s2c", answer)
    return lines + message(at + 5, conn, "s2c", answer) if fault else lines


def traffic(folder, connections=12, hours=4, calls=30, hot=0):
    """Connections that run over hourly files; every seventh answer comes twice. `hot` more exchanges are all of one connection."""
    folder.mkdir()
    for hour in range(hours):
        lines = []
        for conn in range(connections):
            for call in range(calls + (hot if conn == 0 else 0)):
                at = hour * 3600 + call * 100 % 3500
                lines.append((at, exchange(at, f"c{conn}", hour * 100_000 + call, call % 7 == conn % 7)))
        lines.sort(key=lambda line: line[0])
        (folder / f"{hour:02}.jsonl").write_text("".join(text for _, text in lines))
    return sorted(map(str, folder.iterdir()))


def test_findings_are_those_of_check_and_a_run_again_judges_what_changed(spark, tmp_path):
    logs = traffic(tmp_path / "logs")
    want = checked([str(tmp_path / "logs")])
    assert len(findings(want)) > 50
    assert judged(spark, [tmp_path / "logs"], tmp_path / "out", "--partitions", "3") == want
    # One more hour of two of the connections.
    (tmp_path / "logs" / "04.jsonl").write_text(exchange(14_400, "c1", 900_001, True) + exchange(14_500, "c2", 900_002))
    again = judged(spark, [tmp_path / "logs"], tmp_path / "out", "--partitions", "3")
    assert findings(again) == findings(checked([str(tmp_path / "logs")]))
    assert len(findings(again)) > len(findings(want))
    # And one hour less.
    os.remove(logs[0])
    less = judged(spark, [tmp_path / "logs"], tmp_path / "out", "--partitions", "2")
    assert findings(less) == findings(checked([str(tmp_path / "logs")]))


def test_a_copy_is_judged_once_and_facts_that_are_gone_are_missed(spark, tmp_path):
    logs = traffic(tmp_path / "logs", connections=3, hours=2)
    shutil.copy(logs[0], tmp_path / "logs" / "99-copy.jsonl")
    want = findings(checked([str(tmp_path / "logs")]))
    assert findings(judged(spark, [tmp_path / "logs"], tmp_path / "out", "--partitions", "2")) == want
    # The control: with the facts of one log gone, findings cannot be the same, and are not in silence.
    gone = next((tmp_path / "out" / "facts").glob("00.jsonl-*"))
    gone.unlink()
    with pytest.raises(Exception):
        judged(spark, [tmp_path / "logs"], tmp_path / "out", "--all")


@needs_matrix
@pytest.mark.parametrize("partitions", [1, 3, 16])
def test_all_samples_in_any_number_of_parts(spark, tmp_path, partitions):
    samples = os.path.join(ROOT, "samples")
    have = judged(spark, [samples], tmp_path / "out", "--partitions", str(partitions))
    assert findings(have) == findings(checked([samples]))


@needs_matrix
def test_an_executor_that_is_killed_costs_time_and_no_finding(spark, tmp_path):
    traffic(tmp_path / "logs", connections=40, hours=6, calls=200)
    want = checked([str(tmp_path / "logs")])
    killed = []

    def kill():
        time.sleep(4)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = open(f"/proc/{pid}/cmdline", "rb").read()
                mine = MARK.encode() in open(f"/proc/{pid}/environ", "rb").read()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in line and mine and not killed:
                os.kill(int(pid), signal.SIGKILL)
                killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    have = judged(spark, [tmp_path / "logs"], tmp_path / "out", "--partitions", "16")
    killer.join()
    assert killed and have == want


def test_a_child_that_cannot_judge_fails_the_job_in_its_own_words(spark, tmp_path):
    traffic(tmp_path / "logs", connections=2, hours=1)
    broken = tmp_path / "rpctape"
    broken.write_text(f'#!/bin/sh\n[ "$1" = facts ] && exec {BINARY} "$@"\ncat > /dev/null; echo no luck >&2; exit 2\n')
    broken.chmod(0o755)
    with pytest.raises(Exception, match="rpctape audit ended with 2: no luck"):
        job.run(spark, job.arguments([str(tmp_path / "logs"), "--out", str(tmp_path / "out"), "--binary", str(broken)]))
