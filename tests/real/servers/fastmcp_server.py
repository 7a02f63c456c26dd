"""An MCP server on fastmcp: `slow`, which tells its progress."""

import anyio
from fastmcp import Context, FastMCP

server = FastMCP("real-fastmcp")


@server.tool(annotations={"readOnlyHint": True})
async def slow(seconds: float, ctx: Context) -> str:
    steps = 10
    for step in range(steps):
        await anyio.sleep(seconds / steps)
        await ctx.report_progress(step + 1, steps)
    return "done"


server.run("stdio", show_banner=False)
