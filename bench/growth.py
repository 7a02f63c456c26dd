"""Holds how instructions grow against how work grows: for each dimension a log of N and one of 2 N of it, counted by callgrind.

    cargo build --release && python3 bench/growth.py [--binary target/release/rpctape] [--size 400] [DIMENSION...]

What every run costs, whatever it reads, is counted first and taken off. Exits 1 if twice the work takes more than 2.3 times the instructions, 2 if it could
not be measured. The default is what CI runs; a night is --size 64000."""

import argparse
import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from callgrind import counted

HERE = Path(__file__).resolve().parent
MOST = 2.3
# Twice as many take a step more in every sorted tree, and a rule's first finding loads its page: below this much it is noise.
LEAST = 3_000_000


class Log:
    """Lines of a log, each a millisecond after the one before."""

    def __init__(self, handshake=True):
        self.lines, self.id = [], 0
        if handshake:
            self.hello("s")

    def put(self, way, session="s", raw=None, **members):
        ms = len(self.lines)
        at = f"2026-03-02T{ms // 3600000:02d}:{ms // 60000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}Z"
        message = raw if raw is not None else {"jsonrpc": "2.0"} | members
        self.lines.append({"ts": at, "dir": way, "session": session, "msg": message})

    def hello(self, session):
        info = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "sampling": {}, "tasks": {}}}
        self.put("c2s", session, id=0, method="initialize", params=info | {"clientInfo": {"name": "g", "version": "1"}})
        self.put("s2c", session, id=0, result=info | {"serverInfo": {"name": "g", "version": "1"}})
        self.put("c2s", session, method="notifications/initialized")

    def ask(self, method="tools/call", way="c2s", session="s", **params):
        self.id += 1
        self.put(way, session, id=self.id, method=method, params={"name": "t"} | params)
        return self.id

    def answer(self, id, way="s2c", session="s", **result):
        self.put(way, session, id=id, result={"content": []} | result)

    def cancel(self, id):
        self.put("c2s", method="notifications/cancelled", params={"requestId": id})


def cancels(log, n):
    for _ in range(n):
        log.cancel(log.ask())


def cancels_of_one(log, n):
    id = log.ask()
    for _ in range(n):
        log.cancel(id)


def connections(log, n):
    for at in range(n):
        log.hello(f"s{at}")


def calls(log, n):
    for _ in range(n):
        log.answer(log.ask())


def progress_tokens(log, n):
    for at in range(n):
        id = log.ask(_meta={"progressToken": at})
        log.put("s2c", method="notifications/progress", params={"progressToken": at, "progress": 1})
        log.answer(id)


def progress_of_one(log, n):
    log.ask(_meta={"progressToken": "p"})
    for at in range(n):
        log.put("s2c", method="notifications/progress", params={"progressToken": "p", "progress": at})


def tasks(log, n):
    for at in range(n):
        task = {"taskId": f"t{at}", "status": "working", "createdAt": "2026-03-02T00:00:00Z", "ttl": None}
        log.put("s2c", id=log.ask(task={}), result={"task": task})
        log.put("s2c", method="notifications/tasks/status", params=task | {"status": "completed"})


def ids_in_flight(log, n):
    open = [log.ask() for _ in range(n)]
    for id in reversed(open):
        log.answer(id)


def never_answered(log, n):
    for _ in range(n):
        log.ask()


def methods(log, n):
    for at in range(n):
        log.answer(log.ask(f"x/method{at}"))


def tools(log, n):
    for at in range(n):
        log.answer(log.ask(name=f"tool{at}"))


def nested(log, n):
    open = []
    for at in range(n):
        open.append((log.ask(way="s2c" if at % 2 else "c2s", method="sampling/createMessage" if at % 2 else "tools/call"), at % 2))
    for id, inner in reversed(open):
        log.answer(id, "c2s" if inner else "s2c")


def findings(log, n):
    for _ in range(n):
        id = log.ask()
        log.answer(id)
        log.answer(id)


def unknown_ids(log, n):
    for at in range(n):
        log.answer(f"u{at}")


def batch_members(log, n):
    log.put("c2s", raw=[{"jsonrpc": "2.0", "id": f"b{at}", "method": "ping"} for at in range(n)])
    log.put("s2c", raw=[{"jsonrpc": "2.0", "id": f"b{at}", "result": {}} for at in range(n)])


def malformed(log, n):
    for _ in range(n):
        log.put("c2s", id={}, method=5)


def members(log, n):
    log.answer(log.ask(arguments={f"k{at}": at for at in range(n)}))


def labels(log, n):
    """One text with names that speak of secrets, as a source file, a log or a file of settings has them."""
    log.answer(log.ask(), text="".join(f"let token{at} = self.next_token({at});\nKEY_{at}='{at}' password: x{at}, token is `{at}` " for at in range(n)))


def depth(log, n):
    log.put("c2s", id="d", method="x", params=json.loads("[" * 400 + "]" * 400))
    for _ in range(n // 100):
        log.put("c2s", method="x", params=json.loads("[" * 400 + "]" * 400))


DIMENSIONS = [calls, cancels, cancels_of_one, connections, progress_tokens, progress_of_one, tasks, ids_in_flight, never_answered,
              methods, tools, nested, findings, unknown_ids, batch_members, malformed, members, labels, depth]


# Commands beside `check`, and the dimensions in which each was once slower than its work.
BESIDE = {
    "diff LOG LOG": ["findings", "tasks", "members"],
    "export LOG --as otlp": ["connections"],
    "export LOG --as perfetto": ["never_answered"],
    "formats --explain LOG": ["connections"],
    "replay LOG --dry-run -- x": ["calls"],
    "why LOG --at 00:00:00": ["connections"],
    "stats LOG": ["cancels_of_one"],
    "scrub LOG -o -": ["labels"],
}


def header_lines(n):
    """Content-Length blocks of sixteen header lines each: one of hundreds is no block any more."""
    body = '{"jsonrpc":"2.0","method":"x"}'
    return (f"Content-Length: {len(body)}\r\n" + "X-Header: value\r\n" * 15 + "\r\n" + body) * (n // 16 + 1)


def definitions(n):
    """Symbols in one LSP answer, the other thing that is called by that name."""
    log = Log(handshake=False)
    log.put("c2s", id=1, method="textDocument/definition", params={"textDocument": {"uri": "file:///a"}, "position": {"line": 1, "character": 1}})
    log.put("s2c", id=1, result=[{"uri": f"file:///{at}", "range": {}} for at in range(n)])
    return text(log)


def text(log):
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in log.lines)


def made(dimension, n):
    if dimension in (header_lines, definitions):
        return dimension(n)
    log = Log()
    dimension(log, n)
    return text(log)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", default=HERE.parent / "target/release/rpctape")
    options.add_argument("--size", type=int, default=400)
    options.add_argument("--command", help="only this command, such as `why LOG`; without it, check and what was once too slow")
    options.add_argument("dimension", nargs="*")
    options = options.parse_args()
    every = {dimension.__name__: dimension for dimension in [*DIMENSIONS, header_lines, definitions]}
    unknown = [name for name in options.dimension if name not in every]
    if unknown or not Path(options.binary).exists():
        print(f"growth: there is no {unknown[0] if unknown else options.binary}", file=sys.stderr)
        sys.exit(2)
    runs = {"check LOG": list(every), **({} if options.dimension else BESIDE)}
    if options.command:
        runs = {options.command if "LOG" in options.command else f"{options.command} LOG": list(every)}

    def cost(command, name, n):
        with tempfile.TemporaryDirectory() as work:
            log = Path(work, f"{name}.jsonl")
            log.write_text(made(every[name], n), encoding="utf-8", newline="")
            return counted([options.binary, *(log if word == "LOG" else word for word in command.split())])

    def twice(what):
        command, name = what
        return cost(command, name, options.size), cost(command, name, 2 * options.size)

    over = []
    work = [(command, name) for command, dimensions in runs.items() for name in options.dimension or dimensions]
    # Instructions are counted, so that what runs beside makes no difference.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        none = dict(zip(runs, pool.map(lambda command: cost(command, "calls", 2), runs)))
        for (command, name), (once, both) in zip(work, pool.map(twice, work)):
            growth = (both - none[command]) / max(once - none[command], LEAST)
            bad = growth > MOST
            shown = f"{command.split()[0]} {name}"
            print(f"{'OVER' if bad else 'ok  '} {shown:24} {once / 1e6:9.1f} {both / 1e6:9.1f} million   x {growth:.2f}", flush=True)
            over += [shown] if bad else []
    if over:
        print(f"growth: {', '.join(over)} grow faster than the work", file=sys.stderr)
        sys.exit(1)


main()
