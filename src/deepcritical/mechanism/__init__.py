"""From curated facts and read studies to a signed graph, and from it to mechanism chains."""
