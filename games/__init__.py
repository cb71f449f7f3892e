"""The games of the site: engine, rules, AI players, matches, live tables and email."""
