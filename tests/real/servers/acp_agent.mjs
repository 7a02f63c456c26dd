// An ACP agent on the TypeScript SDK: a prompt tells five updates over a second and ends; `session/cancel` ends it early.
// `changed` makes it deaf: a cancelled prompt goes on and ends as if nothing had been cancelled.
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";

const changed = process.argv.includes("changed");
const turns = new Map();

acp
  .agent({ name: "real-acp-typescript" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {},
    agentInfo: { name: "real-acp-typescript", version: "1" },
  }))
  .onRequest(acp.methods.agent.session.new, () => ({ sessionId: randomUUID() }))
  .onRequest(acp.methods.agent.session.prompt, async ({ params, client, signal }) => {
    const turn = new AbortController();
    turns.set(params.sessionId, turn);
    signal.addEventListener("abort", () => turn.abort());
    for (let step = 0; step < 5; step++) {
      await client.notify(acp.methods.client.session.update, {
        sessionId: params.sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `step ${step}` } },
      });
      try {
        await pause(200, undefined, changed ? {} : { signal: turn.signal });
      } catch {
        return { stopReason: "cancelled" };
      }
    }
    return { stopReason: "end_turn" };
  })
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => turns.get(params.sessionId)?.abort())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
