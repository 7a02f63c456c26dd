-- A connection that reads.
PRAGMA query_only = ON;
PRAGMA cache_size = -4096;
