INSERT OR REPLACE INTO occasion (connection, profile, client, client_high, server, server_high, proof)
VALUES (:connection, :profile, :client, :client_high, :server, :server_high, :proof);
