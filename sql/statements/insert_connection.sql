INSERT INTO connection (key, base, nth, named, source, channel, session, replay_of, profile, vantage, transport, complete_head,
                        one_connection, proof, resolution_us, framing, demanded_profile)
VALUES (:key, :base, :nth, :named, :source, :channel, :session, :replay_of, :profile, :vantage, :transport, :complete_head,
        :one_connection, :proof, :resolution_us, :framing, :demanded_profile);
