"""NumPy's protocols: `np.sin(t)` on tensors is a recorded op."""
