-- Messages of a new source that an earlier one of its name has: at the same line and the same time; requests with the same time at
-- other lines, as where the head of a log was taken off; messages without times that have the same text at the same line. Then all
-- messages and requests of the new source.
WITH known AS (
    SELECT new.id, new.at_us IS NULL AS untimed, max(old.line = new.line) AS placed
    FROM frame AS new
    JOIN source AS earlier ON earlier.id <> new.source AND earlier.name = (SELECT name FROM source WHERE id = new.source)
    JOIN frame AS old ON old.source = earlier.id AND old.at_us IS new.at_us AND old.kind = new.kind
        AND old.method IS new.method AND old.rpc_id IS new.rpc_id
    WHERE new.source = :source AND new.kind < 4 AND CASE
        WHEN new.at_us IS NULL THEN old.line = new.line AND old.body = new.body
        ELSE old.line = new.line OR (new.kind = 0 AND old.body = new.body)
    END
    GROUP BY new.id
)
SELECT
    (SELECT count(*) FROM known WHERE placed AND NOT untimed),
    (SELECT count(*) FROM known WHERE NOT placed),
    (SELECT count(*) FROM known WHERE untimed),
    (SELECT count(*) FROM frame WHERE source = :source AND kind < 4),
    (SELECT count(*) FROM frame WHERE source = :source AND kind = 0);
