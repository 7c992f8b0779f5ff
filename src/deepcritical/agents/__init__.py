"""The four agents of the team: each adapts one research step to the agent framework."""
