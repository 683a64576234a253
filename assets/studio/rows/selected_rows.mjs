// The selection of a panel: finding rows, listing those that are selected with what distinguishes
// them, and what can be done with them.
import { ask, requested, save, sentenceOf } from "../page/answers.mjs";
import { setProps, writeMarkup } from "../page/dash.mjs";
import { connectMenu } from "../page/menu.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { addToPanels } from "../panel/features.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { followRevision } from "../panel/run_list.mjs";
import { bringToFront, stage } from "../panel/runs.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { chosen, markedRow, selectedRows, selectRows } from "./singled_out.mjs";

const POLL_MS = 700;
const SETTLED_MS = 200;
// What is asked before rows are marked.
const MARKS = { "new-class": "Name of the class", "new-column": "Name of the column" };

/** @type {WeakMap<Panel, SelectionCard>} */
const cards = new WeakMap();

export function addSelectedRows() {
  addToPanels((panel) => {
    const card = new SelectionCard(panel);
    cards.set(panel, card);
    panel.node.addEventListener("panel:painted", () => card.refreshSoon());
  });
  onChange(stage, () => cards.get(frontPanel())?.refreshSoon());
  onChange(chosen, () => {
    const card = cards.get(frontPanel());
    card?.say(""); // how the rows before were found
    card?.refreshSoon();
  });
}

class SelectionCard {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.shown = null; // the question that the list answers
    this.rows = []; // of the list
    this.markCommand = "";
    this.markName = panel.part("mark-name");
    panel.part("row-finder").onsubmit = (event) => {
      event.preventDefault();
      this.find(() => ask(`runs/${panel.run}/rows-named?text=${encodeURIComponent(panel.part("wanted-rows").value)}`));
    };
    panel.part("find-suspects").onclick = () => this.find(() => this.suspects());
    const findOutliers = panel.part("find-outliers"); // a nonlinear projection has none
    if (findOutliers) findOutliers.onclick = () => this.find(() => ask(addressOf(panel, "outliers")), true);
    panel.part("clear-rows").onclick = () => selectRows([]);
    panel.part("leave-out").onclick = () => this.runAgain("leave-out", {});
    panel.part("put-back").onclick = () => this.putBack();
    connectMenu(panel.part("row-actions"), panel.part("row-menu"));
    panel.part("row-menu").addEventListener("click", ({ target }) => this.act(target.dataset.rows));
    panel.part("mark-form").onsubmit = (event) => {
      event.preventDefault();
      this.runAgain(this.markCommand, { value: this.markName.value.trim() });
    };
    const { edits } = panel.node.dataset;
    panel.part("edits").hidden = !edits;
    panel.part("edits-words").textContent = `This run: ${edits}`;
  }

  say(sentence, isOfOutliers = false) {
    this.panel.part("found-words").textContent = sentence;
    const plot = this.panel.part("show-distances");
    if (plot) plot.hidden = !isOfOutliers;
  }

  // Selects the rows that a question is answered with.
  async find(question, isOfOutliers = false) {
    if (!this.panel.plane) return;
    try {
      const { rows, words } = await question();
      selectRows(rows);
      this.say(words, isOfOutliers);
    } catch (error) {
      this.say(sentenceOf(error));
    }
  }

  // The server refits the method first; its answer has no rows until then.
  async suspects() {
    for (;;) {
      const answer = await ask(`runs/${this.panel.run}/suspect-labels`, {});
      if (answer.rows) {
        this.shown = null; // out-of-fold probabilities are known now
        this.panel.node.dispatchEvent(new CustomEvent("panel:calibrated"));
        return answer;
      }
      this.say(answer.words);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh().catch((error) => this.say(sentenceOf(error))), SETTLED_MS);
  }

  async refresh() {
    const { panel } = this;
    const rows = selectedRows.value && [...selectedRows.value];
    panel.part("selection").classList.toggle("has-rows", rows !== null);
    if (panel !== frontPanel() || mode.value !== "explore" || !panel.plane) return;
    const isMoving = panel.isLive && !panel.isFinal;
    if (!rows || isMoving) {
      this.shown = null;
      if (!rows) this.empty();
      return;
    }
    const address = addressOf(panel, "rows");
    const question = `${address} ${rows}`;
    if (question === this.shown) return;
    this.shown = question;
    this.list(await ask(address, { rows }));
  }

  empty() {
    this.say("");
    for (const name of ["selection-words", "differences", "selected-rows"]) this.panel.part(name).replaceChildren();
  }

  list({ rows, markup }) {
    const { panel } = this;
    const list = panel.part("selected-rows");
    writeMarkup(panel.part("selection-words"), markup.words);
    writeMarkup(panel.part("differences"), markup.differences);
    writeMarkup(list, markup.rows);
    list.querySelector(`[data-mark="${markedRow.value}"]`)?.setAttribute("aria-pressed", "true");
    this.rows = rows;
  }

  async act(action) {
    const { panel } = this;
    if (!action || !selectedRows.value) return;
    try {
      if (action === "csv") save(await requested(addressOf(panel, "rows.csv"), { rows: [...selectedRows.value] }), "rows.csv");
      if (action === "copy") await this.copy();
      if (action in MARKS) this.askForName(action);
    } catch (error) {
      this.say(sentenceOf(error));
    }
  }

  askForName(command) {
    this.markCommand = command;
    this.markName.placeholder = MARKS[command];
    this.markName.setAttribute("aria-label", MARKS[command]);
    this.panel.part("mark-form").hidden = false;
    this.markName.focus();
  }

  async copy() {
    const lines = this.rows.map((row) => [row.row, row.name, row.label, row.predicted, row.probability].join("\t"));
    await navigator.clipboard.writeText(["row\tname\tclass\tpredicted\tprobability", ...lines].join("\n"));
    this.say(`Copied ${lines.length} rows.`);
  }

  async runAgain(command, body) {
    if (!selectedRows.value) return;
    try {
      const { choice, revision } = await ask(`runs/${this.panel.run}/${command}`, { ...body, rows: [...selectedRows.value] });
      this.panel.part("mark-form").hidden = true;
      selectRows([]);
      setProps("choice", { data: choice });
      followRevision(revision);
    } catch (error) {
      this.say(sentenceOf(error));
    }
  }

  async putBack() {
    try {
      const { choice, revision, run } = await ask(`runs/${this.panel.run}/put-back`, {});
      setProps("choice", { data: choice });
      followRevision(revision);
      bringToFront(run);
    } catch (error) {
      this.say(sentenceOf(error));
    }
  }
}
