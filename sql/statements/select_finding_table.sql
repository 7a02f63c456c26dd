-- All findings for a spreadsheet, by source, line and code.
SELECT c.key AS connection, x.source, x.line, x.code, x.rule, x.severity, x.certainty, x.basis, x.profile, x.message_id,
       x.exchange_id, x.summary, l.level, l.text AS clause, l.url
FROM findings x
LEFT JOIN connection c ON c.id = x.connection_id
LEFT JOIN frame f ON f.id = x.message_id
LEFT JOIN clause l ON l.name = x.clause
ORDER BY f.source, f.line, x.code, x.id;
