"""PubMed: searches by E-utilities, and reads records from their XML."""
