HOST_PREFETCH = 8  # batches kept ready on the host

PARALLEL_CALLS = 3
