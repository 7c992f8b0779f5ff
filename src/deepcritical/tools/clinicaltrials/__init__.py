"""ClinicalTrials.gov: searches by its API, and reads records of trials."""
