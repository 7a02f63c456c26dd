-- Messages, from a table or view `facts`. A batch is one row here; what an array holds stands in `text`.
SELECT connection, source, seq, line, byte_offset, bytes, at_us, direction, kind, method, rpc_id, error_code
FROM facts
WHERE kind IN ('request', 'notification', 'result', 'error', 'batch', 'malformed', 'unclassified')
