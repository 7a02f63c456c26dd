SELECT id, key, session, source, format, protocol, revision, transport, vantage, client_name, server_name, first_at_us,
       last_at_us, messages, requests, cancels, complete_head, complete_tail
FROM connections
ORDER BY id;
