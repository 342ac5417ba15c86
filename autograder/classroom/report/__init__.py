"""The page that a class's records make."""
