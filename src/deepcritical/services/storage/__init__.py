"""The database of runs: engines, tables, migrations, and what is stored in it."""
