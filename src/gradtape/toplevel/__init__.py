"""Classes and functions of `tf` itself that belong to no other room."""
