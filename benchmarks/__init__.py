"""Measurements of lcshap. ``python -m benchmarks`` compares it with other libraries; the other files are scripts."""
