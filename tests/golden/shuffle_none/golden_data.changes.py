WINDOW_BLOCKS = 32  # blocks whose 8192 rows are decoded together

class Records:
    """A prepared set: where its blocks are, and in which order an epoch reads them."""

    def __init__(self, folder):
        self.folder = folder
        try:
            with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
                self.manifest = json.load(file)
        except (OSError, ValueError) as error:
            raise UserError(f"{folder}: {error}; prepare --fresh makes it anew") from error
        self.parts = self.manifest["parts"]
        for path, shard in self.shards(*self.parts):
            if not os.path.exists(path) or os.path.getsize(path) != shard["bytes"]:
                raise UserError(f"{path}: missing or cut; prepare --fresh makes it anew")

    def rows(self, part):
        return self.parts[part]["rows"]

    def shards(self, *parts):
        """Path and manifest entry of each shard, in stored order."""
        shards = [shard for part in parts for shard in self.parts[part]["shards"]]
        return [(os.path.join(self.folder, shard["file"]), shard) for shard in shards]

    def epoch(self, first_row):
        """How to read an epoch from a row on: files, window to begin with, rows to drop from it."""
        window, rows = divmod(first_row, WINDOW_BLOCKS * ROWS_PER_RECORD)
        return [path for path, _ in self.shards("train")], window, rows

    def check_blocks(self):
        """Read all of it; UserError names the first damaged record."""
        for path, shard in self.shards(*self.parts):
            with open(path, "rb") as file:
                for offset, size, _, checksum in shard["blocks"]:
                    file.seek(offset + 12)  # past the length and its checksum
                    if zlib.crc32(file.read(size)) != checksum:
                        fault = f"damaged record at byte {offset}"
                        raise UserError(f"{path}: {fault}; prepare --fresh makes it anew")

# gone: READ_CYCLE

# gone: def window_order
