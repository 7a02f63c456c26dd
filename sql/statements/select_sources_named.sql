-- Sources of one name whose identity is known, newest first.
SELECT id, size, hash, resume_byte, resume_line, reason
FROM source
WHERE name = :name AND hash IS NOT NULL
ORDER BY id DESC;
