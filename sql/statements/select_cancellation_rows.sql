-- Cancels in order.
SELECT x.id, x.connection_id, c.key AS connection, x.message_id, s.name AS source, x.line, x.sender, x.mechanism,
       x.target_rpc_id, x.exchange_id, x.target_method, x.sent_at_us, x.delay_us, x.reason, x.effect,
       x.effect_message_id, x.effect_at_us, x.settle_us, x.response_code, x.certainty, x.is_foreign, x.findings
FROM cancellations x
LEFT JOIN connection c ON c.id = x.connection_id
LEFT JOIN frame f ON f.id = x.message_id
LEFT JOIN source s ON s.id = f.source
ORDER BY x.id;
