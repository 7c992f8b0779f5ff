"""The MCP server for agents of others: over stdio and streamable HTTP."""
