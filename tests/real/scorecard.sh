#!/usr/bin/env bash
# Plays `rpctape conform` against the real servers that `install.sh FOLDER card` has put into a folder, and writes docs/scorecard.md, one row a server,
# docs/scorecard.svg, a picture of it, and docs/scorecard/, the proof of each violation. What is not there is said. usage: scorecard.sh FOLDER [NAME...]
# RPCTAPE is the program (default: target/release/rpctape), CARD the file that is written, FLAGS goes to every run (such as --fast).
set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
real=$(cd "${1:?usage: scorecard.sh FOLDER [NAME...]}" && pwd)
shift
rpctape=${RPCTAPE:-$top/target/release/rpctape}
card=${CARD:-$top/docs/scorecard.md}
proofs=${card%.md}
kept=$(mktemp -d)
page=
trap 'rm -rf "$kept"; [ -z "$page" ] || kill "$page"' EXIT
mkdir -p "$proofs"
cd "$kept" || exit 2

# play NAME FLAGS... -- COMMAND: one row, and the proofs of what it violates.
play() {
    local name=$1
    shift
    if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
    rm -f "$proofs/$name".*
    # shellcheck disable=SC2086
    "$rpctape" conform ${FLAGS:-} --report "md=$card" --keep "$kept/$name" --format jsonl -o "$kept/$name.jsonl" "$@" 2>"$kept/$name.err" </dev/null
    local status=$?
    if [ $status -gt 1 ]; then
        echo "SKIPPED: $name: $(tail -n 2 "$kept/$name.err" | tr '\n' ' ')"
        return
    fi
    echo "$name: exit $status, $(grep -c '"verdict":"violates"' "$kept/$name.jsonl") violated, $SECONDS s"
    python3 "$top/tests/real/scorecard.py" proofs "$kept/$name.jsonl" "$proofs/$name" "$kept" "$real" "$top"
}

wanted=("$@")
if [ ! -f "$card" ]; then
    printf '%s\n' "# What real servers do with a cancel" "" \
        "Made by \`tests/real/scorecard.sh\` on $(date +%F). [conform](conform.md) says how to read it; what stands under *not observed* was not seen, and is no fault." "" \
        "![the table as a picture](scorecard.svg)" "" >"$card"
fi
modules=$real/npm/node_modules
more=$real/card/npm
servers=$top/tests/real/servers
PATH=$modules/.bin:$more/node_modules/.bin:$real/card/pylsp/bin:$PATH
slow=(--slow-tool slow --args '{"seconds":1}' --allow tools/call:slow)
newest=(--proto mcp@2026-07-28)

# Documents that take a second to be read, a repository, a folder, and a page that comes slowly.
python3 "$top/tests/real/scorecard.py" documents "$kept"
mkdir "$kept/files" && git init -q "$kept/repository"
python3 "$top/tests/real/scorecard.py" page "$kept/port" &
page=$!
for _ in {1..100}; do [ -s "$kept/port" ] && break || sleep 0.1; done
url="{\"url\":\"http://127.0.0.1:$(cat "$kept/port")/\"}"

play everything --slow-tool trigger-long-running-operation --args '{"duration":1,"steps":4}' -- node "$modules/@modelcontextprotocol/server-everything/dist/index.js" stdio
play filesystem -- node "$more/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$kept/files"
play memory --env "MEMORY_FILE_PATH=$kept/memory.jsonl" -- node "$more/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
play mcp-typescript-1 "${slow[@]}" -- node "$more/mcp_server.mjs" v1
play mcp-typescript-1-deaf "${slow[@]}" -- node "$more/mcp_server.mjs" v1 deaf
play mcp-typescript-2 "${slow[@]}" -- node "$more/mcp_server.mjs"
play mcp-typescript-2-2026 "${newest[@]}" "${slow[@]}" -- node "$more/mcp_server.mjs"
play mcp-python-1 "${slow[@]}" -- "$real/mcp1/bin/python" "$servers/mcp_server.py"
play mcp-python-2 "${slow[@]}" -- "$real/mcp2/bin/python" "$servers/mcp_server.py"
play mcp-python-2-2026 "${newest[@]}" "${slow[@]}" -- "$real/mcp2/bin/python" "$servers/mcp_server.py"
play fastmcp "${slow[@]}" -- "$real/card/fastmcp/bin/python" "$servers/fastmcp_server.py"
play fetch --slow-tool fetch --args "$url" --allow tools/call:fetch -- "$real/card/fetch/bin/python" -m mcp_server_fetch --ignore-robots-txt --allow-private-ips
play git -- "$real/card/git/bin/python" -m mcp_server_git --repository "$kept/repository"
play time -- "$real/card/time/bin/python" -m mcp_server_time --local-timezone UTC
play rmcp "${slow[@]}" -- "$real/rmcp/debug/rmcp-server"
play rmcp-2026 "${newest[@]}" "${slow[@]}" -- "$real/rmcp/debug/rmcp-server"
play acp-python --proto acp --prompt wait -- "$real/acp/bin/python" "$servers/acp_agent.py"
play acp-typescript --proto acp --prompt wait -- node "$real/npm/acp_agent.mjs"
play acp-rust --proto acp --prompt wait -- "$real/card/acp-rust/debug/acp-agent"
play acp-zed --proto acp --prompt wait -- node "$more/zed_agent.mjs"
symbols=(--proto lsp --slow-request textDocument/documentSymbol --file)
play clangd "${symbols[@]}" big.cpp -- clangd --background-index=false -j=1
play pyright "${symbols[@]}" big.py -- pyright-langserver --stdio
play typescript-language-server "${symbols[@]}" big.ts -- typescript-language-server --stdio
play python-lsp-server "${symbols[@]}" big.py -- pylsp
play rust-analyzer "${symbols[@]}" big.rs -- rust-analyzer

# The proofs stand below the table, each with its clause; the picture is the table without what no sentence binds.
python3 "$top/tests/real/scorecard.py" card "$card" "$proofs"
