#!/usr/bin/env bash
# Installs the real programs that tests/real_servers.rs talks to, each in the version it was tried with, into the folder
# that is named. What cannot be had is said; the tests then skip it, and say so too. With `card` behind it, also what only
# scorecard.sh asks.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=${1:?usage: install.sh FOLDER [card]}
mkdir -p "$into"
into=$(cd "$into" && pwd)

try() {
    local what=$1
    shift
    if "$@" >"$into/install.log" 2>&1; then
        echo "installed: $what"
    else
        echo "SKIPPED: $what could not be installed: $(tail -n 1 "$into/install.log")"
    fi
}

# python NAME PACKAGE: a virtual environment of its own, because the SDKs' requirements conflict.
python() {
    [ -x "$into/$1/bin/python" ] || python3 -m venv "$into/$1" || return 1
    "$into/$1/bin/pip" install --quiet --disable-pip-version-check "$2"
}

npm_packages() {
    mkdir -p "$into/npm" && cd "$into/npm" || return 1
    npm install --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
        @modelcontextprotocol/server-everything@2026.8.31 pyright@1.1.414 @agentclientprotocol/sdk@2.4.0 || return 1
    cp "$here/servers/acp_agent.mjs" "$into/npm/"
    # The same server, but for one word that it says: a changed build.
    rm -rf changed && cp -r node_modules/@modelcontextprotocol/server-everything/dist changed || return 1
    mv changed node_modules/@modelcontextprotocol/server-everything/changed 2>/dev/null ||
        { rm -rf node_modules/@modelcontextprotocol/server-everything/changed &&
            mv changed node_modules/@modelcontextprotocol/server-everything/changed; } || return 1
    grep -rl 'Echo: ' node_modules/@modelcontextprotocol/server-everything/changed | xargs sed -i 's/Echo: /Ecko: /'
}

clangd_package() {
    command -v clangd && return 0
    [ "$(id -u)" = 0 ] && command -v apt-get || return 1
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clangd
}

acp_agent() {
    cargo build --locked --manifest-path "$here/acp/Cargo.toml" --target-dir "$into/card/acp-rust"
}

card_npm() {
    mkdir -p "$into/card/npm" && cd "$into/card/npm" || return 1
    npm install --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
        @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 zod@4.6.7 \
        @modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31 \
        @zed-industries/agent-client-protocol@0.4.5 typescript-language-server@6.0.2 typescript@5.9.3 || return 1
    cp "$here/servers/mcp_server.mjs" .
    # That package ships its example as a source that imports the source beside it.
    sed 's|"../acp.js"|"@zed-industries/agent-client-protocol"|' \
        node_modules/@zed-industries/agent-client-protocol/typescript/examples/agent.ts >zed_agent.ts
    node node_modules/typescript/lib/tsc.js --module esnext --moduleResolution bundler --target es2022 --skipLibCheck --noCheck zed_agent.ts
    mv zed_agent.js zed_agent.mjs
}

rust_analyzer() {
    rust-analyzer --version || rustup component add rust-analyzer
}

rmcp_server() {
    cargo build --locked --manifest-path "$here/rmcp/Cargo.toml" --target-dir "$into/rmcp"
}

try "MCP server-everything, pyright, ACP TypeScript SDK (npm)" npm_packages
try "MCP Python SDK 1.27.2 (pip)" python mcp1 mcp==1.27.2
try "MCP Python SDK 2.3.0 (pip)" python mcp2 mcp==2.3.0
try "ACP Python SDK 0.12.1 (pip)" python acp agent-client-protocol==0.12.1
try "clangd (apt)" clangd_package
try "MCP rmcp 3.9.0 (cargo)" rmcp_server
[ "${2:-}" = card ] || exit 0
try "MCP TypeScript SDKs, servers on them, ACP of Zed, typescript-language-server (npm)" card_npm
try "fastmcp 4.1.0 (pip)" python card/fastmcp fastmcp==4.1.0
try "mcp-server-fetch 2026.10.24 (pip)" python card/fetch mcp-server-fetch==2026.10.24
try "mcp-server-git 2026.10.19 (pip)" python card/git mcp-server-git==2026.10.19
try "mcp-server-time 2026.10.19 (pip)" python card/time mcp-server-time==2026.10.19
try "python-lsp-server 1.15.0 (pip)" python card/pylsp python-lsp-server==1.15.0
try "rust-analyzer (rustup)" rust_analyzer
try "ACP Rust SDK 5.0.0 (cargo)" acp_agent
exit 0
