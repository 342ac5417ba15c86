"""The process in which a student's notebook runs: all files that are seen inside the sandbox beside the library."""
