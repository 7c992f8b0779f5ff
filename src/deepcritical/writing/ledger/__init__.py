"""The claim ledger: checks of printed sentences, also of stored reports."""
