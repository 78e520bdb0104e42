"""Kernels along rows, in several passes."""
