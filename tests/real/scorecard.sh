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

# play NAME TITLE FLAGS... -- COMMAND: one row, and the proofs of what it violates.
play() {
    local name=$1 title=$2
    shift 2
    if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
    rm -f "$proofs/$name".*
    # shellcheck disable=SC2086
    "$rpctape" conform ${FLAGS:-} --name "$title" --report "md=$card" --keep "$kept/$name" --format jsonl -o "$kept/$name.jsonl" "$@" 2>"$kept/$name.err" </dev/null
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

play everything "npm @modelcontextprotocol/server-everything 2026.8.31" --slow-tool trigger-long-running-operation --args '{"duration":1,"steps":4}' -- node "$modules/@modelcontextprotocol/server-everything/dist/index.js" stdio
play filesystem "npm @modelcontextprotocol/server-filesystem 2026.8.31" -- node "$more/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$kept/files"
play memory "npm @modelcontextprotocol/server-memory 2026.8.31" --env "MEMORY_FILE_PATH=$kept/memory.jsonl" -- node "$more/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
play mcp-typescript-1 "npm @modelcontextprotocol/sdk 1.32.2" "${slow[@]}" -- node "$more/mcp_server.mjs" v1
play mcp-typescript-1-deaf "npm @modelcontextprotocol/sdk 1.32.2, a tool deaf to its signal" "${slow[@]}" -- node "$more/mcp_server.mjs" v1 deaf
play mcp-typescript-2 "npm @modelcontextprotocol/server 2.4.0" "${slow[@]}" -- node "$more/mcp_server.mjs"
play mcp-typescript-2-2026 "npm @modelcontextprotocol/server 2.4.0" "${newest[@]}" "${slow[@]}" -- node "$more/mcp_server.mjs"
play mcp-python-1 "PyPI mcp 1.27.2" "${slow[@]}" -- "$real/mcp1/bin/python" "$servers/mcp_server.py"
play mcp-python-2 "PyPI mcp 2.3.0" "${slow[@]}" -- "$real/mcp2/bin/python" "$servers/mcp_server.py"
play mcp-python-2-2026 "PyPI mcp 2.3.0" "${newest[@]}" "${slow[@]}" -- "$real/mcp2/bin/python" "$servers/mcp_server.py"
play fastmcp "PyPI fastmcp 4.1.0" "${slow[@]}" -- "$real/card/fastmcp/bin/python" "$servers/fastmcp_server.py"
play fetch "PyPI mcp-server-fetch 2026.10.24" --slow-tool fetch --args "$url" --allow tools/call:fetch -- "$real/card/fetch/bin/python" -m mcp_server_fetch --ignore-robots-txt --allow-private-ips
play git "PyPI mcp-server-git 2026.10.19" -- "$real/card/git/bin/python" -m mcp_server_git --repository "$kept/repository"
play time "PyPI mcp-server-time 2026.10.19" -- "$real/card/time/bin/python" -m mcp_server_time --local-timezone UTC
play rmcp "crate rmcp 3.9.0" "${slow[@]}" -- "$real/rmcp/debug/rmcp-server"
play rmcp-2026 "crate rmcp 3.9.0" "${newest[@]}" "${slow[@]}" -- "$real/rmcp/debug/rmcp-server"
play acp-python "PyPI agent-client-protocol 0.12.1" --proto acp --prompt wait -- "$real/acp/bin/python" "$servers/acp_agent.py"
play acp-typescript "npm @agentclientprotocol/sdk 2.4.0" --proto acp --prompt wait -- node "$real/npm/acp_agent.mjs"
play acp-rust "crate agent-client-protocol 5.0.0" --proto acp --prompt wait -- "$real/card/acp-rust/debug/acp-agent"
play acp-zed "npm @zed-industries/agent-client-protocol 0.4.5, its example" --proto acp --prompt wait -- node "$more/zed_agent.mjs"
symbols=(--proto lsp --slow-request textDocument/documentSymbol --file)
play clangd "Debian clangd 14.0.6" "${symbols[@]}" big.cpp -- clangd --background-index=false -j=1
play pyright "npm pyright 1.1.414" "${symbols[@]}" small.py -- pyright-langserver --stdio
play typescript-language-server "npm typescript-language-server 6.0.2" "${symbols[@]}" big.ts -- typescript-language-server --stdio
play python-lsp-server "PyPI python-lsp-server 1.15.0" "${symbols[@]}" big.py -- pylsp
play rust-analyzer "rustup rust-analyzer 1.95.0" "${symbols[@]}" big.rs -- rust-analyzer

# The proofs stand below the table, each with its clause; the picture is the table without what no sentence binds.
python3 "$top/tests/real/scorecard.py" card "$card" "$proofs"
