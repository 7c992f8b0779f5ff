"""Interfaces of DeepCritical: command line, page, REST and MCP."""
