"""The commands of the command line; `main` registers them."""
