"""How people and programs use DeepCritical: so far, the command line."""
