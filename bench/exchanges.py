"""What a record of an HTTP exchange costs: the same calls once as records that hold a request with its response, once as a message
a line, both read and judged under callgrind by `ingest`, or by `check`, which keeps nothing.

    cargo build --release && python3 bench/exchanges.py [--binary target/release/rpctape] [--command ingest] [--calls 3000] [--most 1.5]

Exits 1 if a record takes more than --most times its two messages, 2 if it could not be measured."""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from callgrind import counted

HERE = Path(__file__).resolve().parent
WORDS = "the of file error line result request server client tool open read write path value index table node list".split()


def calls(count):
    """A handshake and calls: request, answer, and when each was sent, in milliseconds."""
    dice = random.Random(1)
    text = lambda: " ".join(dice.choice(WORDS) for _ in range(dice.randint(20, 400)))
    info = {"protocolVersion": "2025-11-25", "capabilities": {}}
    yield {"id": 0, "method": "initialize", "params": info | {"clientInfo": {"name": "b", "version": "1"}}}, {
        "id": 0, "result": info | {"capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}}, 0
    yield {"method": "notifications/initialized"}, None, 50
    for id in range(1, count):
        ask = {"id": id, "method": "tools/call", "params": {"name": "search", "arguments": {"query": text()}}}
        yield ask, {"id": id, "result": {"content": [{"type": "text", "text": text()}], "isError": False}}, 100 * id


def stamp(ms):
    return f"2026-03-02T{ms // 3600000:02d}:{ms // 60000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}Z"


def whole(message):
    return {"jsonrpc": "2.0"} | message


def lines(count):
    for ask, answer, ms in calls(count):
        yield {"ts": stamp(ms), "dir": "c2s", "session": "s-1", "msg": whole(ask)}
        if answer:
            yield {"ts": stamp(ms + 30), "dir": "s2c", "session": "s-1", "msg": whole(answer)}


def records(count, packed):
    """Bodies as objects, or packed into strings as most gateways keep them."""
    body = (lambda message: json.dumps(whole(message), separators=(",", ":"))) if packed else whole
    for ask, answer, ms in calls(count):
        request = {"method": "POST", "path": "/mcp", "headers": {"mcp-session-id": "s-1"}, "body": body(ask)}
        response = {"status": 200, "body": body(answer)} if answer else {"status": 202}
        yield {"started_at": stamp(ms), "ended_at": stamp(ms + 30), "request": request, "response": response}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", default=HERE.parent / "target/release/rpctape")
    options.add_argument("--command", choices=["ingest", "check"], default="ingest")
    options.add_argument("--calls", type=int, default=3000)
    options.add_argument("--most", type=float, default=1.5)
    options = options.parse_args()
    if not Path(options.binary).exists():
        print(f"exchanges: no program at {options.binary}", file=sys.stderr)
        sys.exit(2)
    over = False
    with tempfile.TemporaryDirectory() as work:
        def cost(name, made):
            """Of what the log holds, without what every run costs."""
            log = Path(work, f"{name}.jsonl")
            def of(count):
                log.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in made(count)), encoding="utf-8")
                kept = ["--db", Path(work, f"{name}-{count}.db")] if options.command == "ingest" else []
                return counted([Path(options.binary).resolve(), options.command, log, *kept, "--no-progress"])
            return of(options.calls) - of(30)

        plain = cost("lines", lines)
        for name, packed in [("objects", False), ("strings", True)]:
            ratio = cost(name, lambda count: records(count, packed)) / plain
            print(f"{'ok  ' if ratio <= options.most else 'OVER'} a record with bodies as {name:8} x {ratio:.2f} of its messages in lines")
            over |= ratio > options.most
    sys.exit(1 if over else 0)


main()
