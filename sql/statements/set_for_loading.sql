-- A file that nobody sees before it is whole needs no journal and no sync on the way.
-- A larger cache is slower: it touches more memory. Larger pages cost bytes and save time.
PRAGMA page_size = 16384;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA foreign_keys = OFF;
PRAGMA cache_size = -3072;
