"""Pooling: maxima and means of windows, and the ways back."""
