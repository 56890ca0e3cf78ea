// Every tool of a profile through the official TypeScript SDK: typescript_sdk.mjs CALLS PROFILE ROOT (URL | PROGRAM ARGUMENT...)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [path, profile, root, ...server] = process.argv.slice(2);
const calls = JSON.parse(readFileSync(path, "utf8"))[profile];
const isHttp = server[0].startsWith("http");
const transport = isHttp
  ? new StreamableHTTPClientTransport(new URL(server[0]))
  : new StdioClientTransport({ command: server[0], args: server.slice(1), cwd: root, env: process.env });
const client = new Client({ name: "wherein-test", version: "1" });
await client.connect(transport);
const served = (await client.listTools()).tools.map((tool) => tool.name);
assert.deepEqual(new Set(served), new Set(calls.map((call) => call.tool)));
let found = null;
for (const call of calls) {
  const text = JSON.stringify(call.arguments).replaceAll("ROOT", root).replaceAll('"ID"', JSON.stringify(found));
  const result = await client.callTool({ name: call.tool, arguments: JSON.parse(text) });
  const said = result.content.map((part) => part.text).join("");
  assert.equal(Boolean(result.isError), "fails" in call, said);
  assert.ok(said.includes(call.says ?? call.fails), `${JSON.stringify(call)}: ${said}`);
  found = result.structuredContent?.results?.[0]?.id ?? found;
}
await client.close();
console.log(`TypeScript SDK, ${profile}, ${isHttp ? "HTTP" : "stdio"}: ${calls.length} calls`);
