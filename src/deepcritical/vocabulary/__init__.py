"""Names as data: drugs, classes of drugs, conditions, and the nodes of mechanisms."""
