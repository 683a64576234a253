"""What is drawn of a plane: view options, rendering, comparison, shared views, stories."""
