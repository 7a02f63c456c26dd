"""`rpctape mcp` with the client of the official SDK for Python, over pipes and over HTTP: every tool is listed and called, a long query is
cancelled, and the session, recorded by `rpctape record`, is audited: nothing may be found. Usage: try.py RPCTAPE FOLDER
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import time

import httpx2 as httpx
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

BINARY, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
LOGS = "samples/mcp"
ENDLESS = "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c"
CALLS = {
    "ls": {"log": "."},
    "check": {"log": "bad.jsonl"},
    "why": {"log": "bad.jsonl"},
    "show": {"log": "bad.jsonl", "request": "#4"},
    "stats": {"log": "bad.jsonl"},
    "explain": {"rule": "CAN010"},
    "query": {"log": "bad.jsonl", "sql": "select count(*) as n from messages"},
    "diff": {"old": "bad.jsonl", "new": "bad.jsonl"},
}


async def talk(session: ClientSession) -> None:
    await session.initialize()
    listed = {tool.name for tool in (await session.list_tools()).tools}
    assert listed == set(CALLS), listed
    for name, arguments in CALLS.items():
        answer = await session.call_tool(name, arguments)
        assert not getattr(answer, "is_error", getattr(answer, "isError", False)), answer
    assert (await session.list_resources()).resources
    heard = asyncio.Event()

    async def progress(*_: object) -> None:
        heard.set()

    query = asyncio.ensure_future(session.call_tool("query", {"log": "bad.jsonl", "sql": ENDLESS}, progress_callback=progress))
    await asyncio.wait_for(heard.wait(), 30)
    assert queries(), "the query does not run"
    query.cancel()
    began = time.monotonic()
    try:
        await query
    except asyncio.CancelledError:
        pass
    while queries():
        assert time.monotonic() - began < 1.5, "a cancelled query goes on"
        await asyncio.sleep(0.02)
    print(f"a cancelled query ended after {time.monotonic() - began:.2f} s")
    assert not (await session.call_tool("explain", CALLS["explain"])).content == []


def queries() -> "list[str]":
    """Processes of this program that work on the endless query."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.startswith(BINARY) and "with recursive c(n)" in line]


def audited(recording: pathlib.Path) -> None:
    ran = subprocess.run([BINARY, "check", recording, "--format", "jsonl", "--fail-on", "note"], capture_output=True, text=True)
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    summary = found[-1]
    assert ran.returncode == 0 and len(found) == 1, ran.stdout + ran.stderr
    assert summary["cancels"] == 1, summary
    print(f"{recording.name}: {summary['messages']} messages, 0 findings")


async def over_pipes() -> None:
    recording = WORK / "stdio.rec.jsonl"
    args = ["record", "-o", str(recording), "--", BINARY, "mcp", LOGS]
    async with stdio_client(StdioServerParameters(command=BINARY, args=args)) as (read, write):
        async with ClientSession(read, write) as session:
            await talk(session)
    audited(recording)


def opened(*args: str) -> "tuple[subprocess.Popen[str], str]":
    process = subprocess.Popen([BINARY, *args], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        found = re.search(r"http://[0-9.:]+", line)
        if found:
            return process, found[0]
    raise RuntimeError("it does not listen")


async def batched(client: httpx.AsyncClient, address: str) -> None:
    """An array of requests, in the revision that has them, is answered by one array."""
    def request(number: int, method: str, params: "dict[str, object]") -> "dict[str, object]":
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}

    head = {"Accept": "application/json, text/event-stream"}
    about = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "try", "version": "1"}}
    begun = await client.post(address, json=request(1, "initialize", about), headers=head)
    head["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
    told = await client.post(address, json=[{"jsonrpc": "2.0", "method": "notifications/initialized"}], headers=head)
    assert told.status_code == 202, told
    asked = [request(2, "ping", {}), request(3, "tools/call", {"name": "explain", "arguments": {"rule": "CAN010"}})]
    answer = await client.post(address, json=asked, headers=head)
    text = answer.text.split("data: ", 1)[-1]
    assert sorted(one["id"] for one in json.loads(text)) == [2, 3], answer.text
    assert (await client.delete(address, headers=head)).status_code == 200


async def over_http() -> None:
    recording = WORK / "http.rec.jsonl"
    server, address = opened("mcp", LOGS, "--listen", "0")
    proxy, through = opened("record", "-o", str(recording), "--http", f"{address}/mcp", "--listen", "127.0.0.1:0")
    try:
        async with httpx.AsyncClient() as plain:
            for head, status in [
                ({"Origin": "http://evil.example"}, 403),
                ({"Host": "evil.example"}, 403),
                ({"MCP-Protocol-Version": "1999-01-01"}, 400),
            ]:
                strange = await plain.post(f"{address}/mcp", json={}, headers=head)
                assert strange.status_code == status, (head, strange)
            await batched(plain, f"{address}/mcp")
        async with streamable_http_client(f"{through}/mcp") as (read, write, *_):
            async with ClientSession(read, write) as session:
                await talk(session)
    finally:
        for process in (proxy, server):
            process.terminate()
        began = time.monotonic()
        codes = [process.wait(10) for process in (proxy, server)]
        assert time.monotonic() - began < 5, codes
    audited(recording)


asyncio.run(over_pipes())
asyncio.run(over_http())
