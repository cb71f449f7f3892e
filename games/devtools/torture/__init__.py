"""Kill processes of a site during play, and prove that everything players saw is stored."""
