WINDOW_BLOCKS = 4  # blocks whose 1024 rows are shuffled together
