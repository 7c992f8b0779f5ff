"""The tools that callers use: their registry, their traces and the chat."""
