-- There are more occasions than one number has bits. Two marks that are no occasions (the log lacks the beginning, the connection
-- goes over HTTP) stood in bits 61 and 62, and go behind the occasions.
ALTER TABLE occasion ADD COLUMN client_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE occasion ADD COLUMN server_high INTEGER NOT NULL DEFAULT 0;

UPDATE occasion SET
    client_high = (client >> 61 & 3) << 62, client = client & ~(3 << 61),
    server_high = (server >> 61 & 3) << 62, server = server & ~(3 << 61);
