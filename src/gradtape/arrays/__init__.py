"""Functions of `tf` itself that make tensors and move, index, sort and join their elements."""
