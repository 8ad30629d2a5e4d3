"""Evaluation of models: rows are sent in batches, and answers are checked and stored."""
