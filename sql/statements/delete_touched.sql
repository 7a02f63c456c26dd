-- What the audit made of the touched connections.
DELETE FROM inferred WHERE frame IN (SELECT id FROM temp.touched_frame);
DELETE FROM exchange WHERE request IN (SELECT id FROM temp.touched_frame);
DELETE FROM cancellation WHERE message IN (SELECT id FROM temp.touched_frame);
DELETE FROM finding_cancel
WHERE finding IN (SELECT id FROM finding WHERE connection IN (SELECT connection FROM temp.touched));
DELETE FROM finding WHERE connection IN (SELECT connection FROM temp.touched);
DELETE FROM connection_fact WHERE connection IN (SELECT connection FROM temp.touched);
DELETE FROM occasion WHERE connection IN (SELECT connection FROM temp.touched);
