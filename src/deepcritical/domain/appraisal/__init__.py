"""Evidence weighed for a question: findings, votes, rows and the verdict."""
