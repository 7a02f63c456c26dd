-- All exchanges for a spreadsheet, in the order of their requests.
SELECT c.key AS connection, e.id, s.name AS source, f.line, e.issuer, e.rpc_id, e.profile, e.method, e.name, e.response_id,
       e.parent_id, e.sent_at_us, e.settled_at_us, e.latency_us, e.outcome, e.history, e.error_code
FROM exchanges e
LEFT JOIN connection c ON c.id = e.connection_id
LEFT JOIN frame f ON f.id = e.id
LEFT JOIN source s ON s.id = f.source
ORDER BY e.id;
