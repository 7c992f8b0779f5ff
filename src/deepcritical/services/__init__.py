"""What the run keeps and looks up: the evidence store and the names of drugs, targets and conditions."""
