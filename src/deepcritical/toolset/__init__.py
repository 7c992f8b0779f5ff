"""Tools, documents of users and similar former runs, for chat, page, API and MCP."""
