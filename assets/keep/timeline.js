async () => {
  // The timeline, drawn again by Plotly in the colours of the page and under the settings of the run, as a file. FORMAT, NAME, DONE
  // and NONE are put in front (specviz/page/keep/pictures.py). Returns the status line.
  const race = document.querySelector("#race"), plot = race && race.querySelector("#timeline .js-plotly-plot");
  if (!plot || !window.Plotly || !plot.data || !plot.data.length) return NONE;
  const colour = (name) => getComputedStyle(race).getPropertyValue("--sv-" + name).trim();
  const line = race.querySelector(".sv-settings-line");
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;"); // Plotly reads a few tags in its texts
  const axis = (own) => ({ ...own, color: colour("muted"), gridcolor: colour("rule"), linecolor: colour("rule") });
  const { layout } = plot;
  const figure = {
    data: plot.data,
    layout: {
      ...layout, width: 1200, height: 300, autosize: false, paper_bgcolor: colour("page"), plot_bgcolor: colour("page"),
      font: { ...layout.font, color: colour("ink") }, xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
      margin: { l: 110, r: 24, t: 84, b: 56 },
      title: { text: escaped(line ? line.textContent : ""), font: { size: 14, color: colour("muted") }, x: 0.01, xanchor: "left", y: 0.97, yanchor: "top" },
    },
  };
  const link = document.createElement("a");
  link.href = await window.Plotly.toImage(figure, { format: FORMAT, width: 1200, height: 300, scale: FORMAT === "png" ? 2 : 1 });
  link.download = NAME;
  link.click();
  return DONE;
}
