SELECT id, name, format, reason, resume_byte FROM source ORDER BY id;
