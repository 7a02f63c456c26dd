-- Which cancelled requests were answered all the same, and how long after the cancel?
CREATE VIEW late_responses AS
SELECT x.exchange AS id,
       c.key AS connection,
       x.target_rpc_id AS rpc_id,
       x.target_method AS method,
       s.name AS source,
       f.line AS cancel_line,
       r.line AS response_line,
       x.sent_at_us AS cancelled_at_us,
       r.at_us AS answered_at_us,
       x.effect_at_us - x.sent_at_us AS late_us,
       x.effect,
       x.response_code,
       x.certainty
FROM cancellation x
JOIN connection c ON c.id = x.connection
JOIN frame f ON f.id = x.message
JOIN source s ON s.id = f.source
JOIN frame r ON r.id = x.effect_message
WHERE x.effect IN ('result', 'partial', 'error');
