"""The tools for other people's agents, by the Model Context Protocol: stdio and streamable HTTP."""
