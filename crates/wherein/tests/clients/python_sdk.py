"""Every tool of a profile through the official Python SDK: python_sdk.py CALLS PROFILE ROOT (URL | PROGRAM ARGUMENT...)"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def drive(session, calls, root):
    await session.initialize()
    served = {tool.name for tool in (await session.list_tools()).tools}
    assert served == {call["tool"] for call in calls}, served
    found = None
    for call in calls:
        arguments = json.loads(json.dumps(call["arguments"]).replace("ROOT", root).replace('"ID"', json.dumps(found)))
        result = await session.call_tool(call["tool"], arguments)
        text = "".join(part.text for part in result.content)
        failed = getattr(result, "is_error", None) or getattr(result, "isError", False) or False
        assert bool(failed) == ("fails" in call), (call, text)
        assert call.get("says", call.get("fails")) in text, (call, text)
        data = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
        if data and data.get("results") and "id" in data["results"][0]:
            found = data["results"][0]["id"]


async def main():
    calls, profile, root, *server = sys.argv[1:]
    with open(calls, encoding="utf-8") as file:
        calls = json.load(file)[profile]
    if server[0].startswith("http"):
        transport = streamable_http_client(server[0])
    else:
        transport = stdio_client(StdioServerParameters(command=server[0], args=server[1:], cwd=root))
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await drive(session, calls, root)
    print(f"Python SDK, {profile}, {'HTTP' if server[0].startswith('http') else 'stdio'}: {len(calls)} calls")


asyncio.run(main())
