"""Convolutions by register tiles over what their windows see."""
