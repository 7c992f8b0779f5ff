"""The schema of the database, migration by migration."""
