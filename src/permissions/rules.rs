//! Rules: `Tool` or `Tool(pattern)` (SPEC R3).
