"""Tests of the checks of sentences; every study, name and number in here is made up."""
