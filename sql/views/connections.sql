-- One client talking to one server.
CREATE VIEW connections AS
SELECT c.id,
       c.key,
       coalesce(c.session, s.name) AS session,
       c.replay_of,
       s.name AS source,
       s.format,
       p.protocol,
       p.revision,
       CASE c.transport WHEN 'ordered' THEN 'stdio' ELSE c.transport END AS transport,
       coalesce(c.demanded_vantage, c.vantage) AS vantage,
       k.client_name,
       k.server_name,
       strftime('%Y-%m-%dT%H:%M:%S', (k.first_at_us - ((k.first_at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((k.first_at_us % 1000000 + 1000000) % 1000000)) AS first_at,
       k.first_at_us,
       strftime('%Y-%m-%dT%H:%M:%S', (k.last_at_us - ((k.last_at_us % 1000000 + 1000000) % 1000000)) / 1000000, 'unixepoch') || printf('.%06dZ', ((k.last_at_us % 1000000 + 1000000) % 1000000)) AS last_at,
       k.last_at_us,
       k.messages,
       k.requests,
       k.cancels,
       k.complete_head,
       k.complete_tail,
       k.has_gap,
       k.inferred AS senders_inferred
FROM connection c
LEFT JOIN source s ON s.id = c.source
LEFT JOIN connection_fact k ON k.connection = c.id
LEFT JOIN profile p ON p.id = k.profile;
