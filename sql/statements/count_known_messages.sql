-- Messages of a new source that an earlier one of its name has: at the same line and the same time; requests with the same time at
-- other lines, as where the head of a log was taken off; messages without times that have the same text, wherever. Then all
-- messages and requests of the new source.
WITH earlier AS (
    SELECT id FROM source WHERE id <> :source AND name = (SELECT name FROM source WHERE id = :source)
),
known AS (
    SELECT new.id, max(old.line = new.line) AS placed
    FROM frame AS new
    JOIN earlier
    JOIN frame AS old ON old.source = earlier.id AND old.at_us = new.at_us AND old.kind = new.kind
        AND old.method IS new.method AND old.rpc_id IS new.rpc_id
    WHERE new.source = :source AND new.kind < 4 AND (old.line = new.line OR (new.kind = 0 AND old.body = new.body))
    GROUP BY new.id
)
SELECT
    (SELECT count(*) FROM known WHERE placed),
    (SELECT count(*) FROM known WHERE NOT placed),
    (SELECT count(*) FROM frame WHERE source = :source AND kind < 4 AND at_us IS NULL
        AND body IN (SELECT body FROM frame WHERE source IN earlier AND kind < 4 AND at_us IS NULL)),
    (SELECT count(*) FROM frame WHERE source = :source AND kind < 4),
    (SELECT count(*) FROM frame WHERE source = :source AND kind = 0);
