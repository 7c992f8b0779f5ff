"""Schedules of the research steps: the Magentic team and its guided manager."""
