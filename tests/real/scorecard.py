"""The parts of scorecard.sh that are no shell.

scorecard.py card CARD PROOFS           the links to the proofs below the table of CARD, and a picture of it beside it
scorecard.py proofs LINES PREFIX TOP... the proof of each violation in LINES, as PREFIX.CLAUSE.rec.jsonl; folders named TOP are cut out
scorecard.py documents FOLDER           sources that a language server reads for a while
scorecard.py page FILE                  serves a page that takes a second, and writes its port into FILE
"""
import html
import http.server
import itertools
import json
import os
import sys
import time

PROOFS = "\n## Proofs\n"
# Width of each column that is drawn, in pixels.
COLUMNS = {"server": 470, "protocol": 150, "MUST": 70, "SHOULD": 80, "violates": 240, "not observed": 290}
ROW, GREEN, RED, GREY = 28, "#1a7f37", "#b42318", "#57606a"


def with_proofs(text, folder):
    """The card, and below it a link to each recording of the folder."""
    links = []
    for file in sorted(os.listdir(folder)):
        server, clause = file.split(".")[:2]
        links.append(f"- {server}: [{clause}]({os.path.basename(folder)}/{file})")
    text = text.split(PROOFS)[0].rstrip() + "\n"
    if links:
        text += PROOFS + "\nEach is a recording of the probe; `rpctape check FILE` says what it breaks.\n\n" + "\n".join(links) + "\n"
    return text


def rows(text):
    """The rows of the first table, each a dictionary."""
    lines = text[text.index("\n| ") + 1:].split("\n")
    table = list(itertools.takewhile(lambda line: line.startswith("|"), lines))
    # Markdown is escaped, the picture is no Markdown.
    plain = lambda cell: html.unescape(cell).replace("\u200b", "").strip()
    cells = [[plain(cell) for cell in line.strip("|").split("|")] for line in table]
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def short(value):
    """What fits into a cell."""
    names = value.split(", ")
    return value if len(names) <= 3 else f"{len(names)} sentences"


def colour(column, value):
    """Green where all is kept, red for what is broken; grey says nothing: what is missing may just not have been seen."""
    if column in ("MUST", "SHOULD"):
        kept, _, all_of = value.partition("/")
        return GREEN if kept == all_of != "0" else GREY
    return RED if column == "violates" and value != "-" else GREY


def picture(rows):
    """The table as SVG."""
    width, height = sum(COLUMNS.values()) + 20, ROW * (len(rows) + 1) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="What real servers do with a cancel"',
           '     font-family="system-ui, sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for nth, row in enumerate([None, *rows]):
        left, base = 10, 10 + ROW * nth + 19
        if nth:
            out.append(f'<line x1="10" x2="{width - 10}" y1="{base - 19}" y2="{base - 19}" stroke="#d0d7de"/>')
        for column, wide in COLUMNS.items():
            value = column if row is None else row.get(column, "")
            value = value if column == "server" else short(value)
            style = 'font-weight="bold"' if row is None else f'fill="{colour(column, value) if column not in ("server", "protocol") else "#1f2328"}"'
            out.append(f'<text x="{left}" y="{base}" {style}>{html.escape(value)}</text>')
            left += wide
    return "\n".join([*out, "</svg>", ""])


def end(card, folder):
    """Links below the table, and the picture."""
    if not os.path.exists(card):
        return
    with open(card, encoding="utf-8") as file:
        text = with_proofs(file.read(), folder)
    with open(card, "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.splitext(card)[0] + ".svg", "w", encoding="utf-8") as file:
        file.write(picture(rows(text)))


def is_document(record):
    """True for a message that hands a whole document over: nothing is judged by it, and it is long."""
    return record["k"] == "msg" and '"textDocument/didOpen"' in record["b"]


def proof(session, tops):
    """A kept session without what tells of this machine, and without the hashes, which do not hold for a part of it."""
    with open(session, encoding="utf-8") as file:
        head, *rest = [json.loads(line) for line in file]
    kept = [head, *(record for record in rest if not is_document(record))]
    lines = []
    for record in kept:
        for member in ("hash", "cmd", "cwd"):
            record.pop(member, None)
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
        for top in tops:
            line = line.replace(top, "")
        lines.append(line + "\n")
    return "".join(lines)


def proofs(cards, prefix, *tops):
    """One file for each violation: the session of the probe that shows it."""
    with open(cards, encoding="utf-8") as file:
        clauses = [json.loads(line) for line in file]
    for clause in clauses:
        if clause["type"] == "clause" and clause["verdict"] == "violates":
            session = clause["probes"][0]["session"]
            with open(f"{prefix}.{clause['id'].replace('.', '-')}.rec.jsonl", "w", encoding="utf-8") as file:
                file.write(proof(session, tops))


HEADERS = "algorithm chrono filesystem fstream functional future iostream map memory random regex set sstream string thread vector"


def documents(folder):
    """Long enough for a second of work, each for the server that reads it."""
    python = "def f{0}(a: int, b: str = 'x') -> dict:\n    c = [a + k for k in range({0})]\n    return {{'c': c, 'b': b}}\n\n"
    typescript = "export class C{0} {{ m(a: number): {{ k: string }} {{ const q = [1, 2].map(z => z + a); return {{ k: String(q) }}; }} }}\n"
    cpp = 'int f{0}(int a) {{ std::vector<int> v{{a, {0}}}; std::regex r("a{0}"); return v[0]; }}\n'
    rust = "pub fn f{0}(a: u32) -> Vec<u32> {{ (0..a).map(|k| k + {0}).collect() }}\n"
    includes = "".join(f"#include <{name}>\n" for name in HEADERS.split())
    files = {
        "big.py": ("", python, 1500),
        "small.py": ("", python, 400),
        "big.ts": ("", typescript, 1000),
        "big.cpp": (includes, cpp, 1200),
        "big.rs": ("", rust, 15000),
        "compile_flags.txt": ("-std=c++17\n", "", 0),
    }
    for name, (head, line, count) in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(head + "".join(line.format(number) for number in range(count)))


class Page(http.server.BaseHTTPRequestHandler):
    """Some text, after a second."""

    def do_GET(self):
        time.sleep(1)
        try:
            self.send_response(200)
            self.send_header("content-type", "text/plain")
            self.end_headers()
            self.wfile.write(b"done")
        except OSError:
            pass  # The one who asked has left.

    def log_message(self, *_):
        pass


def page(file):
    """Serves until it is ended."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    with open(file, "w", encoding="utf-8") as out:
        out.write(str(server.server_port))
    server.serve_forever()


if __name__ == "__main__":
    {"card": end, "proofs": proofs, "documents": documents, "page": page}[sys.argv[1]](*sys.argv[2:])
