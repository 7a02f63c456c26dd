-- Built after the load: keeping them up to date row by row costs a quarter more.

-- `#17`: a request by its id. With the direction, ids that one side used twice are found without reading a frame.
CREATE INDEX IF NOT EXISTS frame_request ON frame (connection, rpc_id, direction) WHERE kind = 0;
