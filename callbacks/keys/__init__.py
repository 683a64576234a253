"""What says who a visitor is, apart from the cookie."""
