"""Sources that curate what is known of drugs, asked about one drug at a time."""
