"""The book on paper: a PDF and an EPUB."""
