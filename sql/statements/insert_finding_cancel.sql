INSERT OR IGNORE INTO finding_cancel (message, exchange, finding) VALUES (?1, ?2, ?3);
