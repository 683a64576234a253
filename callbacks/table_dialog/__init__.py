"""What the dialog of the table does."""
