-- Messages of a new source that an earlier one of its name has at the same line and the same time.
SELECT count(*)
FROM frame AS new
JOIN source AS earlier ON earlier.id <> new.source AND earlier.name = (SELECT name FROM source WHERE id = new.source)
JOIN frame AS old ON old.source = earlier.id AND old.line = new.line AND old.at_us = new.at_us AND old.body = new.body
WHERE new.source = ? AND new.kind < 4;
