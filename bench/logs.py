"""Logs to measure with: MCP traffic of many sessions in one file, the same bytes for the same arguments, and the counts that a right
answer has. `python3 bench/logs.py mixed 10000000 1 OUT` writes one."""

import heapq
import json
import random
import sys

WORDS = "the of file error line result request server client tool open read write path value index table node list of a to in".split()
TOOLS = ["search", "read_file", "list_issues", "run_query", "fetch", "edit"]


class Session:
    """One client and one server; gives its records one after the other, each with its time in milliseconds."""

    def __init__(self, number, profile, dice):
        self.name, self.profile, self.dice = f"s-{number:05d}", profile, dice
        self.at, self.next_id, self.due = (number % 50 if profile == "many" else number) * 20, 0, []
        self.counts = dict.fromkeys(("requests", "answers", "cancels", "unanswered", "late_results"), 0)
        self.records = self.play()

    def text(self, length):
        words, size = [], 0
        while size < length:
            words.append(self.dice.choice(WORDS) + ("\n" if self.dice.random() < 0.08 else ""))
            size += len(words[-1]) + 1
        return " ".join(words)

    def size(self):
        if self.profile in ("small", "many"):
            return self.dice.randint(20, 120)
        return min(int(self.dice.paretovariate(0.7) * 120), 100_000)

    def client(self, wait, **members):
        self.at += wait
        return self.at, "c2s", members

    def server(self, wait, **members):
        self.at += wait
        return self.at, "s2c", members

    def ask(self, method, params):
        self.next_id += 1
        self.counts["requests"] += 1
        return self.next_id, self.client(self.dice.randint(1, 400), id=self.next_id, method=method, params=params)

    def answer(self, id, result, wait=None):
        self.counts["answers"] += 1
        return self.server(self.dice.randint(2, 60) if wait is None else wait, id=id, result=result)

    def play(self):
        info = {"protocolVersion": "2025-11-25", "capabilities": {}}
        id, asked = self.ask("initialize", info | {"clientInfo": {"name": "bench", "version": "1"}})
        yield asked
        yield self.answer(id, info | {"serverInfo": {"name": "bench-server", "version": "1"}})
        yield self.client(1, method="notifications/initialized")
        while True:
            yield from self.list() if self.profile == "lists" else self.call()

    def list(self):
        schema = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
        tools = [{"name": tool, "description": self.text(200), "inputSchema": schema} for tool in TOOLS]
        id, asked = self.ask("tools/list", {})
        yield asked
        yield self.answer(id, {"tools": tools})

    def call(self):
        dice, token = self.dice, self.next_id + 1
        arguments = {"query": self.text(self.size() // 4), "limit": dice.randint(1, 50)}
        meta = {"_meta": {"progressToken": token}} if dice.random() < 0.2 else {}
        id, asked = self.ask("tools/call", {"name": dice.choice(TOOLS), "arguments": arguments} | meta)
        yield asked
        if meta:
            for step in range(dice.randint(1, 3)):
                yield self.server(5, method="notifications/progress", params={"progressToken": token, "progress": step + 1})
        fate = dice.random()
        result = {"content": [{"type": "text", "text": self.text(self.size())}], "isError": False}
        if fate < 0.003:
            self.counts["unanswered"] += 1
        elif fate < 0.02:
            self.counts["cancels"] += 1
            yield self.client(3, method="notifications/cancelled", params={"requestId": id, "reason": "not needed any more"})
            if fate < 0.01:
                self.counts["late_results"] += 1
                yield self.answer(id, result)
        elif fate < 0.04:
            self.counts["answers"] += 1
            yield self.server(9, id=id, error={"code": -32602, "message": self.text(30)})
        else:
            yield self.answer(id, result)


def stamp(ms):
    seconds = ms // 1000
    return f"2026-03-{2 + seconds // 86400:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{ms % 1000:03d}Z"


def write(profile, size, seed, path):
    """Writes a log of about `size` bytes; gives its counts. Every call is whole: the file ends when all sessions have ended theirs.
    `many` is as `small`, with a session for every 2,000 bytes, all of them open at a time."""
    count = size // 2_000 if profile == "many" else max(4, size // 500_000)
    sessions = [Session(number, profile, random.Random(f"{profile} {seed} {number}")) for number in range(count)]
    waiting = [(next(session.records), number) for number, session in enumerate(sessions)]
    heap = [(record[0], number, record) for record, number in waiting]
    heapq.heapify(heap)
    written = 0
    with open(path, "w", encoding="utf-8") as out:
        while heap:
            at, number, (_, direction, members) = heapq.heappop(heap)
            session = sessions[number]
            record = {"ts": stamp(at), "dir": direction, "session": session.name, "msg": {"jsonrpc": "2.0"} | members}
            written += out.write(json.dumps(record, separators=(",", ":")) + "\n")
            before = session.counts["requests"]
            following = next(session.records)
            if written >= size and session.counts["requests"] > before:
                session.counts["requests"] -= 1
                continue
            heapq.heappush(heap, (following[0], number, following))
    return {key: sum(session.counts[key] for session in sessions) for key in sessions[0].counts}


if __name__ == "__main__":
    print(json.dumps(write(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])))
