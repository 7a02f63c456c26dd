"""Ends what scorecard.sh has begun: the proofs below the table of CARD, and a picture of it beside it. usage: scorecard.py CARD PROOFS"""
import html
import os
import sys

PROOFS = "\n## Proofs\n"
# Width of each column that is drawn, in pixels.
COLUMNS = {"server": 210, "protocol": 150, "MUST": 70, "SHOULD": 80, "violates": 250, "not observed": 200}
ROW, GREEN, RED, GREY = 28, "#1a7f37", "#b42318", "#57606a"


def with_proofs(text, folder):
    """The card, and below it a link to each recording of the folder."""
    links = []
    for file in sorted(os.listdir(folder)):
        server, clause = file.split(".")[:2]
        links.append(f"- {server}: [{clause}](scorecard/{file})")
    text = text.split(PROOFS)[0].rstrip() + "\n"
    if links:
        text += PROOFS + "\nEach is a recording of the exchange; `rpctape check FILE` says what it breaks.\n\n" + "\n".join(links) + "\n"
    return text


def rows(text):
    """The rows of the table, each a dictionary."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def colour(column, value):
    """Green for what is kept, red for what is not; grey says nothing."""
    if column in ("MUST", "SHOULD"):
        kept, _, all_of = value.partition("/")
        return GREY if all_of == "0" else GREEN if kept == all_of else RED
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
            style = 'font-weight="bold"' if row is None else f'fill="{colour(column, value) if column not in ("server", "protocol") else "#1f2328"}"'
            out.append(f'<text x="{left}" y="{base}" {style}>{html.escape(value)}</text>')
            left += wide
    return "\n".join([*out, "</svg>", ""])


card, proofs = sys.argv[1:]
if os.path.exists(card):
    with open(card, encoding="utf-8") as file:
        text = with_proofs(file.read(), proofs)
    with open(card, "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.splitext(card)[0] + ".svg", "w", encoding="utf-8") as file:
        file.write(picture(rows(text)))
