"""The commands of the terminal; `main` joins them."""
