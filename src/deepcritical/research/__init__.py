"""The steps of research, and the rules that stop it.

The steps are the product; teams and loops are schedules of them.
"""
