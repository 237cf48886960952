"""The site: what the app shows, as files for any web server.

specviz site --out site/
"""
