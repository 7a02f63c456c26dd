-- A database that goes with the process: no journal, no sync. It is written once and mostly read in order, so that a small cache
-- does; and what a sort holds (for an index) is 250 pages, so that small pages keep it small.
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA foreign_keys = OFF;
PRAGMA cache_size = -1024;
