"""An ACP agent on the Python SDK: a prompt tells five updates over a second and ends; `session/cancel` ends it early.
`changed` makes it deaf: a cancelled prompt goes on and ends as if nothing had been cancelled."""

import asyncio
import sys
import uuid

import acp
from acp.helpers import update_agent_message_text
from acp.schema import AgentCapabilities, Implementation

CHANGED = "changed" in sys.argv[1:]


class Agent:
    def __init__(self):
        self.client = None
        self.cancelled = {}

    def on_connect(self, client):
        self.client = client

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **rest):
        return acp.InitializeResponse(
            protocol_version=1,
            agent_capabilities=AgentCapabilities(),
            agent_info=Implementation(name="real-acp-python", version="1"),
        )

    async def new_session(self, cwd, additional_directories=None, mcp_servers=None, **rest):
        session = uuid.uuid4().hex
        self.cancelled[session] = asyncio.Event()
        return acp.NewSessionResponse(session_id=session)

    async def prompt(self, session_id, prompt, **rest):
        cancelled = self.cancelled[session_id]
        cancelled.clear()
        for step in range(5):
            await self.client.session_update(session_id, update_agent_message_text(f"step {step}"))
            try:
                await asyncio.wait_for(cancelled.wait(), 0.2)
                if not CHANGED:
                    return acp.PromptResponse(stop_reason="cancelled")
                await asyncio.sleep(0.2)
            except asyncio.TimeoutError:
                pass
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id, **rest):
        self.cancelled[session_id].set()


asyncio.run(acp.run_agent(Agent()))
