"""The web page: `layout` assembles it, `assets` holds its scripts and styles."""
