-- Connections of a range as the fold opens them: what the user demands overrules what the log says.
SELECT id, key, base, named, session, replay_of, profile, coalesce(demanded_vantage, vantage) AS vantage, transport, complete_head,
       one_connection, proof, resolution_us, framing, demanded_profile
FROM connection
WHERE id BETWEEN ?1 AND ?2
ORDER BY id;
