-- A connection that reads. What belongs together lies a few thousand pages apart in a large database (a request, its answer, what
-- is said of it): a cache of a thousand pages reads most of them once.
PRAGMA query_only = ON;
PRAGMA cache_size = -16384;
