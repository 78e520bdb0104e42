"""Kernels in this process and on disk, and what runs programs of them: the driver, the thread pool, straight-line Python."""
