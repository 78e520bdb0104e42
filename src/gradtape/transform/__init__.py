"""Transformations of what ran: the tape, its backward pass, forward mode, vectorising, explaining."""
