"""Messages to open sockets: the channel layer, this process, and what browsers may say."""
