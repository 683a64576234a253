"""Parts that every kind of run needs: its rows, turns, reports and derived planes."""
