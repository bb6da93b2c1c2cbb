WINDOW_BLOCKS = 32  # blocks whose 8192 rows are decoded together

class Records:
    def blocks(self, epoch, seed):
        """Path and manifest entry of each block of an epoch, in the order of reading."""
        return self.stored_blocks("train")

    def read_epoch(self, epoch, seed, first_row, size, threads):
        """The batches of an epoch from a row on, in its order."""
        _, first, skipped = self.epoch(epoch, seed, first_row)
        order = stored_order
        return rebatch(read_ahead(self.blocks(epoch, seed), first, skipped, order, threads), size)

# gone: import functools

# gone: READ_CYCLE

# gone: class Records def _block_numbers

# gone: def window_order
