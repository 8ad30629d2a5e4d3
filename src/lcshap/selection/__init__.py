"""Which method to choose, and how far local scores are from the Shapley value."""
