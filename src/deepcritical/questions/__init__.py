"""From a question to a frame: what is asked, of what, in whom; or why it is declined."""
