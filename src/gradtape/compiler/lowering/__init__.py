"""From fused nodes to launches, and to the numbers that the driver reads."""
