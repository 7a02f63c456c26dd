"""The SQL of `sql/parquet`, on DuckDB and Polars, against the views of a database."""

import json
import os
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("RPCTAPE", os.path.join(ROOT, "target/debug/rpctape"))
# Logs without batches and without ids that are used twice: there SQL and the fold see the same exchanges.
LOGS = ["samples/mcp/good.jsonl", "samples/lsp/good.jsonl", "samples/acp/good.jsonl"]


def sql(name):
    return open(os.path.join(ROOT, "sql/parquet", f"{name}.sql")).read()


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facts")
    subprocess.run([BINARY, "facts", "--no-progress", "-o", folder, *LOGS], cwd=ROOT, check=True, capture_output=True)
    return f"{folder}/*.parquet"


def wanted():
    rows = []
    for log in LOGS:
        ask = "SELECT rpc_id, method, latency_us FROM exchanges"
        run = subprocess.run([BINARY, "query", log, ask, "--format", "jsonl"], cwd=ROOT, check=True, capture_output=True)
        rows += [(log, *json.loads(line).values()) for line in run.stdout.splitlines()]
    return sorted(map(str, rows))


def test_duckdb_sees_the_exchanges_of_a_database(facts):
    duckdb = pytest.importorskip("duckdb")
    duckdb.sql(f"CREATE VIEW facts AS SELECT * FROM '{facts}'")
    for name in ("exchanges", "messages", "connections", "methods"):
        duckdb.sql(f"CREATE VIEW {name} AS {sql(name)}")
    have = duckdb.sql("SELECT source, rpc_id, method, latency_us FROM exchanges").fetchall()
    assert sorted(map(str, have)) == wanted()
    assert len(have) > 10
    requests = duckdb.sql("SELECT CAST(SUM(requests) AS BIGINT) FROM methods").fetchall()[0][0]
    assert requests == len(have) == duckdb.sql("SELECT CAST(SUM(requests) AS BIGINT) FROM connections").fetchall()[0][0]


def test_polars_sees_the_same(facts):
    polars = pytest.importorskip("polars")
    context = polars.SQLContext(facts=polars.scan_parquet(facts))
    rows = context.execute(sql("exchanges")).collect().select("source", "rpc_id", "method", "latency_us").rows()
    assert sorted(map(str, rows)) == wanted()


def test_an_export_is_typed(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    for table, ask in [("messages", "SUM(bytes)"), ("exchanges", "MAX(latency_us)"), ("findings", "MAX(line)")]:
        file = tmp_path / f"{table}.parquet"
        log = "samples/mcp/bad.jsonl"
        subprocess.run([BINARY, "export", "--as", "parquet", "--of", table, log, "-o", file], cwd=ROOT, check=True)
        run = subprocess.run([BINARY, "query", log, f"SELECT {ask} AS it FROM {table}", "--format", "jsonl"], cwd=ROOT, capture_output=True)
        assert duckdb.sql(f"SELECT CAST({ask} AS BIGINT) FROM '{file}'").fetchall()[0][0] == json.loads(run.stdout)["it"]
