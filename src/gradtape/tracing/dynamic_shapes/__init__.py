"""Sizes that only a run will tell: late nodes, probes, sampled shapes."""
