// The selection of a panel: finding rows, listing those that are selected with what distinguishes
// them, what can be done with them, and their ways from where the plane of all rows has them to where
// planes that never saw them put them.
import { ask, requested, save, sentenceOf } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { hide, wait } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { showOnItsTable } from "../panel/commands.mjs";
import { addToPanels, addToViews } from "../panel/features.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { stage } from "../panel/runs.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { MOST_WAYS } from "../plane/animation.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { isPoints } from "../plane/traces.mjs";
import { chosen, markedRow, selectedRows, selectRows } from "./singled_out.mjs";

const POLL_MS = 700;
const SETTLED_MS = 200;
// What is asked before rows are marked.
const MARKS = { "new-class": "Name of the class", "new-column": "Name of the column" };

/** @type {WeakMap<Panel, SelectionCard>} */
const cards = new WeakMap();

/** Each plane of unseen places that has selected rows, as fitted, once that is here. @type {WeakMap<object, Plane | null>} */
const asFitted = new WeakMap();

export function addSelectedRows() {
  addToPanels((panel) => {
    const card = new SelectionCard(panel);
    cards.set(panel, card);
    panel.node.addEventListener("panel:painted", () => card.refreshSoon());
  });
  addToViews((view, panel) => {
    const plane = view.selected && panel.plane?.places?.state === "unseen" ? panel.plane : null;
    if (plane && !asFitted.has(plane)) fetchFitted(plane, panel).catch(console.warn);
    view.added.push(waysOf(view, (plane && asFitted.get(plane)) ?? null));
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
    const again = (command, body) => this.attempt(() => this.runAgain(command, body));
    const selected = () => ({ rows: [...(selectedRows.value ?? [])] });
    panel.part("leave-out").onclick = () => again("leave-out", selected());
    panel.part("put-back").onclick = () => again("put-back", {});
    panel.part("row-menu").addEventListener("click", ({ target }) => this.attempt(() => this.act(target.dataset.rows)));
    panel.part("mark-form").onsubmit = (event) => {
      event.preventDefault();
      again(this.markCommand, { ...selected(), value: this.markName.value.trim() });
    };
    const { edits } = panel.node.dataset;
    panel.part("edits").hidden = !edits;
    panel.part("edits-words").textContent = `This run: ${edits}`;
  }

  say(sentence, isOfOutliers = false) {
    this.panel.part("found-words").textContent = sentence;
    const plot = this.panel.part("show-distances");
    if (plot && !plot.open) plot.hidden = !isOfOutliers;
  }

  // Says what keeps something from being done.
  attempt(act) {
    return act().catch((error) => this.say(sentenceOf(error)));
  }

  // Selects the rows that a question is answered with.
  find(question, isOfOutliers = false) {
    return this.attempt(async () => {
      if (!this.panel.plane) return;
      const { rows, words } = await question();
      selectRows(rows);
      this.say(words, isOfOutliers);
    });
  }

  // The server refits the method first; its answer has no rows until then.
  async suspects() {
    for (;;) {
      const answer = await ask(`runs/${this.panel.run}/suspect-labels`, {});
      if (answer.rows) {
        this.shown = null; // out-of-fold probabilities are known now
        this.panel.announce("calibrated", null);
        return answer;
      }
      this.say(answer.words);
      await wait(POLL_MS);
    }
  }

  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.attempt(() => this.refresh()), SETTLED_MS);
  }

  async refresh() {
    const { panel } = this;
    const rows = selectedRows.value && [...selectedRows.value];
    panel.part("selection").classList.toggle("has-rows", rows !== null);
    hide(panel.part("clear-rows"), rows === null);
    if (panel !== frontPanel() || mode.value !== "explore" || !panel.plane) return;
    const isMoving = panel.isLive && !panel.isFinal;
    if (!rows || isMoving) {
      this.shown = null;
      if (rows) return;
      this.say("");
      panel.part("selected").replaceChildren();
      return;
    }
    const address = addressOf(panel, "rows");
    const question = `${address} ${rows}`;
    if (question === this.shown) return;
    this.shown = question;
    const answer = await ask(address, { rows });
    if (question !== this.shown) return; // meanwhile other rows are selected
    this.rows = answer.rows;
    writeMarkup(panel.part("selected"), answer.markup);
    panel.part("selected").querySelector(`[data-mark="${markedRow.value}"]`)?.setAttribute("aria-pressed", "true");
  }

  async act(action) {
    const { panel } = this;
    if (!action || !selectedRows.value) return;
    if (action === "csv") await save(await requested(addressOf(panel, "rows.csv"), { rows: [...selectedRows.value] }), "rows.csv");
    if (action === "copy") await this.copy();
    if (action in MARKS) this.askForName(action);
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

  // The run of the table that a command has changed, which there may have been before.
  async runAgain(command, body) {
    const answer = await ask(`runs/${this.panel.run}/${command}`, body);
    this.panel.part("mark-form").hidden = true;
    selectRows([]);
    showOnItsTable(answer);
  }
}

/** @param {Plane} plane @param {Panel} panel */
async function fetchFitted(plane, panel) {
  asFitted.set(plane, null);
  asFitted.set(plane, decodedPlane(await ask(panel.requests.url(`${plane.sequence}?${panel.query({ places: "fitted" })}`))));
  if (panel.plane === plane) panel.paint(true);
}

/**
 * A line for each selected row, or an empty trace where there are none, or too many.
 * @param {Pick<View, "plane" | "figure" | "selected">} view
 * @param {Pick<Plane, "traces"> | null} fitted
 * @returns {Trace}
 */
export function waysOf({ plane, figure, selected }, fitted) {
  const [x, y] = [[], []];
  const count = fitted ? selected.reduce((sum, points) => sum + points.length, 0) : 0;
  if (count && count <= MOST_WAYS) {
    const traces = figure.data.flatMap((style, i) => (isPoints(style) ? [i] : []));
    for (const [at, i] of traces.entries()) {
      const [from, to] = [fitted.traces[i], plane.traces[i]];
      for (const point of selected[at]) {
        x.push(from.x[point], to.x[point], NaN);
        y.push(from.y[point], to.y[point], NaN);
      }
    }
  }
  const line = { color: figure.layout.font.color, width: 1 };
  return { meta: { kind: "ways" }, mode: "lines", line, opacity: 0.6, x, y };
}
