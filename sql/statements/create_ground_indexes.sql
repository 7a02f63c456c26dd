-- Built after the load: keeping them up to date row by row costs a quarter more.

-- The timeline of one connection, and the frames to fold again after an append.
CREATE INDEX IF NOT EXISTS frame_connection ON frame (connection);

-- `#17`: a request by its id; also ids that were used twice, and the requests of one connection.
CREATE INDEX IF NOT EXISTS frame_request ON frame (connection, rpc_id) WHERE kind = 0;
