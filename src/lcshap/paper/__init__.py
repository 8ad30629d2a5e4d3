"""The paper: its data sets, networks and experiments, and what other implementations compute."""
