"""The dialog of the table: its columns, its classes, and their preparation."""
