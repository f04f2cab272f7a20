"""Files at URLs, by fsspec: what modules of a batch and the store that machines share ask alike."""
