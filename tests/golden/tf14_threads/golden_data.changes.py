class Records:
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

# gone: import functools

# gone: class Records def epoch

# gone: class Records def read_epoch
