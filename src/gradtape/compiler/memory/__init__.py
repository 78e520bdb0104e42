"""Memory for values between kernels."""
