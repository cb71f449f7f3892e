"""The web process: a server (Daphne, or uvicorn if ``SERVER`` says so) with our limits, and what runs beside it."""
