"""The compiler: graphs of ops, passes over them, and programs that run them. Nothing here knows tapes or the user's code."""
