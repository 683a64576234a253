"""What figures for print and reports say and show: styles, titles of axes, shares of variance."""
