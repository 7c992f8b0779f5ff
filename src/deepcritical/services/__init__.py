"""What the run keeps and looks up: the evidence store; names of drugs, targets and conditions."""
