"""How a picture looks: the palette and the charts. Plotly lives here and nowhere else."""
