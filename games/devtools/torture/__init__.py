"""Kill the processes of a site during play, and prove that what players saw is what is stored."""
