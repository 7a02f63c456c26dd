COPY public.rpc_log (id, at, dir, payload) FROM stdin;
1	2026-09-03 08:15:00.000+00	in	{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"cli","version":"1.0"}}}
2	2026-09-03 08:15:00.040+00	out	{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"logging":{}},"serverInfo":{"name":"srv","version":"2"}}}
3	2026-09-03 08:15:00.045+00	in	{"jsonrpc":"2.0","method":"notifications/initialized"}
4	2026-09-03 08:15:00.060+00	in	{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}
5	2026-09-03 08:15:00.080+00	out	{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a\\"d\\n d","inputSchema":{"type":"object"}}]}}
6	2026-09-03 08:15:00.110+00	in	{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a\\"d\\n d","arguments":{"a":0,"b":2}}}
7	2026-09-03 08:15:00.133+00	out	{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"2"}]}}
8	2026-09-03 08:15:00.147+00	in	{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a\\"d\\n d","arguments":{"a":1,"b":2}}}
9	2026-09-03 08:15:00.170+00	out	{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"3"}]}}
10	2026-09-03 08:15:00.184+00	in	{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a\\"d\\n d","arguments":{"a":2,"b":2}}}
11	2026-09-03 08:15:00.207+00	out	{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"4"}]}}
12	2026-09-03 08:15:00.221+00	in	{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"sub","arguments":{}}}
13	2026-09-03 08:15:00.230+00	out	{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Unknown tool: sub"}}
14	2026-09-03 08:15:00.262+00	in	{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"slow","arguments":{"s":9}}}
15	2026-09-03 08:15:01.062+00	in	{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6,"reason":"user"}}
16	2026-09-03 08:15:01.092+00	in	{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{}}
17	2026-09-03 08:15:01.113+00	out	{"jsonrpc":"2.0","id":7,"result":{"resources":[]}}
18	2026-09-03 08:15:01.182+00	in	{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a\\"d\\n d","arguments":{"a":0,"b":7}}}
19	2026-09-03 08:15:01.205+00	out	{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"7"}]}}
20	2026-09-03 08:15:01.219+00	in	{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a\\"d\\n d","arguments":{"a":1,"b":7}}}
21	2026-09-03 08:15:01.242+00	out	{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"8"}]}}
\.
