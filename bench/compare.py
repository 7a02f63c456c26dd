"""Runs rpctape and what one would otherwise take on the same log, in turns, and prints the ratios of their CPU time.

    cargo build --release && python3 bench/compare.py [--binary ...] [--size 100000000] [--rounds 3] [--profile mixed]

The job is: a log in; a database out that holds every message, every request with its answer, and every cancel; the number of requests
without an answer. sqlite3 and jq are used where they are installed, DuckDB where `import duckdb` works (`pip install duckdb`). jq only
selects the cancels, `sqlite3 .import` only stores the lines: neither does the job, both show what a part of it costs.
Every number that comes out is held against the generator's; a program that answers wrong ends the comparison."""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import logs

HERE = Path(__file__).resolve().parent

IMPORT = """create table raw(line text);
.mode ascii
.separator "\\037" "\\n"
.import {log} raw
"""

SQLITE = IMPORT + """create table message as select rowid as id, line ->> '$.session' as session, line ->> '$.dir' as dir,
    line ->> '$.msg.id' as rpc_id, line ->> '$.msg.method' as method, line ->> '$.msg.params.requestId' as target from raw;
create index request on message (session, rpc_id) where dir = 'c2s' and method is not null;
create index answer on message (session, rpc_id) where dir = 's2c' and method is null;
.mode list
select 'requests', count(*) from message where dir = 'c2s' and method is not null and rpc_id is not null;
select 'cancels', count(*) from message where method = 'notifications/cancelled';
select 'unanswered', count(*) from message as q where q.dir = 'c2s' and q.rpc_id is not null and q.method is not null
    and not exists (select 1 from message as a where a.session = q.session and a.rpc_id = q.rpc_id and a.dir = 's2c' and a.method is null)
    and not exists (select 1 from message as c where c.session = q.session and c.target = q.rpc_id
                    and c.method = 'notifications/cancelled' and c.id > q.id);
"""

DUCKDB = """
import duckdb, sys
db = duckdb.connect(sys.argv[2])
db.sql("create table message as select row_number() over () as id, * from read_json(?, format='newline_delimited', "
       "columns={ts: 'VARCHAR', dir: 'VARCHAR', session: 'VARCHAR', msg: 'JSON'}, maximum_object_size=20000000)", params=[sys.argv[1]])
db.sql("create table part as select id, session, dir, msg->>'$.id' as rpc_id, msg->>'$.method' as method, "
       "msg->>'$.params.requestId' as target from message")
one = lambda sql: db.sql(sql).fetchone()[0]
print("requests", one("select count(*) from part where dir = 'c2s' and method is not null and rpc_id is not null"))
print("cancels", one("select count(*) from part where method = 'notifications/cancelled'"))
print("unanswered", one("select count(*) from part q where dir = 'c2s' and rpc_id is not null and method is not null "
    "and not exists (select 1 from part a where a.session = q.session and a.rpc_id = q.rpc_id and a.dir = 's2c' and a.method is null) "
    "and not exists (select 1 from part c where c.session = q.session and c.target = q.rpc_id and c.method = 'notifications/cancelled')"))
"""

COUNTS = """select 'requests ' || count(*) from exchanges union all select 'cancels ' || count(*) from cancellations
    union all select 'unanswered ' || count(*) from exchanges where outcome = 'unanswered'"""


def measured(command, script=None):
    """Runs a command; CPU seconds of it and its children, peak memory in MB, and what it printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as given:
        given.write(script or "")
        given.seek(0)
        child = subprocess.Popen(command, stdout=out, stdin=given)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        # A check that found violations ends with 1.
        if child.returncode not in ((0, 1) if command[1] == "check" else (0,)):
            sys.exit(f"compare: {command[0]} ended with {child.returncode}")
        out.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out.read()


def candidates(options, log, work):
    """Name, command, script on standard input, and whether it gives counts."""
    binary = str(options.binary)
    yield "rpctape ingest", [binary, "ingest", log, "--db", f"{work}/own.db", "--no-progress"], None
    yield "rpctape check", [binary, "check", log, "--no-progress"], None
    if shutil.which("sqlite3"):
        yield "sqlite3 .import", ["sqlite3", f"{work}/import.db"], IMPORT.format(log=log)
        yield "sqlite3", ["sqlite3", f"{work}/sqlite.db"], SQLITE.format(log=log)
    if shutil.which("jq"):
        yield "jq", ["jq", "-c", 'select(.msg.method == "notifications/cancelled")', log], None
    if subprocess.run([sys.executable, "-c", "import duckdb"], capture_output=True).returncode == 0:
        yield "duckdb", [sys.executable, "-c", DUCKDB, log, f"{work}/duck.db"], None


def hold_against(name, printed, truth, binary, work):
    if name == "rpctape ingest":
        printed = subprocess.run([binary, "query", f"{work}/own.db", COUNTS, "--format", "csv"], capture_output=True, text=True, check=True).stdout
    if name == "jq":
        printed = f"cancels {len(printed.splitlines())}"
    for key, value in re.findall(r"(requests|cancels|unanswered)[ |](\d+)", printed if name != "rpctape check" else ""):
        if truth[key] != int(value):
            sys.exit(f"compare: {name} counts {value} {key} where the log has {truth[key]}")


def compare(options, profile, work):
    log = f"{work}/{profile}.jsonl"
    truth = logs.write(profile, options.size, 1, log)
    size = os.path.getsize(log)
    runs = {}
    for _ in range(options.rounds):
        for name, command, script in candidates(options, log, work):
            for left in Path(work).glob("*.db*"):
                left.unlink()
            cpu, memory, printed = measured(command, script)
            hold_against(name, printed, truth, str(options.binary), work)
            bytes_of = sum(left.stat().st_size for left in Path(work).glob("*.db"))
            runs.setdefault(name, []).append((cpu, memory, bytes_of))
    own = [cpu for cpu, *_ in runs["rpctape ingest"]]
    print(f"{profile}, {size / 1e6:.0f} MB, {json.dumps(truth)}")
    print(f"  {'':16} {'CPU s':>8} {'ingest / it':>12} {'peak MB':>8} {'database / log':>15}")
    for name, all_runs in runs.items():
        ratio = statistics.median(ours / cpu for ours, (cpu, *_) in zip(own, all_runs))
        cpu, memory, stored = (statistics.median(column) for column in zip(*all_runs))
        print(f"  {name:16} {cpu:8.2f} {ratio:12.2f} {memory:8.0f} {stored / size:15.2f}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", default=HERE.parent / "target/release/rpctape")
    options.add_argument("--size", type=int, default=100_000_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--profile", choices=["mixed", "small"])
    options = options.parse_args()
    for profile in [options.profile] if options.profile else ["mixed", "small"]:
        with tempfile.TemporaryDirectory() as work:
            compare(options, profile, work)


main()
