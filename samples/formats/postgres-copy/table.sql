COPY public.rpc_log (id, at, dir, payload) FROM stdin;
1	2026-09-03 08:15:00.000+00	in	{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"night-batch","version":"1.0"}}}
2	2026-09-03 08:15:00.040+00	out	{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"logging":{}},"serverInfo":{"name":"srv","version":"2"}}}
3	2026-09-03 08:15:00.045+00	in	{"jsonrpc":"2.0","method":"notifications/initialized"}
4	2026-09-03 08:15:00.060+00	in	{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"seconds":60,"note":"grüße \\"q\\" it's"}}}
5	2026-09-03 08:15:00.080+00	in	{"jsonrpc":"2.0","id":2,"method":"ping"}
6	2026-09-03 08:15:00.095+00	out	{"jsonrpc":"2.0","id":2,"result":{}}
7	2026-09-03 08:15:00.900+00	in	{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user pressed stop"}}
\.
