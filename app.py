"""Starts the page for Hugging Face Spaces; `make run` starts it in the same way."""

from deepcritical.interfaces.main import main

if __name__ == "__main__":
    main(["serve"])
