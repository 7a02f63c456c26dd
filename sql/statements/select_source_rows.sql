SELECT id, name, format, reason, resume_byte, first_time, last_time FROM source ORDER BY id;
