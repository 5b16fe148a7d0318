"""Cluster URLs into classes, each with its regex; find the parts of URLs that mean nothing (sessions)."""
