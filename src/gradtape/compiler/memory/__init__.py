"""Where values lie between kernels."""
