#!/usr/bin/env python3
"""Measures the job on a cluster of several processes: whether its findings are those of `check`, byte for byte, and what it costs.

    target/scale/bin/python spark/measure.py --binary target/release/rpctape --log BIG.jsonl [--work DIR] [--only WORD]

The binary must have been built with `--features parquet`; `spark/try` makes the Python environment. BIG.jsonl is a log of records with
`dir` and `session` (that of `bench/logs.py`, say). It is laid out anew in four ways, judged in 1, 3 and 16 parts, with an executor
that is killed, and by one executor and by two.
"""

import argparse
import glob
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import rpctape_spark as job

MARK = f"rpctape-measure-{os.getpid()}"
TICK = os.sysconf("SC_CLK_TCK")


# --- layouts ----------------------------------------------------------------------------------------------------------------


def lines_of(log):
    with open(log, "rb") as file:
        yield from file


def rotated(log, folder, parts=16):
    """Files of the same size, one after the other: nearly every connection is in several."""
    size, out, number = os.path.getsize(log) // parts + 1, None, -1
    for at, line in placed(log):
        if at // size != number:
            number = at // size
            out = open(f"{folder}/{number:02}.jsonl", "wb", 1 << 20)
        out.write(line)


def placed(log):
    at = 0
    for line in lines_of(log):
        yield at, line
        at += len(line)


def directions(log, folder):
    """One file a direction: what clients sent, what servers sent."""
    files = {side: open(f"{folder}/{side}.jsonl", "wb", 1 << 20) for side in ("c2s", "s2c")}
    for line in lines_of(log):
        files["c2s" if b'"dir":"c2s"' in line[:80] else "s2c"].write(line)


def taps(log, folder):
    """Two recorders of the same connections, each with its own order."""
    held = []
    with open(f"{folder}/a-client.jsonl", "wb", 1 << 20) as near, open(f"{folder}/b-server.jsonl", "wb", 1 << 20) as far:
        for line in lines_of(log):
            near.write(line)
            # The server sees what it says itself three records earlier.
            held.append(line)
            if len(held) == 4:
                held.sort(key=lambda line: b'"dir":"c2s"' in line[:80])
                far.write(held.pop(0))
        far.writelines(held)


def hot(log, folder):
    """Three of five records are of one connection."""
    name, dice = re.compile(rb'"session":"[^"]*"'), 0
    with open(f"{folder}/hot.jsonl", "wb", 1 << 20) as out:
        for line in lines_of(log):
            session = name.search(line)
            if session and hash_of(session[0]) % 5 < 3:
                line = line.replace(session[0], b'"session":"hot"', 1)
            out.write(line)


def hash_of(text):
    return sum(text) * 31 + len(text)


def quarter(log, folder, parts=16):
    """The first quarter of the log in as many files as `rotated` has: what both cost is the start of the job."""
    size = os.path.getsize(log) // parts // 4 + 1
    with open(log, "rb") as lines:
        for number in range(parts):
            with open(f"{folder}/{number:02}.jsonl", "wb", 1 << 20) as out:
                out.writelines(lines.readlines(size))


LAYOUTS = {"rotated": rotated, "directions": directions, "taps": taps, "hot": hot, "quarter": quarter}


# --- what processes use -----------------------------------------------------------------------------------------------------


def processes():
    """Processes of this run: pid, name of the command, CPU seconds with those of children that have ended, resident bytes."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if MARK.encode() not in open(f"/proc/{pid}/environ", "rb").read() and int(pid) != os.getpid():
                continue
            command = open(f"/proc/{pid}/cmdline", "rb").read()
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        yield int(pid), command, sum(map(int, fields[11:15])) / TICK, int(fields[21]) * 4096


def cpu():
    return sum(seconds for _, _, seconds, _ in processes())


class Watch(threading.Thread):
    """Looks at the children of a run: the most that one of them holds. Kills one executor after some seconds, where that is wanted."""

    def __init__(self, kill_after=None):
        super().__init__(daemon=True)
        self.peak, self.killed, self.kill_after, self.over = 0, None, kill_after, threading.Event()

    def run(self):
        started = time.time()
        while not self.over.wait(0.2):
            for pid, command, _, resident in processes():
                if b"audit\0" in command:
                    self.peak = max(self.peak, resident)
                due = self.kill_after and time.time() - started > self.kill_after and not self.killed
                if due and b"CoarseGrainedExecutorBackend" in command:
                    os.kill(pid, signal.SIGKILL)
                    self.killed = pid


# --- runs -------------------------------------------------------------------------------------------------------------------


def checked(binary, logs, out):
    before = os.times()
    with open(out, "wb") as file:
        subprocess.run([binary, "check", "--no-progress", "--format", "jsonl", *logs], stdout=file, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def session(executors, events):
    from pyspark.sql import SparkSession

    os.environ["RPCTAPE_MEASURE"] = MARK
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.makedirs(events, exist_ok=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.memory": "2g",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.compress": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,2048]").appName(MARK)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.addPyFile(job.__file__)
    spark.sparkContext.setLogLevel("OFF")
    # Executors come late, and the first task of each starts Python.
    spark.range(8).repartition(8).mapInArrow(lambda batches: batches, "id long").count()
    return spark


def stages(events):
    """What the tasks of the job moved and how long the stages took, from the log of events: bytes shuffled, seconds and tasks of each stage."""
    shuffled, times = 0, []
    for path in glob.glob(f"{events}/**/*", recursive=True):
        if os.path.isdir(path):
            continue
        for line in open(path, errors="replace"):
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                metrics = event.get("Task Metrics") or {}
                shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
            elif event["Event"] == "SparkListenerStageCompleted":
                info = event["Stage Info"]
                took = (info["Completion Time"] - info["Submission Time"]) / 1000
                times.append((took, info["Number of Tasks"]))
    return shuffled, times


def measure(args, logs, want, name, executors, partitions, kill_after=None):
    """One run of the job: whether its findings are those of `check`, and the CPU seconds that it took."""
    out = f"{args.work}/out-{name}-{executors}-{partitions}{'-killed' if kill_after else ''}"
    subprocess.run(["rm", "-rf", out, f"{out}.events"], check=True)
    spark = session(executors, f"{out}.events")
    watch = Watch(kill_after)
    watch.start()
    before, started = cpu(), time.time()
    job.run(spark, job.arguments([*logs, "--out", out, "--binary", args.binary, "--partitions", str(partitions), "--tasks", "17"]))
    wall, used = time.time() - started, cpu() - before
    watch.over.set()
    watch.join()
    spark.stop()
    shuffled, times = stages(f"{out}.events")
    same = open(f"{out}/findings.jsonl", "rb").read() == open(want, "rb").read()
    raw = sum(os.path.getsize(log) for log in logs)
    facts = sum(os.path.getsize(file) for file in glob.glob(f"{out}/facts/*"))
    judging = max((took for took, tasks in times if tasks == partitions), default=0)
    print(
        f"{name:10} executors {executors} parts {partitions:2}  {'same bytes' if same else 'DIFFERENT'}"
        f"{'  one executor killed' if watch.killed else ''}  wall {wall:.0f} s  judging {judging:.1f} s  CPU {used:.1f} s"
        f"  facts {facts / raw:.1%}  shuffled {shuffled / raw:.1%}  child at most {watch.peak >> 20} MiB",
        flush=True,
    )
    return same, used


def laid(args, name):
    """The files of a layout, made where they are missing; where the findings of `check` over them stand, and what `check` took."""
    folder, want = f"{args.work}/logs-{name}", f"{args.work}/{name}.want"
    if not os.path.exists(folder):
        os.makedirs(folder)
        LAYOUTS[name](args.log, folder)
    took = checked(args.binary, [folder], want)
    print(f"{name:10} check on one machine: CPU {took:.1f} s", flush=True)
    return sorted(glob.glob(f"{folder}/*")), want, took


def scale(args, files, want, took):
    """One executor and two; and what the job takes for three quarters of the log, of what `check` takes for them: the start of
    Java and Python, and what they compile of their own, is in the first quarter, too."""
    quarter, quarter_want, quarter_took = laid(args, "quarter")
    _, start = measure(args, quarter, quarter_want, "quarter", 1, 16)
    runs = [measure(args, files, want, "rotated", executors, 16) for executors in (1, 2)]
    print(f"CPU beyond the start, of `check`'s: {(runs[0][1] - start) / (took - quarter_took):.2f} x", flush=True)
    return all(same for same, _ in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--work", default="target/measure")
    parser.add_argument("--only", help="only runs whose name has this in it: rotated, directions, taps, hot, kill, scale")
    args = parser.parse_args()
    args.binary, args.work = os.path.abspath(args.binary), os.path.abspath(args.work)
    wanted = lambda name: not args.only or args.only in name
    good = True
    for name in ("rotated", "directions", "taps", "hot"):
        runs = [name] + (["kill", "scale"] if name == "rotated" else [])
        if not any(map(wanted, runs)):
            continue
        files, want, took = laid(args, name)
        if wanted(name):
            good &= all([measure(args, files, want, name, 2, partitions)[0] for partitions in (1, 3, 16)])
        if name == "rotated" and wanted("kill"):
            good &= measure(args, files, want, name, 2, 16, kill_after=6)[0]
        if name == "rotated" and wanted("scale"):
            good &= scale(args, files, want, took)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
