"""Runs as jobs: submit, tail, cancel.

A run belongs to the process, never to the interface that started it.
"""
