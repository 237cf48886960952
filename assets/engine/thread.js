// The second thread of a pass (specviz/engine/compiled/threads.py), over the memory of the worker that starts it: it takes
// part in passes, and sleeps between them.

addEventListener("message", ({ data: { module, memory, stack, call } }) => {
  const exports = /** @type {any} */ (new WebAssembly.Instance(module, { env: { memory } }).exports);
  exports.__stack_pointer.value = stack;
  postMessage("ready");
  exports.serve_passes(call);
});
