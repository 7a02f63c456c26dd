INSERT OR IGNORE INTO clause (name, level, text, url) VALUES (:name, :level, :text, :url);
