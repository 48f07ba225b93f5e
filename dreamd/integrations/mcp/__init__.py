"""The MCP server: memory and past sessions for an agent that asks."""
