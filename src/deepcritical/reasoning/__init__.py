"""Judgements over the store, behind one protocol; the extractive reasoner needs no model."""
