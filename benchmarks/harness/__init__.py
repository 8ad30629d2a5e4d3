"""What ``python -m benchmarks`` is made of: games, truths, contestants in processes of their own, results, reports."""
