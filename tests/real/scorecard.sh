#!/usr/bin/env bash
# Plays `rpctape conform` against the real servers that install.sh has put into a folder, and writes docs/scorecard.md, one row a server,
# docs/scorecard.svg, a picture of it, and docs/scorecard/, the proof of each violation. What is not there is said. usage: scorecard.sh FOLDER [NAME...]
# RPCTAPE is the program (default: target/release/rpctape), FLAGS goes to every run (such as --fast).
set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
real=$(cd "${1:?usage: scorecard.sh FOLDER [NAME...]}" && pwd)
shift
rpctape=${RPCTAPE:-$top/target/release/rpctape}
card=$top/docs/scorecard.md
proofs=$top/docs/scorecard
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
mkdir -p "$proofs"
cd "$kept" || exit 2

# play NAME FLAGS... -- COMMAND: one row, and the proofs of what it violates.
play() {
    local name=$1
    shift
    if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
    rm -f "$proofs/$name".*
    # shellcheck disable=SC2086
    "$rpctape" conform ${FLAGS:-} --report "md=$card" --keep "$kept/$name" --format jsonl -o "$kept/$name.jsonl" "$@" 2>"$kept/$name.err"
    local status=$?
    if [ $status -gt 1 ]; then
        echo "SKIPPED: $name: $(tail -n 2 "$kept/$name.err" | tr '\n' ' ')"
        return
    fi
    echo "$name: exit $status, $(grep -c '"verdict":"violates"' "$kept/$name.jsonl") violated"
    python3 - "$kept/$name.jsonl" <<'PY' |
import json, sys
for line in open(sys.argv[1]):
    clause = json.loads(line)
    if clause["type"] == "clause" and clause["verdict"] == "violates" and clause["level"] in ("MUST", "SHOULD"):
        probe = clause["probes"][0]
        if probe.get("session"):
            # The request that the probe cancels first.
            print(clause["id"].replace(".", "-"), "#0" if probe["probe"] == "zero" else "#2", probe["session"])
PY
        while read -r clause request session; do
            # The exchange alone: no command line, no folder of this machine.
            "$rpctape" extract "$session" "$request" -o "$proofs/$name.$clause.rec.jsonl" 2>/dev/null
        done
}

wanted=("$@")
if [ ! -f "$card" ]; then
    printf '%s\n' "# What real servers do with a cancel" "" \
        "Made by \`tests/real/scorecard.sh\` on $(date +%F). [conform](conform.md) says how to read it; what stands under *not observed* was not seen, and is no fault." "" \
        "\`real-mcp\` is \`tests/real/servers/mcp_server.py\` on the MCP Python SDK: 1.27.2, and, where it names no version, 2.3.0. \`rmcp\` is \`tests/real/rmcp\` on the crate" \
        "of that name, 3.9.0; \`real-acp-python\` and \`real-acp-typescript\` are the agents of \`tests/real/servers\` on the ACP SDKs 0.12.1 and 2.4.0." "" \
        "![the table as a picture](scorecard.svg)" "" >"$card"
fi
modules=$real/npm/node_modules

play everything --slow-tool trigger-long-running-operation --args '{"duration":1,"steps":4}' -- node "$modules/@modelcontextprotocol/server-everything/dist/index.js" stdio
play mcp-python-1 --slow-tool slow --args '{"seconds":1}' --allow tools/call:slow -- "$real/mcp1/bin/python" "$top/tests/real/servers/mcp_server.py"
play mcp-python-2 --slow-tool slow --args '{"seconds":1}' --allow tools/call:slow -- "$real/mcp2/bin/python" "$top/tests/real/servers/mcp_server.py"
play rmcp --slow-tool slow --args '{"seconds":1}' --allow tools/call:slow -- "$real/rmcp/debug/rmcp-server"
play acp-python --proto acp --prompt wait -- "$real/acp/bin/python" "$top/tests/real/servers/acp_agent.py"
play acp-typescript --proto acp --prompt wait -- node "$real/npm/acp_agent.mjs"

# The proofs stand below the table, each with its clause; the picture is the table without what no sentence binds.
python3 "$top/tests/real/scorecard.py" "$card" "$proofs"
