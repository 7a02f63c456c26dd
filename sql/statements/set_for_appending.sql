-- Adding to a database in one transaction: the default journal makes it all or nothing.
-- References are declared for readers; checking them costs a lookup a row, and the writer keeps them itself.
PRAGMA foreign_keys = OFF;
PRAGMA cache_size = -4096;
