"""What attacks, faults and extremes are tried: a little in every test run, more by hand (``python -m tests.fuzz``)."""
