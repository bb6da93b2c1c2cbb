WINDOW_BLOCKS = 32  # blocks whose 8192 rows are decoded together

class Records:
    def stored_blocks(self, part):
        """Path and manifest entry of each block of a part, in stored order."""
        return [(path, entry) for path, shard in self.shards(part) for entry in shard["blocks"]]

    def blocks(self, epoch, seed):
        """Path and manifest entry of each block of an epoch, in the order of reading."""
        return self.stored_blocks("train")

# gone: READ_CYCLE

# gone: def window_order
