"""The ops, one file per family; every rule of an op stands in its class."""
