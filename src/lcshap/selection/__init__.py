"""The selection of a method, and the distance of local scores from the Shapley value."""
