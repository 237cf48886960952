// A hand-out has no server and no Gradio: this gives the player what it expects (specviz/page/keep/handout.py).

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.classList.toggle("dark", dark.matches);
dark.addEventListener("change", theme);
theme();

function play(player) {
  const { picture, ...props } = JSON.parse(document.querySelector("#sv-data").textContent);
  player(document.querySelector("#race"), { ...props, value: JSON.stringify(picture) }, () => {});
}
