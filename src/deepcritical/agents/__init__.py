"""The four agents of the team: adapters from the agent framework to one research step each."""
