"""Measures accuracy on labelled sets, with confidence intervals and separate halves.

A format of sets is one file here and one line in `measuring.py`.
"""
