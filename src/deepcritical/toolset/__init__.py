"""What chat, page, API and MCP offer over runs: tools, documents of users, similar former runs."""
