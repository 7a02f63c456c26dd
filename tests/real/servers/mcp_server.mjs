// An MCP server on the TypeScript SDK: version 1 (`v1`), or 2, which speaks both kinds of revisions. `slow` tells its progress and ends early when it
// is cancelled; `deaf` makes it go on.
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";

const deaf = process.argv.includes("deaf");
const about = { name: "real-mcp-typescript", version: (process.argv.includes("v1") ? "1.32.2" : "2.4.0") + (deaf ? " deaf" : "") };
const tool = { inputSchema: z.object({ seconds: z.number() }), annotations: { readOnlyHint: true } };

async function slow(seconds, signal, tell) {
  for (let step = 1; step <= 10; step++) {
    await pause(seconds * 100, undefined, deaf ? {} : { signal });
    await tell({ progress: step, total: 10 });
  }
  return { content: [{ type: "text", text: "done" }] };
}

// What tells of progress; nobody who did not ask is told.
function teller(token, notify) {
  return (progress) =>
    token === undefined ? undefined : notify({ method: "notifications/progress", params: { progressToken: token, ...progress } });
}

if (process.argv.includes("v1")) {
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const server = new McpServer(about);
  server.registerTool("slow", { ...tool, inputSchema: tool.inputSchema.shape }, ({ seconds }, extra) =>
    slow(seconds, extra.signal, teller(extra._meta?.progressToken, extra.sendNotification)),
  );
  await server.connect(new StdioServerTransport());
} else {
  const { McpServer } = await import("@modelcontextprotocol/server");
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  serveStdio(() => {
    const server = new McpServer(about);
    server.registerTool("slow", tool, ({ seconds }, { mcpReq }) =>
      slow(seconds, mcpReq.signal, teller(mcpReq._meta?.progressToken, mcpReq.notify)),
    );
    return server;
  });
}
