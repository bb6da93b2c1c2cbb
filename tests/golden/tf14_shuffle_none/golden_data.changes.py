WINDOW_BLOCKS = 32  # blocks whose 8192 rows are decoded together

class Records:
    def epoch(self, epoch, seed, first_row):
        """How to read an epoch from a row on: files, window to begin with, rows to drop from it."""
        window, rows = divmod(first_row, WINDOW_BLOCKS * ROWS_PER_RECORD)
        return [path for path, _ in self.shards("train")], window, rows

    def read_epoch(self, epoch, seed, first_row, size, threads):
        """The batches of an epoch from a row on, in its order: as they are stored."""
        return self.read_part("train", size, threads, first_row)

# gone: READ_CYCLE

# gone: class Records def _blocks

# gone: def window_order
