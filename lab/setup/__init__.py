"""The setting up of a machine: the environment, browsers and servers that the tests need."""
