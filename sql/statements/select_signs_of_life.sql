-- Signs of life of one request: progress, known by the token that the request gave, and updates of the session in
-- which a prompt is still open. Only so many frames of its connection after the request are looked at, and none behind the last
-- progress, which is known however far away it lies.
WITH asked AS (
    SELECT q.id, q.connection, e.last_progress AS last,
           CASE WHEN json_valid(coalesce(q.json, q.body)) THEN coalesce(q.json, q.body) END AS text
    FROM exchange e
    JOIN frame q ON q.id = e.request
    WHERE e.request = :exchange
),
tokens AS (
    SELECT text -> '$.params._meta.progressToken' AS token FROM asked
    UNION
    SELECT text -> '$.params.workDoneToken' FROM asked
    UNION
    SELECT text -> '$.params.partialResultToken' FROM asked
),
near AS (
    SELECT p.id, p.at_us, p.kind, p.method, coalesce(p.json, p.body) AS text
    FROM asked a
    CROSS JOIN frame_block b ON b.connection = a.connection AND b.block BETWEEN a.id / 256 AND a.last / 256
    CROSS JOIN frame p ON p.id BETWEEN b.block * 256 AND b.block * 256 + 255 AND p.connection = a.connection
    WHERE +p.id > a.id AND +p.id <= a.last
    ORDER BY b.block, p.id
    LIMIT :most
),
signs AS (
    SELECT n.id, n.at_us, n.text
    FROM near n
    WHERE n.kind = 1
      AND json_valid(n.text)
      AND (coalesce(n.text -> '$.params.progressToken', n.text -> '$.params.token')
               IN (SELECT token FROM tokens WHERE token IS NOT NULL)
           OR n.method = 'session/update'
               AND n.text -> '$.params.sessionId' = (SELECT text -> '$.params.sessionId' FROM asked)
               AND EXISTS (SELECT 1 FROM exchange e WHERE e.request = :exchange AND e.response IS NULL))
    UNION
    SELECT p.id, p.at_us, coalesce(p.json, p.body)
    FROM exchange e
    JOIN frame p ON p.id = e.last_progress
    WHERE e.request = :exchange AND json_valid(coalesce(p.json, p.body))
)
SELECT id, at_us, CAST(text -> '$.params.progress' AS TEXT), CAST(text -> '$.params.total' AS TEXT)
FROM signs
ORDER BY id;
