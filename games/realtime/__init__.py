"""Getting messages to open sockets: the channel layer, this process, what browsers may say."""
