"""What an instructor takes into class: slides made of a unit, and a page on its exercises."""
