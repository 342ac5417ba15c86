"""A course as a static site: pages to read, and JupyterLite to work in, for any web server."""
