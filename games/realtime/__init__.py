"""Messages to open sockets: the channel layer, this process, and messages from browsers."""
