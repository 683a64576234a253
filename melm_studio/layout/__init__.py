"""What stands on the page: ids, controls, panels."""
