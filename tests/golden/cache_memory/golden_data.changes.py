class Records:
    def read_part(self, part, size, threads):
        """The batches of a part, in stored order."""
        return rebatch(read_ahead(self.stored_blocks(part), 0, 0, stored_order, threads), size)

    def held(self, part, budget, threads):
        """All rows of a part, in stored order; behind them, one that pads a batch.

        UserError if all parts would take more memory than the budget.

        budget: in bytes, or None for half of the memory that the machine has.
        """
        budget = budget or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        size = sum(map(self.rows, self.parts)) * ROW_BYTES
        if size > budget:
            needed = f"the rows take {size / 1e6:,.0f} MB of memory"
            most = f"at most {budget / 1e6:,.0f} may be used"
            raise UserError(f"{self.folder}: {needed}, {most} (pipeline.ram_budget_mb)")
        count, first = self.rows(part) + 1, 0
        rows = Batch(*(np.empty((count,) + c.shape, c.dtype) for c in COLUMNS))
        for batch in self.read_part(part, ROWS_PER_RECORD, threads):
            for whole, values in zip(rows, batch):
                whole[first : first + len(values)] = values
            first += len(batch.row_id)
        for whole, padding in zip(rows, PADDING):
            whole[first] = padding
        return rows

    def order(self, epoch, seed):
        """The rows of an epoch by their place in stored order: windows of blocks, permuted."""
        counts = [entry[0] for _, entry in self.stored_blocks("train")]
        stored = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
        blocks = [stored[number] for number in self._block_numbers(epoch, seed)]
        order = []
        for window, first in enumerate(range(0, len(blocks), WINDOW_BLOCKS)):
            rows = np.concatenate(blocks[first : first + WINDOW_BLOCKS])
            order.append(rows[window_order(seed, epoch, window, len(rows))])
        return np.concatenate(order)

def read_block(path, entry):
    """The stored bytes of a block, of which the manifest has an entry; UserError if damaged."""
    _, offset, size, checksum = entry
    with open(path, "rb") as file:
        file.seek(offset + 12)  # past the length and its checksum
        block = file.read(size)
    if zlib.crc32(block) != checksum:
        raise damaged(path, offset)
    return block

def decode(blocks):
    """All rows of consecutive blocks, in stored order."""
    counts = [len(block) // ROW_BYTES for block in blocks]
    columns, offset = [], 0
    for column in COLUMNS:
        size = int(np.prod(column.shape))
        pieces = [
            np.frombuffer(block, column.dtype, rows * size, rows * offset)
            for block, rows in zip(blocks, counts)
        ]
        columns.append(np.concatenate(pieces).reshape((-1,) + column.shape))
        offset += size * column.dtype.itemsize
    return Batch(*columns)

def stored_order(window, rows):
    return np.arange(rows)

def read_ahead(blocks, first, skipped, order, threads):
    """The rows of each window from a first one on, and their order; threads read the next one."""
    windows = [blocks[i : i + WINDOW_BLOCKS] for i in range(0, len(blocks), WINDOW_BLOCKS)]
    with ThreadPoolExecutor(threads) as pool:
        coming = pool.map(read_block, *zip(*windows[first]))
        for number, window in enumerate(windows[first + 1 :] + [[]], first):
            ready, coming = list(coming), pool.map(read_block, *zip(*window))
            rows = decode(ready)
            yield rows, order(number, len(rows.row_id))[skipped if number == first else 0 :]

def rebatch(windows, size):
    """Batches out of windows, which are rows and their order; the last one has what is left."""
    pieces, missing = [], size
    for rows, order in windows:
        # One gather for a window; a batch is a view of it, but for one that spans two windows.
        rows, first = Batch(*(values.take(order, 0) for values in rows)), 0
        while first < len(order):
            pieces.append(Batch(*(values[first : first + missing] for values in rows)))
            first, missing = first + missing, missing - len(pieces[-1].row_id)
            if not missing:
                yield joined(pieces)
                pieces, missing = [], size
    if pieces:
        yield joined(pieces)

def joined(pieces):
    return pieces[0] if len(pieces) == 1 else Batch(*map(np.concatenate, zip(*pieces)))

# gone: class Records def epoch
