INSERT INTO cancellation (id, connection, message, sender, mechanism, is_foreign, target_rpc_id, exchange, target_method,
                          sent_at_us, delay_us, reason, effect, effect_message, effect_at_us, response_code)
VALUES (:id, :connection, :message, :sender, :mechanism, :is_foreign, :target_rpc_id, :exchange, :target_method,
        :sent_at_us, :delay_us, :reason, :effect, :effect_message, :effect_at_us, :response_code);
