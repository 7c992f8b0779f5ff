"""Sources of evidence, each behind the same `SearchTool` protocol."""
