"""The store, in a folder or on Redis; quota, scheduling, eviction, lost runs."""
