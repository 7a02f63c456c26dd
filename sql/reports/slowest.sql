-- Which requests took longest to answer?
-- Columns: those of exchanges that say which, and latency_us in microseconds. The twenty slowest.
SELECT e.id, c.key AS connection, e.issuer, e.rpc_id, e.method, e.name, e.latency_us, e.outcome, e.history
FROM exchanges e
JOIN connections c ON c.id = e.connection_id
WHERE e.latency_us IS NOT NULL
ORDER BY e.latency_us DESC, e.id
LIMIT 20;
