"""Asking a model: rows in batches, what its numbers mean, and what it has answered."""
