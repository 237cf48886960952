"""How a picture looks: the palette, the words, the files that are made of a run."""
