"""The engine without a model and without a network: rules and statistics over what people type."""
