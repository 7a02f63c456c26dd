"""Traffic with everything that makes a figure go wrong: python3 traffic.py SEED FILE

A clock that is set back, ids of every shape and null, names that are none, reasons that are no strings, cancels twice, too early
and too late, progress before and after a cancel, partial results, bytes that are no JSON, arrays, errors without a code, turns of which
one cancel ends two, a last line that is cut off.
"""

import json
import random
import sys
from datetime import datetime, timedelta, timezone


def main(seed, path):
    rng = random.Random(int(seed))
    protocol = rng.choice(["mcp", "lsp", "acp"])
    at = datetime(2026, 4, 12, 23, 58, 30, tzinfo=timezone(timedelta(minutes=rng.choice([0, 120, -330]))))
    lines, open_requests, used, turns = [], [], 0, []

    def put(side, message=None, raw=None):
        nonlocal at
        at += timedelta(milliseconds=rng.choice([1, 3, 20, 400, 2500]))
        if rng.random() < 0.02:
            at -= timedelta(seconds=rng.choice([1, 40]))
        record = {"ts": at.isoformat(timespec="milliseconds"), "dir": side}
        if raw is None:
            record["msg"] = message
        else:
            record["raw"] = raw
        if all("raw" in line for line in lines[:1]) != (raw is not None) and lines:
            record.pop("msg", None)
            record["raw"] = raw if raw is not None else json.dumps(message)
        lines.append(record)

    def raw(side, message):
        put(side, raw=message if isinstance(message, str) else json.dumps(message))

    begin = {
        "mcp": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}},
        "lsp": {"processId": 1, "rootUri": None, "capabilities": {}},
        "acp": {"protocolVersion": 1, "clientCapabilities": {}},
    }[protocol]
    answer = {
        "mcp": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
        "lsp": {"capabilities": {"hoverProvider": True}},
        "acp": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []},
    }[protocol]
    raw("c2s", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin})
    raw("s2c", {"jsonrpc": "2.0", "id": 0, "result": answer})
    if protocol != "acp":
        raw("c2s", {"jsonrpc": "2.0", "method": "notifications/initialized" if protocol == "mcp" else "initialized", "params": {}})
    methods = {
        "mcp": ["tools/call", "prompts/get", "resources/read", "tools/list"],
        "lsp": ["textDocument/hover", "workspace/executeCommand", "textDocument/references"],
        "acp": ["fs/read_text_file", "session/new", "session/list"],
    }[protocol]
    way = {"mcp": ("notifications/cancelled", "requestId"), "lsp": ("$/cancelRequest", "id"), "acp": ("$/cancel_request", "requestId")}[protocol]
    for _ in range(rng.choice([40, 150, 400])):
        what = rng.random()
        if protocol == "acp" and rng.random() < 0.3:
            # Turns: prompts of two sessions, some at once, updates, cancels, and how they end.
            session = rng.choice(["s1", "s2"])
            step = rng.choice(["prompt", "update", "update", "cancel", "end", "end"])
            if step == "prompt":
                used += 1
                turns.append((session, used))
                raw("c2s", {"jsonrpc": "2.0", "id": used, "method": "session/prompt", "params": {"sessionId": session, "prompt": []}})
            elif step == "update":
                update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
                raw("s2c", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
            elif step == "cancel":
                raw("c2s", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
            elif turns:
                _, id = turns.pop(rng.randrange(len(turns)))
                raw("s2c", {"jsonrpc": "2.0", "id": id, "result": {"stopReason": rng.choice(["cancelled", "end_turn"])}})
        elif what < 0.4 or not open_requests:
            used += 1
            id = rng.choice([used, f"r-{used}", f"call {used}", f"7c9e{used:04}-7425", f"ü{used}"])
            name = rng.choice(["search", "index", 7, None, {"a": 1}, "é\u202e"])
            side = "c2s" if protocol != "acp" or rng.random() < 0.5 else "s2c"
            method = rng.choice(methods)
            params = {"name": name, "command": name, "workDoneToken" if protocol == "lsp" else "_meta": f"t{used}" if protocol == "lsp" else {"progressToken": f"t{used}"}}
            raw(side, {"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            open_requests.append((side, id, f"t{used}"))
        elif what < 0.5:
            side, id, token = rng.choice(open_requests)
            other = "s2c" if side == "c2s" else "c2s"
            if protocol == "mcp":
                raw(other, {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": used}})
            elif protocol == "lsp":
                raw(other, {"jsonrpc": "2.0", "method": "$/progress", "params": {"token": token, "value": {"kind": "report"}}})
        elif what < 0.65:
            side, id, _ = rng.choice(open_requests)
            params = {way[1]: rng.choice([id] * 6 + ["nobody", None])}
            reason = rng.choice([None, None, "timeout", 17, {"why": "x"}, ["a"]])
            if reason is not None:
                params["reason"] = reason
            raw(side, {"jsonrpc": "2.0", "method": way[0], "params": params})
        elif what < 0.68:
            raw(rng.choice(["c2s", "s2c"]), rng.choice(["{not json", "17", '{"jsonrpc":"2.0"}', '"text"']))
        elif what < 0.69:
            raw("c2s", {"jsonrpc": "2.0", "id": None, "method": "ping"})
        else:
            side, id, _ = open_requests.pop(rng.randrange(len(open_requests)))
            body = rng.choice([{"result": {}}, {"result": None}, {"error": {"code": -32000, "message": "no"}}, {"error": {"message": "no code"}}, {"error": {"code": -32800, "message": "cancelled"}}])
            raw("s2c" if side == "c2s" else "c2s", {"jsonrpc": "2.0", "id": id, **body})
    with open(path, "w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(line) + "\n")
        if rng.random() < 0.3:
            out.write(json.dumps(lines[-1])[:-9])


main(sys.argv[1], sys.argv[2])
