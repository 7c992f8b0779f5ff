"""Measures the product on labelled sets, with intervals and with halves apart.

A format of sets is one file here and one line in `measuring.py`.
"""
