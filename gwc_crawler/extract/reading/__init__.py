"""Pages read by processes of their own (GWC_WORKERS): a body in; page, record and stripped HTML out."""
