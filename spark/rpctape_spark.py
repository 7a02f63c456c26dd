#!/usr/bin/env python3
"""rpctape on Apache Spark: facts of every log, connections brought together, the audit of the same binary.

    spark-submit --files target/dist/rpctape spark/rpctape_spark.py LOGS... --out DIR

LOGS are files or folders. Paths must be the same on all executors (a shared file system, a mounted bucket); what is named as a URL
(s3, gs, hdfs) is fetched by the executor that makes its facts. DIR, a folder or a URL, gets

    facts/           one file of blocks for each log; those of logs that have not changed are not made again
    columns/         with --columns: the same as columns, for questions in SQL
    judged/          what was found in each connection: the next run judges only those that new logs touch
    findings.jsonl   what `rpctape check --format jsonl LOGS...` prints, byte for byte, its summary included

It exits as `check` does: 0 clean, 1 violations at or above --fail-on, 2 could not run or a log is torn.

Rules live in the binary and nowhere else: this file moves rows, sorts them, and checks exit statuses.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BINARY = "rpctape"
# Blocks that are in memory together: each unpacks to some 256 KB at most.
BATCH = "256"


class Failed(RuntimeError):
    """The binary could not do what it was asked to: the task fails, is tried again, and the job fails with these words."""


def binary(named=None):
    """The binary: what was named, else what travelled with `--files`, else what is in PATH."""
    if named and os.path.exists(named):
        return named
    try:
        from pyspark import SparkFiles

        travelled = SparkFiles.get(BINARY)
        if os.path.exists(travelled):
            os.chmod(travelled, 0o755)
            return travelled
    except Exception:  # no Spark session here: a plain process
        pass
    return shutil.which(BINARY) or BINARY


# --- files, wherever they lie -----------------------------------------------------------------------------------------------


def filesystem(path):
    """A file system and the path in it: that of a URL (s3, gs, hdfs, file), else the local one."""
    from pyarrow import fs

    if "://" in path:
        return fs.FileSystem.from_uri(path.replace("s3a://", "s3://", 1))
    return fs.LocalFileSystem(), os.path.abspath(path)


def write_whole(path, text):
    """A file that is whole or not there."""
    pieces = [text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")]
    write_pieces(path, pieces)


def write_pieces(path, pieces):
    """The same for what does not fit into memory. Names that begin with a dot are passed over by every reader."""
    system, path = filesystem(path)
    folder, name = os.path.split(path)
    system.create_dir(folder, recursive=True)
    with system.open_output_stream(f"{folder}/.{name}.part") as file:
        for piece in pieces:
            file.write(piece)
    system.move(f"{folder}/.{name}.part", path)


def remove(path):
    """What is not needed any more; where it cannot be removed, nothing is lost but room."""
    system, path = filesystem(path)
    try:
        (system.delete_dir if system.get_file_info(path).type.name == "Directory" else system.delete_file)(path)
    except OSError as error:
        print(f"cannot remove {path}: {error}", file=sys.stderr)


def read_json(path, otherwise):
    from pyarrow import fs

    system, path = filesystem(path)
    if system.get_file_info(path).type == fs.FileType.NotFound:
        return otherwise
    with system.open_input_stream(path) as file:
        return json.loads(file.read())


def listed(paths):
    """Logs below the paths, by name, each with what tells that it has changed. Hidden files are none."""
    from pyarrow import fs

    found = {}
    for path in paths:
        system, inner = filesystem(path)
        scheme = path.split("://", 1)[0] + "://" if "://" in path else ""
        info = system.get_file_info(inner)
        if info.type == fs.FileType.NotFound:
            raise Failed(f"there is no {path}")
        files = [info]
        if info.type == fs.FileType.Directory:
            files = [file for file in system.get_file_info(fs.FileSelector(inner, recursive=True)) if file.is_file]
        for file in files:
            below = file.path[len(inner) :]
            if not any(step.startswith(".") for step in below.split("/")):
                name = scheme + file.path if scheme else path.rstrip("/") + below
                found[name] = f"{file.size:x}-{file.mtime_ns or 0:x}"
    return dict(sorted(found.items(), key=lambda item: source_order(item[0])))


# --- map: one log in, one file of facts out ---------------------------------------------------------------------------------


def make_facts(program, log, version, out, flags=(), form="blocks"):
    """Facts of one log in one form, moved to where all of them lie once they are whole: what the binary said, and the files.
    Raises where it could not."""
    with tempfile.TemporaryDirectory() as folder:
        name, here = log, None
        if "://" in log:
            # What is far away is fetched, and keeps its name but for the scheme.
            name, here = log.split("://", 1)[1].lstrip("/"), folder
            system, inner = filesystem(log)
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            with system.open_input_stream(inner, compression=None) as source, open(os.path.join(folder, name), "wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
        made = os.path.join(folder, "made")
        command = [program, "facts", "--no-progress", "--as", form, *flags, "-o", made, "--", name]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=here)
        if run.returncode != 0:
            raise Failed(f"rpctape facts {log} ended with {run.returncode}: {run.stderr.strip()}")
        names = []
        for file in sorted(os.listdir(made)):
            # An archive has several; each version of a log has its own.
            names.append(f"{file.removesuffix('.parquet')}.{version}.parquet")
            with open(os.path.join(made, file), "rb") as whole:
                write_whole(f"{out}/{names[-1]}", whole.read())
        return run.stderr.strip(), names


# --- reduce: rows of whole connections in, findings out ---------------------------------------------------------------------


def audit(chunks, command):
    """Feeds bytes to the audit while it is read, and gives its lines once it has ended well.

    Nothing is given before the exit status is known: half an answer must not be seen. An executor that is killed, a child that
    dies, rows that are missing: all of them end here, in a task that fails.
    """
    chunks = iter(chunks)
    first = next(chunks, None)
    if first is None:
        return
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as answer:
        # The answer goes into a file: a child that answers while it still reads never waits for us.
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=answer, stderr=errors)
        try:
            child.stdin.write(first)
            for chunk in chunks:
                child.stdin.write(chunk)
            child.stdin.close()
        except BrokenPipeError:
            pass  # it has ended: its status says why
        except BaseException:
            child.kill()
            child.wait()
            raise
        status = child.wait()
        errors.seek(0)
        words = errors.read().decode("utf-8", "replace").strip()
        if status != 0:
            raise Failed(f"rpctape audit ended with {status}: {words}")
        answer.seek(0)
        last = b""
        for last in answer:
            yield last.decode("utf-8").rstrip("\n")
        if not last.startswith(b'{"type":"judged"'):
            raise Failed("rpctape audit ended without its last line")


def buffers(batches):
    """The bytes of a column of blocks, batch by batch, as they lie in memory."""
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows:
            # A column of bytes is its offsets and one buffer with all of them behind each other, which is what the audit reads.
            column = batch.column(0).cast(pa.large_binary())
            _, offsets, data = column.buffers()
            at = memoryview(offsets).cast("q")
            yield memoryview(data)[at[column.offset] : at[column.offset + len(column)]]


def judge(batches, program, flags):
    """One partition: blocks of whole connections, in order, as batches of one column."""
    import pyarrow as pa

    def batch(lines):
        rows = [json.loads(line) for line in lines]
        keys = [row.get("facts") or row.get("part", {}).get("facts") for row in rows]
        return pa.RecordBatch.from_arrays(
            [pa.array(keys, pa.string()), pa.array([row["type"] for row in rows]), pa.array(lines)], ["facts", "type", "line"]
        )

    found = []
    for line in audit(buffers(batches), [binary(program), "audit", "--no-progress", *flags, "--facts", "-"]):
        found.append(line)
        if len(found) == 10_000:
            yield batch(found)
            found = []
    if found:
        yield batch(found)


# --- putting the parts together ---------------------------------------------------------------------------------------------


def source_order(name):
    """Sources sort as a folder is walked: names step by step, and of one log its rotated parts oldest first."""
    part = re.fullmatch(r"(.*[^/])[.-]([0-9]+)(\.gz|\.zst|\.bz2|\.xz)?", name, re.DOTALL)
    if not part:
        ordered = name + "\x03"
    elif len(part[2]) > 5:
        ordered = f"{part[1]}\x02{part[2]}"
    else:
        ordered = f"{part[1]}\x02{99999 - int(part[2]):05}"
    return ordered.replace("/", "\x01").encode("utf-8", "surrogateescape")


def twice(sources):
    """Sources whose content another source before them has: they are judged once."""
    first, again = {}, {}
    for source in sorted(sources, key=lambda source: source_order(source["source"])):
        key = (source["hash"], source["size"])
        if source["hash"] and key in first:
            again[source["source"]] = first[key]
        else:
            first[key] = source["source"]
    return again


# --- the job ----------------------------------------------------------------------------------------------------------------


def lift(spark, logs, made, args):
    """Makes the facts of logs that are new or have changed. Gives, by log, its version and the files of its facts."""
    import pyarrow as pa

    out, program, flags, columns = args.out, args.binary, args.facts_flag, args.columns
    now = {log: made[log] for log in logs if log in made and made[log]["version"] == logs[log]}
    now = {log: one for log, one in now.items() if one["columns"] or not columns}
    fresh = [(log, version) for log, version in logs.items() if log not in now]
    if not fresh:
        return now

    def work(batches):
        for batch in batches:
            for log, version in zip(*[column.to_pylist() for column in batch.columns]):
                said, files = make_facts(binary(program), log, version, f"{out}/facts", flags)
                also = make_facts(binary(program), log, version, f"{out}/columns", flags, "parquet")[1] if columns else []
                yield pa.RecordBatch.from_pydict({"log": [log], "said": [said], "files": [files], "columns": [also]})

    tasks = args.tasks or 4 * spark.sparkContext.defaultParallelism
    todo = spark.createDataFrame(fresh, "log string, version string").repartition(min(len(fresh), tasks))
    for row in todo.mapInArrow(work, "log string, said string, files array<string>, columns array<string>").collect():
        if "passed over" in row.said:
            print(row.said, file=sys.stderr)
        now[row.log] = {"version": logs[row.log], "files": row.files, "columns": row.columns}
    return now


def run(spark, args):
    """The whole job. Gives the exit status of `check`."""
    from pyspark.sql import functions as F

    for reader in ("spark.sql.parquet.columnarReaderBatchSize", "spark.sql.execution.arrow.maxRecordsPerBatch"):
        spark.conf.set(reader, BATCH)
    logs = listed(args.logs)
    kept = f"{args.out}/state.json"
    state = read_json(kept, {"made": {}, "judged": None, "runs": 0, "whole": True})
    made, earlier = lift(spark, logs, state["made"], args), state["made"]
    load = lambda files: spark.read.parquet(*[f"{args.out}/facts/{file}" for file in files])
    facts = load(file for one in made.values() for file in one["files"])
    rows = facts.where("kind = 'source'").select("source", "text").collect()
    sources = [{"source": row.source, **json.loads(row.text)} for row in rows]
    sources.sort(key=lambda source: source_order(source["source"]))
    again = twice(sources)
    if again:
        copies = spark.createDataFrame([(name,) for name in again], "source string")
        facts = facts.join(F.broadcast(copies), "source", "left_anti")
    facts = facts.where("connection is not null")
    before = None
    if state["judged"] and state["whole"] and not again and not args.all:
        # Only connections in logs that came, changed or went are judged again.
        changed = [log for log in {**made, **earlier} if made.get(log) != earlier.get(log)]
        files = [file for log in changed for side in (made, earlier) if log in side for file in side[log]["files"]]
        before = spark.read.format(args.table_format).load(f"{args.out}/{state['judged']}")
        if files:
            touched = load(files).where("connection is not null").select("connection").distinct().cache()
            before = before.join(touched, before.facts == touched.connection, "left_anti")
            facts = facts.join(touched, "connection", "left_semi")
        else:
            facts = facts.limit(0)
    ordered = facts.select("connection", "place", "seq", "rows").repartition(args.partitions, "connection")
    ordered = ordered.sortWithinPartitions("connection", "place", "seq")
    program, flags = args.binary, args.audit_flag
    judged = ordered.select("rows").mapInArrow(lambda batches: judge(batches, program, flags), "facts string, type string, line string")
    if before is not None:
        # The ends of the earlier parts promise what has been judged anew since: one end for what stays is counted here. Clauses
        # are counted over a part, and cannot be taken out of it: a run that judges anew only in part does not tell them.
        before = before.where("type not in ('judged', 'occasion', 'breach')").cache()
        judged = judged.where("type not in ('occasion', 'breach')")
        count = {row.type: row["count"] for row in before.groupBy("type").count().collect()}
        end = {"type": "judged", "connections": count.get("connection", 0), "messages": 0, "findings": count.get("finding", 0)}
        one = spark.createDataFrame([(None, "judged", json.dumps(end))], "facts string, type string, line string")
        judged = judged.unionByName(before).unionByName(one)
    state["runs"] += 1
    table = f"judged/{state['runs']}"
    judged.write.format(args.table_format).mode("overwrite").save(f"{args.out}/{table}")
    judged = spark.read.format(args.table_format).load(f"{args.out}/{table}")
    status, undecidable = finish(judged, sources, again, args)
    # What is undecidable is counted over connections together: then all are judged again next time, as in a database.
    folders = (("facts", "files"), ("columns", "columns"))
    kept_files = {f"{folder}/{file}" for one in made.values() for folder, what in folders for file in one[what]}
    gone = [f"{folder}/{file}" for one in earlier.values() for folder, what in folders for file in one[what]]
    gone = [file for file in gone if file not in kept_files]
    last, state = state["judged"], {**state, "made": made, "judged": table, "whole": not undecidable}
    write_whole(kept, json.dumps(state))
    for path in gone + ([last] if last else []):
        remove(f"{args.out}/{path}")
    return status


def finish(judged, sources, again, args):
    """Has the binary put the parts together and print them, as `check` would have. Gives its exit status, and whether some rule was
    not decidable."""
    program, undecidable = binary(args.binary), False
    with tempfile.TemporaryDirectory() as folder:
        parts, answer, sarif = (os.path.join(folder, name) for name in ("parts.jsonl", "findings.jsonl", "findings.sarif"))
        with open(parts, "w", encoding="utf-8") as file:
            for source in sources:
                if source["source"] in again:
                    print(f"{source['source']}: the same as {again[source['source']]}, judged once", file=sys.stderr)
                    # A source without a format is one that was passed over, in the words of `check`.
                    source = {"source": source["source"], "reason": "its content is that of another file, which was read"}
                file.write(json.dumps({"type": "source", **source}) + "\n")
            for row in judged.select("type", "line").toLocalIterator():
                undecidable |= row.type == "undecidable"
                file.write(row.line + "\n")
        command = [program, "audit", "--findings", parts, "--format", "jsonl", "-o", answer, *args.print_flag]
        if args.sarif:
            command += ["--report", f"sarif={sarif}"]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if not os.path.exists(answer):
            raise Failed(f"rpctape audit --findings ended with {run.returncode}: {run.stderr.strip()}")
        print(run.stderr, end="", file=sys.stderr)
        for made, kept in ((answer, f"{args.out}/findings.jsonl"), (sarif, args.sarif)):
            if kept and os.path.exists(made):
                with open(made, "rb") as file:
                    write_pieces(kept, iter(lambda: file.read(1 << 20), b""))
    return run.returncode, undecidable


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("logs", nargs="+", help="logs or folders: paths that all executors see, or URLs")
    parser.add_argument("--out", required=True, help="folder or URL for facts, judgements and findings")
    parser.add_argument("--partitions", type=int, default=64, help="in how many parts connections are judged [64]")
    parser.add_argument("--tasks", type=int, help="in how many tasks facts are made [four for each core]")
    parser.add_argument("--binary", help="where rpctape is on the executors [what --files brought, else PATH]")
    parser.add_argument("--table-format", default="parquet", help="parquet, or delta or iceberg where the session has them")
    parser.add_argument("--columns", action="store_true", help="keep facts as columns, too, for questions in SQL (DIR/columns)")
    parser.add_argument("--sarif", help="also write a SARIF report into this file or URL")
    parser.add_argument("--print-flag", action="append", default=[], help="a flag for the last step, such as --fail-on=warning")
    parser.add_argument("--all", action="store_true", help="judge connections again that no new log touches")
    parser.add_argument("--facts-flag", action="append", default=[], help="a flag for `rpctape facts`, such as --tz=+02:00")
    parser.add_argument("--audit-flag", action="append", default=[], help="a flag for `rpctape audit`, such as --ignore=STK")
    args = parser.parse_args(argv)
    args.out = args.out.rstrip("/")
    return args


def main():
    from pyspark.sql import SparkSession

    args = arguments()
    spark = SparkSession.builder.appName("rpctape").getOrCreate()
    status = run(spark, args)
    spark.stop()
    sys.exit(status)


if __name__ == "__main__":
    main()
