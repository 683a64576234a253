"""The studio for programs and terminals: its HTTP interface from the other side, and commands."""
