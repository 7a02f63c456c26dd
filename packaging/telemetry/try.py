"""`rpctape export --as otlp --to URL`: what arrives is decoded with OpenTelemetry's own messages and held against the JSON of the same export;
then the same goes to a real collector (rotel, from PyPI), where one can be installed. Usage: try.py RPCTAPE
"""

import base64
import http.server
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

BINARY = sys.argv[1]
LOGS = ["samples/mcp", "samples/lsp", "samples/acp", "samples/faults"]
KINDS = {"resourceSpans": ("/v1/traces", ExportTraceServiceRequest), "resourceLogs": ("/v1/logs", ExportLogsServiceRequest)}


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes everything, but the first request of all is asked to come again."""

    taken: "list[tuple[str, bytes, str]]" = []
    busy = True
    answer = (200, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Content-Type"] == "application/x-protobuf", self.headers
        (status, text), head = Collector.answer, []
        if Collector.busy:
            Collector.busy, status, text, head = False, 503, b"", [("Retry-After", "0")]
        elif status == 200:
            Collector.taken.append((self.path, body, self.headers.get("Authorization", "")))
        self.send_response(status)
        for name, value in head:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


def export(*flags: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([BINARY, "export", *flags, "--as", "otlp"], capture_output=True, text=True, timeout=120)


def in_base64(value: object) -> object:
    """OTLP's JSON has ids in hexadecimal, protobuf's in base64."""
    if isinstance(value, list):
        return [in_base64(one) for one in value]
    if not isinstance(value, dict):
        return value
    ids = {"traceId", "spanId", "parentSpanId"}
    return {key: base64.b64encode(bytes.fromhex(one)).decode() if key in ids else in_base64(one) for key, one in value.items()}


def as_json(log: str) -> "list[tuple[str, object]]":
    messages = []
    for line in export(log).stdout.splitlines():
        told = json.loads(line)
        path, kind = KINDS[next(iter(told))]
        messages.append((path, json_format.ParseDict(in_base64(told), kind())))
    return messages


def decoded(path: str, body: bytes) -> object:
    kind = next(kind for at, kind in KINDS.values() if at == path)
    return kind.FromString(body)


def is_the_same_as_json(address: str) -> None:
    spans = 0
    for log in LOGS:
        Collector.taken.clear()
        sent = export(log, "--to", address, "--header", "Authorization: Bearer x")
        assert sent.returncode == 0 and not sent.stdout, sent
        arrived = [(path, decoded(path, body)) for path, body, _ in Collector.taken]
        assert arrived == as_json(log), log
        assert all(own == "Bearer x" for *_, own in Collector.taken)
        counts = [len(scope.spans) for path, one in arrived if path == "/v1/traces" for all in one.resource_spans for scope in all.scope_spans]
        assert sent.stderr.strip().startswith(f"sent {sum(counts)} spans and "), sent.stderr
        spans += sum(counts)
    print(f"otlp: {spans} spans arrived as protobuf as they stand in JSON")


def says_what_was_not_taken(address: str) -> None:
    refused = ExportTraceServiceResponse()
    refused.partial_success.rejected_spans = 3
    refused.partial_success.error_message = "no room"
    for answer, word in [((200, refused.SerializeToString()), "left 3 of them out: no room"), ((400, b"\x12\x03bad"), "400 Bad Request: bad")]:
        Collector.answer = answer
        failed = export("samples/mcp/bad.jsonl", "--to", address)
        assert failed.returncode == 2 and word in failed.stderr, failed.stderr
    nobody = export("samples/mcp/bad.jsonl", "--to", f"http://127.0.0.1:{free_port()}")
    assert nobody.returncode == 2 and "cannot send to" in nobody.stderr, nobody.stderr


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def real_collector() -> None:
    # The package has its program where Python's modules are.
    import rotel

    program = shutil.which("rotel-agent") or next(str(path) for path in pathlib.Path(rotel.__file__).parent.rglob("rotel-agent"))
    port = free_port()
    with tempfile.TemporaryFile("w+") as told:
        flags = ["--otlp-http-endpoint", f"127.0.0.1:{port}", "--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}", "--exporter", "blackhole"]
        debug = ["--debug-log", "traces", "--debug-log", "logs", "--debug-log-verbosity", "detailed"]
        running = subprocess.Popen([program, "start", *flags, *debug], stdout=told, stderr=subprocess.STDOUT)
        try:
            listens(port)
            sent = export("samples/mcp/bad.jsonl", "--to", f"http://127.0.0.1:{port}")
            assert sent.returncode == 0, sent.stderr
            spans, records = map(int, re.findall(r"\d+", sent.stderr))
            end = time.monotonic() + 20
            while True:
                told.seek(0)
                text = told.read()
                seen = (len(re.findall(r"^Span #\d+", text, re.M)), len(re.findall(r"^LogRecord #\d+", text, re.M)))
                if seen == (spans, records):
                    break
                assert time.monotonic() < end, (seen, (spans, records), text[-3000:])
                time.sleep(0.1)
            for word in ["tools/call search", "rpctape.answer_after_cancel", "gen_ai.tool.name", "CAN010"]:
                assert word in text, word
        finally:
            running.terminate()
            running.wait(20)
    print(f"otlp: a real collector shows {spans} spans and {records} log records")


def listens(port: int) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the collector does not listen")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=server.serve_forever, daemon=True).start()
here = f"http://127.0.0.1:{server.server_port}"
is_the_same_as_json(here)
says_what_was_not_taken(here)
try:
    import rotel  # noqa: F401
except ImportError:
    print("SKIPPED: no collector can be installed")
else:
    real_collector()
