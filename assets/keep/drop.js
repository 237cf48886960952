// The whole page takes a file that is dropped on it, as the button Open run does. Given element and props (specviz/page/keep/files.py).

const cue = document.createElement("div");
cue.className = "sv-drop";
cue.hidden = true;
cue.setAttribute("aria-hidden", "true");
cue.append(Object.assign(document.createElement("p"), { textContent: props.words.cue }));
document.body.append(cue);
const carriesFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
let inside = 0; // a drag enters and leaves each element that it passes

function hide() {
  inside = 0;
  cue.hidden = true;
}

const heard = {
  dragenter(event) {
    inside += 1;
    cue.hidden = false;
  },
  dragover(event) {
    event.dataTransfer.dropEffect = "copy";
  },
  dragleave() {
    inside -= 1;
    if (inside <= 0) hide();
  },
  drop(event) {
    hide();
    give(event.dataTransfer.files, [...event.dataTransfer.items].some(isFolder));
  },
};

// The file goes in by the button's own input, so that it is checked and read like any other.
function give(files, folder) {
  const button = document.querySelector("#open"), input = button && button.parentElement.querySelector("input[type=file]");
  if (!input) return;
  if (files.length !== 1 || folder) return trigger("dropped", {});
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

const isFolder = (item) => {
  const entry = item.webkitGetAsEntry && item.webkitGetAsEntry();
  return Boolean(entry && entry.isDirectory);
};

for (const [name, act] of Object.entries(heard)) {
  const listen = (event) => {
    if (!element.isConnected) return removeEventListener(name, listen, true);
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.stopPropagation(); // no field of the page takes it instead
    act(event);
  };
  addEventListener(name, listen, true);
}
