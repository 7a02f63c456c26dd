INSERT INTO occasion (connection, profile, client, client_high, server, server_high, proof)
VALUES (:connection, :profile, 0, 0, :server, :server_high, :proof)
ON CONFLICT (connection, profile) DO UPDATE SET server = excluded.server, server_high = excluded.server_high;
