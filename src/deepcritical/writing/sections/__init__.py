"""The report and its sections."""
