"""How an agent reads what dreamd keeps: hook, plugin, MCP server, and the lines that connect them."""
