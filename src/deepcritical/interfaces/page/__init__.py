"""The page in the browser: `layout` puts it together, `assets` holds what the browser runs."""
