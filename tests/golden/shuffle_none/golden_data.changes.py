WINDOW_BLOCKS = 32  # blocks whose 8192 rows are decoded together

class Records:
    def blocks(self, epoch, seed):
        """Path and manifest entry of each block of an epoch, in the order of reading."""
        return self.stored_blocks("train")

# gone: READ_CYCLE

# gone: class Records def _block_numbers

# gone: def window_order
