-- A line less was passed over in a source whose last line was not used up, and was not cut off.
UPDATE skipped_line SET lines = lines - 1
WHERE source = ?1 AND why = ?2
  AND NOT EXISTS (SELECT 1 FROM skipped_line AS cut WHERE cut.source = ?1 AND cut.why = ?3)
  AND EXISTS (SELECT 1 FROM source WHERE id = ?1 AND resume_byte < size);
