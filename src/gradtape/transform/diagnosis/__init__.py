"""What `tape.explain` knows about a program, and how it finds causes in it."""
