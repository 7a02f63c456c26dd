"""A second opinion on every figure that rpctape prints, from nothing but the lines of a log.

    python3 figures.py RPCTAPE LOG...

Reads JSON Lines (bare messages, or wrapped in objects with a direction) and recordings of rpctape's own, pairs requests with
answers and cancels by the definitions in docs/figures.md, and holds what it finds against `check`, `ls`, `stats`, `why`, the views and
the exports. Whether a rule proves that a cancel was not honoured is the one thing that is not judged here once more: of the columns of
`stats` that hang on it (ack, due, crossed, ignored, and silent) the sum is held against ours, and silent against the most that it can be.
Prints every disagreement, and exits with 1 where there is one.
"""

import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime, timezone

DIRECTIONS = {"c2s": "client", "s2c": "server", "client->server": "client", "server->client": "server", "c": "client", "s": "server"}
CANCELS = {"notifications/cancelled": "requestId", "$/cancelRequest": "id", "$/cancel_request": "requestId", "session/cancel": "sessionId"}
OWN = {"mcp": ["notifications/cancelled"], "lsp": ["$/cancelRequest"], "acp": ["$/cancel_request", "session/cancel"], "jsonrpc": []}
NAMED = {"tools/call": "name", "prompts/get": "name", "workspace/executeCommand": "command"}
CANCELLED = -32800
csv.field_size_limit(1 << 30)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def rfc3339(text):
    """Microseconds since the epoch; digits beyond the sixth are cut."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:?\d\d)?", text)
    if not found:
        return None
    day, clock, digits, zone = found.groups()
    whole = datetime.fromisoformat(f"{day}T{clock}+00:00") - EPOCH
    us = (whole.days * 86400 + whole.seconds) * 1_000_000 + int(((digits or "") + "000000")[:6])
    if zone and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        us -= (1 if zone[0] == "+" else -1) * minutes * 60_000_000
    return us


def written(us):
    return datetime.fromtimestamp(us // 1_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{us % 1_000_000:06d}Z"


def log_value(text):
    """The JSON value of a text, and the text itself where it is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


class Message:
    def __init__(self, text, value, sender, at, line, connection, first=None):
        self.text, self.value, self.sender, self.at, self.line, self.connection = text, value, sender, at, line, connection
        self.written = first
        v = value if isinstance(value, dict) else {}
        self.id = v.get("id")
        self.has_id = "id" in v
        self.method = v.get("method") if isinstance(v.get("method"), str) else None
        params = v.get("params")
        self.params = params if isinstance(params, dict) else {}
        self.error = v.get("error") if isinstance(v.get("error"), dict) else None
        answer = "result" in v or "error" in v
        if not isinstance(value, dict):
            self.kind = "malformed"
        elif self.method is not None:
            self.kind = "request" if self.has_id else "notification"
        elif "method" in v:
            self.kind = "malformed"
        elif answer:
            self.kind = "error" if "error" in v else "result"
        elif self.has_id:
            # An answer that says neither: it ends its request all the same.
            self.kind = "error"
        else:
            self.kind = "malformed"

    def key(self):
        return (type(self.id).__name__, json.dumps(self.id))


class Log:
    """The messages of one file, in their order."""

    def __init__(self, path):
        self.path, self.messages = path, []
        # The time of each record, also of those that hold no message.
        self.times = []
        self.ok = True
        text = open(path, "rb").read().decode("utf-8", "replace")
        lines = text.split("\n")
        head = self.load(lines[0]) if lines else None
        if isinstance(head, dict) and head.get("rec") == 1:
            self.recording(head, lines[1:])
        else:
            self.wrapped(lines)
        if not self.messages:
            self.ok = False

    @staticmethod
    def load(text):
        try:
            return json.loads(text)
        except ValueError:
            return None

    def add(self, text, sender, at, line, connection, spelled):
        value = self.load(text)
        if not isinstance(value, (dict, list)):
            # Bytes that are no JSON, and JSON that can be no message, are gaps in what the log shows.
            return
        members = value if isinstance(value, list) else [value]
        for member in members:
            raw = text if member is value else json.dumps(member)
            self.messages.append(Message(raw, member, sender, at, line, connection, spelled))

    def wrapped(self, lines):
        for number, line in enumerate(lines, 1):
            record = self.load(line)
            if not isinstance(record, dict) or "meta" in record or "ev" in record:
                # A last line without its end is cut off.
                self.ok &= not line.strip() or isinstance(record, dict) or number == len(lines)
                continue
            sender = DIRECTIONS.get(record.get("dir"))
            if sender is None:
                self.ok = False
                continue
            text = record["raw"] if "raw" in record else json.dumps(record.get("msg"))
            spelled, at = record.get("ts"), None
            if isinstance(spelled, str):
                at = rfc3339(spelled)
            elif "t" in record:
                at = round(record["t"] * 1000)
            if at is not None:
                self.times.append(at)
            extra = set(record) - {"ts", "dir", "msg", "raw", "t", "n", "stream", "conn", "session"}
            self.ok &= not extra
            self.add(text, sender, at, number, record.get("conn", record.get("session", 1)), spelled)

    def recording(self, head, lines):
        start = rfc3339(head["t0"])
        for number, line in enumerate(lines, 2):
            event = self.load(line)
            if isinstance(event, dict) and event.get("k", "msg") == "msg" and "b" in event:
                at = start + event["t"] if "t" in event else None
                self.add(event["b"], DIRECTIONS[event["d"]], at, number, event["c"], None)


class Exchange:
    def __init__(self, request):
        self.request, self.answer, self.cancels, self.signs = request, None, [], []
        self.superseded, self.guessed = False, False
        # Where a turn goes on after the answer: the report that it is over.
        self.idle = None
        self.partial = False
        name = request.params.get(NAMED.get(request.method, ""))
        self.name = name if isinstance(name, str) else None

    def latency(self):
        if self.answer is None or self.answer.at is None or self.request.at is None:
            return None
        took = self.answer.at - self.request.at
        return took if took >= 0 else None


class Connection:
    """Pairs the messages of one connection."""

    def __init__(self, messages, row):
        self.messages, self.protocol, self.revision = messages, row["protocol"], row["revision"]
        self.exchanges, self.live, self.done, self.cancels = [], {}, {}, []
        self.tokens, self.prompts = {}, defaultdict(list)
        for message in messages:
            self.take(message)

    def take(self, m):
        if m.kind == "request":
            self.ask(m)
        if m.method in CANCELS:
            self.cancel(m)
        elif m.kind == "notification":
            self.sign(m)
        if m.kind in ("result", "error"):
            self.answer(m)

    def ask(self, m):
        if m.id is None or isinstance(m.id, (bool, list, dict)) or m.method in CANCELS:
            return
        exchange = Exchange(m)
        place = (m.sender,) + m.key()
        before = self.live.get(place)
        if before is not None:
            before.superseded = True
        self.live[place] = exchange
        self.exchanges.append(exchange)
        meta = m.params.get("_meta")
        for token in ((meta or {}).get("progressToken") if isinstance(meta, dict) else None, m.params.get("workDoneToken"), m.params.get("partialResultToken")):
            if token is not None:
                self.tokens[(m.sender, json.dumps(token))] = exchange
        if m.method == "session/prompt":
            self.prompts[json.dumps(m.params.get("sessionId"))].append(exchange)

    def answer(self, m):
        asker = "server" if m.sender == "client" else "client"
        exchange = self.live.pop((asker,) + m.key(), None)
        if exchange is None and (asker,) + m.key() not in self.done:
            # An id of the other JSON type settles its twin.
            twin = next((key for key in self.live if key[0] == asker and key[2].strip('"') == m.key()[1].strip('"')), None)
            exchange = self.live.pop(twin, None)
            if exchange is not None:
                exchange.guessed = True
        if exchange is not None:
            exchange.answer = m
            self.done[(asker,) + m.key()] = exchange

    def sign(self, m):
        token = m.params.get("progressToken", m.params.get("token"))
        asker = "server" if m.sender == "client" else "client"
        exchange = self.tokens.get((asker, json.dumps(token)))
        if m.method in ("notifications/progress", "$/progress") and exchange is not None:
            exchange.signs.append(m)
            partial = exchange.request.params.get("partialResultToken")
            step = m.params.get("value")
            of_work = partial == exchange.request.params.get("workDoneToken") and isinstance(step, dict) and step.get("kind") in ("begin", "report", "end")
            exchange.partial |= partial is not None and partial == token and not of_work and exchange.answer is None
        if m.method == "session/update":
            update = m.params.get("update")
            idle = isinstance(update, dict) and update.get("sessionUpdate") == "state_update" and update.get("state") == "idle"
            if not idle:
                for exchange in self.open_turns(m.params.get("sessionId")):
                    exchange.signs.append(m)
            elif self.revision == "2":
                for exchange in self.prompts.pop(json.dumps(m.params.get("sessionId")), []):
                    exchange.idle = m

    def open_turns(self, session):
        """The prompt that an update is of: the newest of those whose turn goes on, to the answer, or from revision 2 on to the report
        that the session is idle."""
        prompts = self.prompts[json.dumps(session)]
        return [exchange for exchange in prompts if not exchange.superseded and (exchange.answer is None or self.revision == "2")][-1:]

    def cancel(self, m):
        dialect = OWN[self.protocol] if not self.revision.startswith("rfd") else ["$/cancelRequest", "$/cancel_request", "session/cancel"]
        own = m.method in dialect and m.kind == "notification"
        named = m.params.get(CANCELS[m.method])
        hits = []
        if own and m.method != "session/cancel" and named is not None:
            place = (m.sender, type(named).__name__, json.dumps(named))
            exchange = self.live.get(place) or self.done.get(place)
            if exchange is None and self.revision >= "2026" and m.sender == "server":
                # From 2026-07-28 on a server ends the subscriptions of its client so.
                exchange = self.live.get(("client",) + place[1:])
                exchange = exchange if exchange and exchange.request.method == "subscriptions/listen" else None
            hits = [exchange] if exchange else []
        self.cancels.append((m, own, named, hits))


    def outcome(self, exchange):
        """What became of a request."""
        answer = exchange.answer
        if answer is None and exchange.superseded:
            return "superseded"
        if answer is None:
            cancelled = any(exchange in hits for _, own, _, hits in self.cancels if own)
            return "silent" if cancelled and self.protocol == "mcp" else "unanswered"
        if answer.kind == "error":
            return "cancelled" if answer.error and answer.error.get("code") == CANCELLED else "error"
        result = answer.value.get("result")
        turn = isinstance(result, dict) and exchange.request.method == "session/prompt" and result.get("stopReason") == "cancelled"
        return "cancelled" if turn else "result"


def percentile(values, percent):
    values = sorted(values)
    if not values:
        return None
    rank = max(1, -(-len(values) * percent // 100))
    return values[rank - 1]


class Check:
    """Holds figures against each other, and counts them."""

    def __init__(self, program):
        self.program, self.compared, self.wrong = program, 0, []

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{args}: {done.stderr}")
        return done.stdout

    def rows(self, log, sql):
        return [json.loads(line) for line in self.run("query", "--no-progress", "--format", "jsonl", log, sql).splitlines()]

    def same(self, what, ours, theirs):
        self.compared += 1
        if ours != theirs:
            self.wrong.append(f"{what}: here {ours!r}, rpctape {theirs!r}")

    def log(self, path):
        log = Log(path)
        if not log.ok:
            print(f"{path}: not in a form that is read here")
            return False
        rows = self.rows(path, "select * from connections order by id")
        if len({row["key"] for row in rows}) != len({m.connection for m in log.messages}):
            print(f"{path}: other connections than the log names")
            return False
        self.listed(path, log, rows)
        self.put_in_order(path, log)
        parts = defaultdict(list)
        for message in log.messages:
            parts[message.connection].append(message)
        pairs = list(zip(rows, (Connection(part, row) for row, part in zip(rows, parts.values()))))
        for row, connection in pairs:
            self.connection(path, row, connection)
        self.checked(path, log, pairs)
        self.stats(path, [connection for _, connection in pairs])
        self.why(path, pairs)
        self.exports(path, log)
        return True

    def put_in_order(self, path, log):
        """A log whose records are out of the order of their own times is read in that of the times, if it is read in another at all."""
        lines = [row["line"] for row in self.rows(path, "select line from messages order by id")]
        if lines != sorted(lines) and all(m.at is not None for m in log.messages):
            log.messages.sort(key=lambda m: m.at)
            ours = [m.line for m in log.messages if m.kind != "malformed"]
            self.same(f"{path} order", ours, [line for line in lines if line in set(ours)])

    def listed(self, path, log, rows):
        listed = json.loads(self.run("ls", "--no-progress", "--redact", "off", "--format", "json", path))["sources"][0]
        real = [m for m in log.messages if m.kind != "malformed"]
        self.same(f"{path} ls messages", len(real), listed["messages"])
        words = {"request": "request", "result": "response", "error": "error-response", "notification": "notification"}
        directions = {"client": "client->server", "server": "server->client"}
        counts = Counter((directions[m.sender], words[m.kind]) for m in real)
        theirs = {(d, k): n for d, kinds in listed["by_direction"].items() for k, n in kinds.items() if n}
        self.same(f"{path} ls by_direction", dict(counts), theirs)
        cancels = Counter((directions[m.sender], m.method) for m in real if m.method in CANCELS and m.kind == "notification")
        theirs = {(c["direction"], c["method"]): c["count"] for c in listed["cancellations"]}
        self.same(f"{path} ls cancellations", dict(cancels), theirs)
        codes = Counter(str(m.error["code"]) for m in real if m.kind == "error" and m.error and type(m.error.get("code")) is int)
        self.same(f"{path} ls error_codes", dict(codes), listed["error_codes"])
        if log.times and all(row["format"].startswith("jsonl") for row in rows):
            spelled = [m.written for m in log.messages if isinstance(m.written, str)]
            if spelled:
                self.same(f"{path} ls first", spelled[0], listed["first"])
                self.same(f"{path} ls last", spelled[-1], listed["last"])
            self.same(f"{path} ls first_at", written(log.times[0]), listed.get("first_at"))
            self.same(f"{path} ls last_at", written(log.times[-1]), listed.get("last_at"))
        for row, told in zip(rows, listed["connections"]):
            for member in ("messages", "requests", "cancels"):
                self.same(f"{path} ls {row['key']} {member}", row[member], told[member])

    def checked(self, path, log, pairs):
        """The counts in the summary of `check`."""
        told = json.loads(self.run("check", "--no-progress", "--format", "json", path))
        summary, real = told["summary"], [m for m in log.messages if m.kind != "malformed"]
        self.same(f"{path} check messages", len(real), summary["messages"])
        self.same(f"{path} check requests", sum(m.kind == "request" for m in real), summary["requests"])
        self.same(f"{path} check connections", len(pairs), summary["connections"])
        self.same(f"{path} check cancels", sum(row["cancels"] for row, _ in pairs), summary["cancels"])
        shown, counts = told["findings"], summary["counts"]
        self.same(f"{path} check findings", len(shown) + summary["not_shown"], counts["findings"])
        for member in ("severity", "certainty"):
            found = Counter(finding[member] for finding in shown)
            self.same(f"{path} check {member}", dict(found), {word: counts[word] for word in found})
        self.same(f"{path} check by_rule", dict(Counter(finding["code"] for finding in shown)), summary["by_rule"])

    def connection(self, path, row, connection):
        name = f"{path} {row['key']}"
        real = [m for m in connection.messages if m.kind != "malformed"]
        self.same(f"{name} messages", len(real), row["messages"])
        self.same(f"{name} requests", sum(m.kind == "request" for m in real), row["requests"])
        shown = self.rows(path, f"select kind, count(*) n from messages where connection_id = {row['id']} group by 1")
        shown = {r["kind"]: r["n"] for r in shown}
        # Whether bytes that are no message should have been one is the reader's to say.
        ours = Counter(m.kind for m in connection.messages)
        self.same(f"{name} view malformed", True, ours.pop("malformed", 0) <= shown.pop("malformed", 0))
        self.same(f"{name} view messages", dict(ours), shown)
        cancels = self.rows(path, f"select * from cancellations where connection_id = {row['id']} order by id")
        # A message that ends two prompts is one cancel, and has two rows.
        self.same(f"{name} cancels", len({cancel["message_id"] for cancel in cancels}), row["cancels"])
        mine = [c for c in connection.cancels if c[1]]
        if connection.protocol != "jsonrpc" and not any(cancel["is_foreign"] for cancel in cancels) and "http" not in row["transport"]:
            self.same(f"{name} cancels by hand", len(mine), row["cancels"])
        rows = self.rows(path, f"select * from exchanges where connection_id = {row['id']} order by id")
        if any(m.kind == "request" and (m.method in CANCELS or isinstance(m.id, (bool, list, dict))) for m in real):
            return
        self.same(f"{name} exchanges", len(connection.exchanges), len(rows))
        used = Counter((exchange.request.sender,) + exchange.request.key() for exchange in connection.exchanges)
        for ours, theirs in zip(connection.exchanges, rows):
            what = f"{name} line {ours.request.line} exchange {json.dumps(ours.request.id)}"
            self.same(f"{what} id", json.dumps(ours.request.id, ensure_ascii=False), json.dumps(json.loads(theirs["rpc_id"]), ensure_ascii=False))
            self.same(f"{what} method", (ours.request.sender, ours.request.method, ours.name), (theirs["issuer"], theirs["method"], theirs["name"]))
            self.same(f"{what} sent", ours.request.at, theirs["sent_at_us"])
            guess = ours.guessed or used[(ours.request.sender,) + ours.request.key()] > 1
            if theirs["response_id"] is None and ours.answer and guess:
                # Whether an answer with an id that was used twice, or of the other type, belongs to this request cannot be seen.
                ours.answer = None
            self.same(f"{what} latency", ours.latency(), theirs["latency_us"])
            if not guess:
                self.same(f"{what} outcome", connection.outcome(ours), theirs["outcome"])
            self.same(f"{what} answered", ours.answer is not None, theirs["response_id"] is not None)
        by_request = {theirs["id"]: ours for ours, theirs in zip(connection.exchanges, rows)}
        connection.told = (rows, cancels, by_request)
        # What became of a cancel, by the id of its row, where that is worked out here.
        connection.effects = {}
        own = [c for c in cancels if not c["is_foreign"] and c["mechanism"] in ("notifications/cancelled", "$/cancelRequest", "$/cancel_request")]
        mine = [c for c in connection.cancels if c[1] and c[0].method != "session/cancel"]
        self.same(f"{name} own cancels", len(mine), len(own))
        for (message, _, named, hits), theirs in zip(mine, own):
            what = f"{name} line {message.line} cancel"
            reason, told = message.params.get("reason"), theirs["reason"]
            if reason is not None and not isinstance(reason, str):
                told = log_value(told)
            self.same(f"{what} reason", reason, told)
            self.same(f"{what} line", message.line, theirs["line"])
            if not hits or theirs["exchange_id"] is None or theirs["effect"] in ("unknown-target", "malformed"):
                self.same(f"{what} names", bool(hits), theirs["effect"] not in ("unknown-target", "malformed"))
                connection.effects[theirs["id"]] = "void"
                continue
            exchange = hits[0]
            self.same(f"{what} hits", exchange.request.line, by_request[theirs["exchange_id"]].request.line)
            delay = None if None in (message.at, exchange.request.at) else message.at - exchange.request.at
            self.same(f"{what} delay", delay if delay is not None and delay >= 0 else None, theirs["delay_us"])
            answer, order = exchange.answer, connection.messages.index
            late = answer is not None and order(answer) > order(message)
            settle = None if not late or None in (answer.at, message.at) else answer.at - message.at
            self.same(f"{what} settle", settle if settle is not None and settle >= 0 else None, theirs["settle_us"])
            connection.effects[theirs["id"]] = self.effect(connection, exchange, late)
            self.same(f"{what} effect", connection.effects[theirs["id"]], theirs["effect"])
        self.turns(name, connection, cancels, by_request)

    def effect(self, connection, exchange, late):
        """What became of a cancel that names a request by its id."""
        answer = exchange.answer
        if answer is None:
            return "silent" if connection.protocol == "mcp" else "unsettled"
        if not late:
            return "moot"
        code = answer.error.get("code") if answer.error else None
        if answer.kind == "error":
            return "acknowledged" if code == CANCELLED else "error"
        return "partial" if exchange.partial else "result"

    def turns(self, name, connection, cancels, by_request):
        """A `session/cancel` hits each prompt of its session that is in flight; one row for each, one that hits none has one row."""
        if connection.protocol != "acp" or connection.revision != "1":
            return
        place, expected = connection.messages.index, []
        for message, own, named, _ in connection.cancels:
            if message.method != "session/cancel" or not own or not isinstance(named, str):
                continue
            asked = [x for x in connection.exchanges if x.request.method == "session/prompt" and x.request.params.get("sessionId") == named]
            open_then = [x for x in asked if place(x.request) < place(message) and (x.answer is None or place(x.answer) > place(message))]
            expected += [(message.line, x.request.line) for x in open_then] or [(message.line, None)]
        told = [c for c in cancels if c["mechanism"] == "session/cancel" and not c["is_foreign"] and c["effect"] != "moot"]
        told = [(c["line"], by_request[c["exchange_id"]].request.line if c["exchange_id"] in by_request else None) for c in told]
        missed = [line for line, request in expected if request is None]
        self.same(f"{name} turns cancelled", sorted(pair for pair in expected if pair[1] is not None), sorted(pair for pair in told if pair[0] not in missed))

    def stats(self, path, connections):
        told = json.loads(self.run("stats", "--no-progress", "--redact", "off", "--format", "json", path))
        if not all(hasattr(connection, "told") for connection in connections):
            return
        groups, outcomes = defaultdict(list), defaultdict(Counter)
        for connection in connections:
            for ours, theirs in zip(connection.exchanges, connection.told[0]):
                key = (ours.request.sender, ours.request.method, ours.name)
                groups[key].append(ours)
                outcomes[key][theirs["outcome"]] += 1
        rows = {(row["side"], row["method"], row["name"]): row for row in told["latency"]}
        self.same(f"{path} stats groups", sorted(map(str, groups)), sorted(map(str, rows)))
        for key, exchanges in groups.items():
            row = rows.get(key)
            if row is None:
                continue
            took = [us for us in (exchange.latency() for exchange in exchanges) if us is not None]
            what = f"{path} stats {key}"
            self.same(f"{what} requests", len(exchanges), row["requests"])
            self.same(f"{what} measured", len(took), row["measured"])
            for member, percent in (("p50_us", 50), ("p95_us", 95), ("p99_us", 99), ("max_us", 100)):
                self.same(f"{what} {member}", percentile(took, percent), row[member])
            count = outcomes[key]
            self.same(f"{what} errors", count["error"], row["errors"])
            self.same(f"{what} open", count["unanswered"], row["unanswered"])
            self.same(f"{what} cancelled", count["cancelled"] + count["silent"], row["cancelled"])
        self.cancel_stats(path, connections, told)

    def cancel_stats(self, path, connections, told):
        groups = defaultdict(lambda: {"n": 0, "settle": [], "work": [], "effects": Counter(), "quiet": 0, "known": True})
        wasted = set()
        for number, connection in enumerate(connections):
            rows, cancels, by_request = connection.told
            names = {row["id"]: row["name"] for row in rows}
            place = {m.line: at for at, m in enumerate(connection.messages)}
            for cancel in cancels:
                name = names.get(cancel["exchange_id"])
                group = groups[(cancel["sender"], cancel["target_method"], name, cancel["reason"])]
                group["n"] += 1
                effect = connection.effects.get(cancel["id"])
                group["known"] &= effect is not None
                group["effects"][effect] += 1
                group["quiet"] += effect == "silent"
                if cancel["settle_us"] is not None:
                    group["settle"].append(cancel["settle_us"])
                exchange = by_request.get(cancel["exchange_id"])
                void = cancel["effect"] in ("unknown-target", "malformed", "moot")
                if exchange is None or cancel["sent_at_us"] is None or void:
                    continue
                at = place.get(cancel["line"], 0)
                # The last sign in the log's order: progress, or an answer that is none to the cancel.
                signs = [sign for sign in exchange.signs if connection.messages.index(sign) > at]
                if cancel["effect"] in ("result", "partial", "error"):
                    signs.append(exchange.idle or exchange.answer)
                signs = [sign for sign in sorted(signs, key=connection.messages.index) if sign.at is not None]
                work = signs[-1].at - cancel["sent_at_us"] if signs else None
                # Where work went on, silence is not what came of a cancel.
                group["quiet"] -= effect == "silent" and work is not None and work > 0
                if work is not None and work >= 0 and (number, cancel["exchange_id"]) not in wasted:
                    wasted.add((number, cancel["exchange_id"]))
                    group["work"].append(work)
        rows = {(row["side"], row["method"], row["name"], row["reason"]): row for row in told["cancels"]}
        self.same(f"{path} stats cancel groups", sorted(map(str, groups)), sorted(map(str, rows)))
        for key, group in groups.items():
            row = rows.get(key)
            if row is None:
                continue
            what = f"{path} stats cancels {key}"
            self.same(f"{what} n", group["n"], row["cancels"])
            columns = ("silent", "acknowledged", "answered", "crossed", "moot", "ignored", "unsettled", "void")
            self.same(f"{what} columns add up", group["n"], sum(row[column] for column in columns))
            self.same(f"{what} wasted", sum(group["work"]), row["wasted_us"])
            if group["known"]:
                effects, judged = group["effects"], ("silent", "acknowledged", "answered", "crossed", "ignored")
                answered = sum(effects[word] for word in ("silent", "acknowledged", "result", "partial", "error"))
                self.same(f"{what} answered or not", answered, sum(row[column] for column in judged))
                for ours, column in (("moot", "moot"), ("unsettled", "unsettled"), ("void", "void")):
                    self.same(f"{what} {column}", effects[ours], row[column])
                self.same(f"{what} silent", True, row["silent"] <= group["quiet"])
                self.same(f"{what} acknowledged", True, row["acknowledged"] <= effects["acknowledged"])
            for kind in ("settle", "work"):
                for member, percent in (("p50", 50), ("p95", 95), ("p99", 99), ("max", 100)):
                    self.same(f"{what} {kind} {member}", percentile(group[kind], percent), row[f"{kind}_{member}_us"])
        if told["shares"]:
            self.same(f"{path} stats shares", sum(group["n"] for group in groups.values()), told["shares"]["cancels"])
            messages = sum(len({cancel["message_id"] for cancel in connection.told[1]}) for connection in connections)
            self.same(f"{path} stats shares messages", messages, told["shares"]["messages"])

    def why(self, path, pairs):
        told = json.loads(self.run("why", "--no-progress", "--redact", "off", "--all", "--format", "json", path))["connections"]
        by_key = {one["connection"]: one for one in told}
        for row, connection in pairs:
            one = by_key.get(row["key"])
            self.same(f"{path} why knows {row['key']}", True, one is not None)
            if one is None or not hasattr(connection, "told"):
                continue
            lines = {exchange.request.line: exchange for exchange in connection.exchanges}
            if len(lines) < len(connection.exchanges):
                continue
            for stuck in one["stuck"] + one["open"]:
                exchange = lines.get(stuck["line"])
                what = f"{path} why line {stuck['line']}"
                if exchange is None:
                    continue
                self.same(f"{what} has no answer", None, exchange.answer and exchange.answer.line)
                self.same(f"{what} since", exchange.request.at, stuck["since_us"])
                end, sent = row["last_at_us"], exchange.request.at
                age = None if None in (end, sent) or end < sent else end - sent
                self.same(f"{what} age", age, stuck["age_us"])
                if "last_life_us" in stuck:
                    self.same(f"{what} last life", exchange.signs[-1].at if exchange.signs else None, stuck["last_life_us"])
            self.same(f"{path} why cancels", len(connection.told[1]), len(one["cancels"]))
            for slow in one["slowest"]:
                self.same(f"{path} why slow line {slow['line']}", lines[slow["line"]].latency(), slow["latency_us"])
            if one["slowest"]:
                took = sorted((us for us in (e.latency() for e in connection.exchanges) if us is not None), reverse=True)
                self.same(f"{path} why slowest", took[:5], [slow["latency_us"] for slow in one["slowest"]])

    def exports(self, path, log):
        lines = self.run("export", "--no-progress", "--as", "jsonl", path).splitlines()
        exported = [json.loads(line) for line in lines]
        exported = [line for line in exported if "dir" in line and "raw" in line and isinstance(log.load(line["raw"]), (dict, list)) and "event" not in line]
        arrays = {m.line for m in log.messages}
        empty = sum(line["raw"].strip() == "[]" for line in exported)
        self.same(f"{path} export jsonl", len(arrays), len(exported) - empty)
        table = list(csv.DictReader(io.StringIO(self.run("export", "--no-progress", "--as", "csv", path))))
        told = self.rows(path, "select count(*) n from messages")[0]["n"]
        self.same(f"{path} export csv", told, len(table))


def main(program, logs):
    check, looked = Check(program), 0
    for path in logs:
        looked += check.log(path)
    for line in check.wrong[:200]:
        print(line)
    print(f"{looked} logs, {check.compared} figures, {len(check.wrong)} disagree")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
