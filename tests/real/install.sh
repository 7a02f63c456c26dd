#!/usr/bin/env bash
# Installs the real programs that tests/real_servers.rs talks to, each in the version it was tried with, into the folder
# that is named. What cannot be had is said; the tests then skip it, and say so too.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=${1:?usage: install.sh FOLDER}
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

rmcp_server() {
    cargo build --locked --manifest-path "$here/rmcp/Cargo.toml" --target-dir "$into/rmcp"
}

try "MCP server-everything, pyright, ACP TypeScript SDK (npm)" npm_packages
try "MCP Python SDK 1.27.2 (pip)" python mcp1 mcp==1.27.2
try "MCP Python SDK 2.3.0 (pip)" python mcp2 mcp==2.3.0
try "ACP Python SDK 0.12.1 (pip)" python acp agent-client-protocol==0.12.1
try "clangd (apt)" clangd_package
try "MCP rmcp 3.9.0 (cargo)" rmcp_server
exit 0
