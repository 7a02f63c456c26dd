-- All frames that belong to one exchange. Progress is known by the token that the request gave; only the frames of its
-- connection from the request to the answer (or to the end) are looked at for it.
WITH asked AS (
    SELECT e.request, e.response, q.connection,
           CASE WHEN json_valid(coalesce(q.json, q.body)) THEN coalesce(q.json, q.body) END AS text
    FROM exchange e
    JOIN frame q ON q.id = e.request
    WHERE e.request = :exchange
),
tokens AS (
    SELECT request, connection, response, text -> '$.params._meta.progressToken' AS token FROM asked
    UNION
    SELECT request, connection, response, text -> '$.params.workDoneToken' FROM asked
    UNION
    SELECT request, connection, response, text -> '$.params.partialResultToken' FROM asked
),
progress AS (
    SELECT p.id
    FROM tokens t
    CROSS JOIN frame_block b ON b.connection = t.connection AND b.block >= t.request / 256
    CROSS JOIN frame p ON p.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND p.connection = t.connection
    WHERE t.token IS NOT NULL
      AND +p.id > t.request
      AND p.kind = 1
      AND +p.id < coalesce((SELECT later.id FROM frame later
                           WHERE later.connection = t.connection AND later.kind = 0 AND later.id > t.request
                             AND later.rpc_id IS (SELECT rpc_id FROM frame WHERE id = t.request)
                             AND later.direction = (SELECT direction FROM frame WHERE id = t.request)
                           ORDER BY later.id LIMIT 1), 9223372036854775807)
      AND json_valid(coalesce(p.json, p.body))
      AND coalesce(coalesce(p.json, p.body) -> '$.params.progressToken', coalesce(p.json, p.body) -> '$.params.token') = t.token
),
parts AS (
    SELECT request AS id FROM asked
    UNION
    SELECT response FROM asked
    UNION
    SELECT message FROM cancellation WHERE exchange = :exchange
    UNION
    SELECT effect_message FROM cancellation WHERE exchange = :exchange
    UNION
    SELECT request FROM exchange WHERE parent = :exchange AND parent IS NOT NULL
    UNION
    SELECT response FROM exchange WHERE parent = :exchange AND parent IS NOT NULL
    UNION
    SELECT id FROM progress
)
SELECT f.id, f.source, f.line, f.byte_offset, f.at_us, f.sender, f.sender_inferred, f.kind, f.method, f.rpc_id,
       f.error_code, f.bytes, f.connection_id, CASE WHEN :raw > 0 THEN substr(f.raw, 1, :raw) END
FROM parts p
JOIN frames f ON f.id = p.id
ORDER BY f.id;
