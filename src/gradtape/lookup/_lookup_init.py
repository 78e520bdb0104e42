"""Tables from keys to values: Python's dictionaries, which functions ask when they run."""
