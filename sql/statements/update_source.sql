UPDATE source
SET size = :size, hash = :hash, resume_byte = :resume_byte, resume_line = :resume_line,
    gaps = gaps + :gaps, lost = lost + :lost
WHERE id = :id;
