"""What a student gets back: a page on each submission, and the way of it to the platform."""
