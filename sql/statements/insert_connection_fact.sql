INSERT OR REPLACE INTO connection_fact (connection, profile, logger, inferred, client_name, server_name, first_frame,
                                        last_frame, first_at_us, last_at_us, messages, requests, cancels, complete_head,
                                        complete_tail, has_gap, timed)
VALUES (:connection, :profile, :logger, :inferred, :client_name, :server_name, :first_frame, :last_frame, :first_at_us,
        :last_at_us, :messages, :requests, :cancels, :complete_head, :complete_tail, :has_gap, :timed);
