"""The application: tables, runs, views, figures and the layout of the page."""
