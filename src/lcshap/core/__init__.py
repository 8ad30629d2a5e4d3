"""The mathematics: graphs, coalitions, plans, games, and what comes out. Knows no model and draws nothing."""
