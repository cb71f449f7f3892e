"""Date formats by language, for places where no template sets one."""
