-- Which cancelled requests were answered although a rule speaks against it, and how long after the cancel?
CREATE VIEW late_responses AS
SELECT x.exchange_id AS id,
       c.key AS connection,
       x.target_rpc_id AS rpc_id,
       x.target_method AS method,
       s.name AS source,
       x.line AS cancel_line,
       r.line AS response_line,
       x.sent_at AS cancelled_at,
       x.sent_at_us AS cancelled_at_us,
       strftime('%Y-%m-%dT%H:%M:%S', (r.at_us - ((r.at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((r.at_us % 1000000 + 1000000) % 1000000)) AS answered_at,
       r.at_us AS answered_at_us,
       x.settle_us AS late_us,
       x.effect,
       x.response_code,
       x.certainty,
       x.findings
FROM cancellations x
JOIN connection c ON c.id = x.connection_id
JOIN frame f ON f.id = x.message_id
JOIN source s ON s.id = f.source
JOIN frame r ON r.id = x.effect_message_id
WHERE x.effect IN ('acknowledged', 'result', 'partial', 'error')
  AND EXISTS (SELECT 1
              FROM json_each(x.findings) said
              WHERE said.value ->> 0 IN ('CAN010', 'CAN012', 'SES001', 'SES002'));
