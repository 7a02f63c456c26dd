-- Every cancel, and what became of it.
CREATE VIEW cancellations AS
SELECT x.id,
       x.connection AS connection_id,
       x.message AS message_id,
       f.line,
       CASE x.sender WHEN 0 THEN 'client' ELSE 'server' END AS sender,
       x.mechanism,
       x.target_rpc_id,
       x.exchange AS exchange_id,
       x.target_method,
       x.sent_at_us,
       x.delay_us,
       x.reason,
       x.effect,
       x.effect_at_us,
       CASE WHEN x.effect IN ('acknowledged', 'result', 'partial', 'error') THEN x.effect_at_us - x.sent_at_us END
           AS settle_us,
       x.response_code,
       x.certainty,
       x.effect_message AS effect_message_id,
       x.is_foreign
FROM cancellation x
LEFT JOIN frame f ON f.id = x.message;
