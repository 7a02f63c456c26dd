UPDATE source
SET size = :size, hash = :hash, resume_byte = :resume_byte, resume_line = :resume_line,
    first_time = coalesce(first_time, :first_time), last_time = coalesce(:last_time, last_time)
WHERE id = :id;
