-- A grown source adds to what was counted before.
INSERT INTO skipped_line (source, why, lines, first_line)
VALUES (:source, :why, :lines, :first_line)
ON CONFLICT (source, why) DO UPDATE SET lines = lines + excluded.lines;
