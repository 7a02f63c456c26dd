"""An MCP server on the Python SDK, 1.x or 2.x, whichever is installed: `echo`, and `slow`, which tells its progress.
`changed` makes `echo` say something else."""

import sys

import anyio
from mcp.types import ToolAnnotations

try:
    from mcp.server.mcpserver import Context, MCPServer
except ImportError:
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as MCPServer

CHANGED = "changed" in sys.argv[1:]
READ_ONLY = ToolAnnotations(readOnlyHint=True, idempotentHint=True)
server = MCPServer("real-mcp")


@server.tool(annotations=READ_ONLY)
def echo(text: str) -> str:
    return f"you said {text}" if CHANGED else text


@server.tool(annotations=READ_ONLY)
async def slow(seconds: float, ctx: Context) -> str:
    steps = 10
    for step in range(steps):
        await anyio.sleep(seconds / steps)
        await ctx.report_progress(step + 1, steps)
    return "done"


server.run("stdio")
