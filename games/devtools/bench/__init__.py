"""Measure the running site from outside: real server processes, real sockets."""
