// The drop zone: takes a file by drop anywhere on the page, by click or by keyboard,
// sends it to the server and hands its key to the page.
(() => {
  "use strict";

  const { setProps } = window.studio;

  const SERVER_GONE = "The server does not answer. Check that the studio is running, then drop the file again.";

  async function send(file) {
    const zone = document.getElementById("drop-zone");
    const form = new FormData();
    form.append("file", file);
    zone.dataset.state = "sending";
    complain(null);
    try {
      const answer = await fetch("upload", { method: "POST", body: form });
      const result = await answer.json();
      if (answer.ok) choose(result);
      else complain(result.error);
    } catch {
      complain(SERVER_GONE);
    } finally {
      delete zone.dataset.state;
    }
  }

  function choose({ key, name }) {
    const data = { kind: "upload", key, name, label: null, standardise: true };
    setProps("choice", { data });
  }

  function complain(sentence) {
    setProps("data-error", { children: sentence });
  }

  function build(zone) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".csv,.tsv,.txt,text/csv,text/plain";
    input.setAttribute("aria-label", "Labelled CSV file");
    input.addEventListener("change", () => {
      if (input.files.length) send(input.files[0]);
      input.value = "";
    });
    const icon = document.createElement("span");
    icon.className = "icon icon-upload";
    const words = document.createElement("span");
    words.textContent = "Drop a labelled CSV here, or choose a file";
    label.append(input, icon, words);
    zone.append(label);
  }

  function takeDrops() {
    let depth = 0;
    const mark = (isOver) => document.body.classList.toggle("is-dropping", isOver);
    const isFile = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragenter", (event) => isFile(event) && mark(++depth > 0));
    addEventListener("dragleave", (event) => isFile(event) && mark(--depth > 0));
    addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      mark((depth = 0) > 0);
      if (event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
    });
  }

  takeDrops();
  window.studio.whenPresent("#drop-zone", build);
})();
