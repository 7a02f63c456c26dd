-- Every cancel, and what became of it.
CREATE VIEW cancellations AS
SELECT x.id,
       x.connection AS connection_id,
       (SELECT key FROM connection WHERE id = x.connection) AS connection,
       x.message AS message_id,
       f.line,
       CASE x.sender WHEN 0 THEN 'client' ELSE 'server' END AS sender,
       x.mechanism,
       x.target_rpc_id,
       x.exchange AS exchange_id,
       x.target_method,
       strftime('%Y-%m-%dT%H:%M:%S', (x.sent_at_us - ((x.sent_at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((x.sent_at_us % 1000000 + 1000000) % 1000000)) AS sent_at,
       x.sent_at_us,
       CASE WHEN x.delay_us >= 0 THEN x.delay_us END AS delay_us,
       x.reason,
       x.effect,
       strftime('%Y-%m-%dT%H:%M:%S', (x.effect_at_us - ((x.effect_at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((x.effect_at_us % 1000000 + 1000000) % 1000000)) AS effect_at,
       x.effect_at_us,
       CASE
           WHEN x.effect IN ('acknowledged', 'result', 'partial', 'error') AND x.effect_at_us >= x.sent_at_us
           THEN x.effect_at_us - x.sent_at_us
       END AS settle_us,
       x.response_code,
       -- The strongest of what the rules say about this cancel and its request; NULL where none of them objects. A cancel that
       -- hits no request is judged by itself, whatever request it came near to: by the findings at its frame.
       CASE coalesce((SELECT min(j.certainty)
                      FROM cancel_judgement j
                      WHERE j.message = x.message AND j.exchange = x.exchange),
                     (SELECT min(j.certainty)
                      FROM cancel_judgement j
                      WHERE x.exchange IS NULL
                        AND j.message = x.message AND j.frame = x.message))
           WHEN 0 THEN 'violation'
           WHEN 1 THEN 'race'
           WHEN 2 THEN 'undecidable'
       END AS certainty,
       x.effect_message AS effect_message_id,
       x.is_foreign,
       coalesce((SELECT nullif(json_group_array(json(j.said)), '[]')
                 FROM cancel_judgement j
                 WHERE j.message = x.message AND j.exchange = x.exchange),
                (SELECT nullif(json_group_array(json(j.said)), '[]')
                 FROM cancel_judgement j
                 WHERE x.exchange IS NULL
                   AND j.message = x.message AND j.frame = x.message)) AS findings
FROM cancellation x
LEFT JOIN frame f ON f.id = x.message;
