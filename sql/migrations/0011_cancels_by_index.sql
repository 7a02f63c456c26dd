-- The cancels of one connection, and the findings about one exchange: `why` asks for those of the few connections that it tells of.
-- Both tables hold only what is out of the ordinary.
CREATE INDEX cancellation_connection ON cancellation (connection);
CREATE INDEX finding_exchange ON finding (exchange) WHERE exchange IS NOT NULL;
