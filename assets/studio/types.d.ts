// What the server sends and the modules pass to each other, for the type checker alone: every module knows these names.

/** A run on the page. */
type Panel = import("./panel/panel.mjs").Panel;

type Extent = [low: number, high: number];
type Axes = [x: Extent, y: Extent];
type Point = [x: number, y: number];

/** How a plane is viewed; null stands for "as the run found it". */
interface ViewOptions {
  gamma: number | null;
  /** How many features are kept, the strongest. */
  n_top_features: number | null;
  /** Another run and the share of the way to its plane: the newest, or the one of that number; and
   * the number of its plane where the way begins, if not at the run's own. */
  morph: [run: string, share: number, plane?: number | null, origin?: number] | null;
  /** Loadings set by hand, in their order. */
  edits: [feature: number, x: number, y: number][];
  /** Azimuth and elevation in radians, of three components. */
  view_angle: [azimuth: number, elevation: number] | null;
  /** The weight of the batches with which the plane is refitted. */
  batch_weight: number | null;
  /** Where the rows are drawn once the refits of the run are known; null for where planes that never saw them put them. */
  places: "fitted" | null;
}

/** What a panel is made from, as melm_studio/layout/panel.py says it. */
type DescribedPanel = Record<
  "run" | "label" | "title" | "gamma" | "components" | "has" | "space" | "edits" | "projection",
  string
>;

/** A plane of the tree of a run, as melm_studio/analyses/tree.py says it. */
interface TreePlane {
  plane: number;
  gamma: number;
  y: number;
  /** The planes that the arrow keys lead to, by their places in the list. */
  steps: { left: number; right: number; up: number; down: number };
  words: string;
}

interface Tree {
  run: string;
  is_final: boolean;
  can_begin: boolean;
  fraction: number;
  stage: string;
  words: string;
  branches: { letter: string; words: string; planes: number[]; best: number }[];
  planes: TreePlane[];
  figures: Record<string, { data: object[]; layout: object }>;
}

/** What a trace of a plane shows (melm_studio/planes/traces.py). */
type PlaneTrace =
  | "contour"
  | "train"
  | "held_out"
  | "threshold"
  | "faint_arrows"
  | "arrow_lines"
  | "arrow_heads"
  | "outside"
  | "class_names"
  | "class_ellipse"
  | "mean_ellipse"
  | "centroid"
  | "fitted_outline";

/** What a trace of the curve shows. */
type CurveTrace = "band" | "steps" | "best" | "held_out" | "starts" | "records";

interface TraceMeta {
  kind: PlaneTrace | CurveTrace | "unlabeled" | "new_rows" | "ring" | "ways"; // the last of scripts alone
  class?: number;
}

interface Trace {
  meta: TraceMeta;
  mode: string;
  x?: any;
  y?: any;
  [property: string]: any;
}

/** The styles of a run's figures, without data; `rows` are the rows of the file by trace. */
interface Figure {
  plane: { data: Trace[]; layout: any };
  curve: { data: Trace[]; layout: any };
  rows: number[][];
  classes: string[];
  /** The color behind the picture. */
  surface: string;
  /** How many rows of the table have no class. */
  unlabeled: number;
  /** Whether the traces draw a sample of the rows. */
  is_sample: boolean;
}

/** One plane as it is drawn: the arrays of every trace of the figure, and its scores. */
interface Plane {
  sequence: number;
  traces: Record<string, any>[];
  limits: Axes;
  /** Titles of the axes. */
  axes: string[];
  arrows: {
    features: number[];
    names: string[];
    /** Where features bend, what stands at their arrows. */
    labels?: string[];
    scale: number;
    of: number;
    /** Where features bend, the values of each along its path; null of a straight one. */
    values?: (number[] | null)[];
  };
  top_features: string | null;
  /** What is known about batches in the plane; null without a Batch column. */
  batches: { words: string; weight: number; can_act: boolean } | null;
  strip: VerdictWords;
  numbers: Record<string, number | null>;
  sample: string;
  caption: string;
  /** What makes it another plane than that of the run, as a sentence; empty if nothing does. */
  changes: string;
  /** Where its rows are drawn; null where there are no refits. Without a state, the words say why there is one only. */
  places: { state: "unseen" | "fitted" | ""; warning: string; words: string } | null;
  has_held_out: boolean;
  gamma?: number;
  /** The address that it was requested by; absent for planes that came with the news. */
  address?: string;
}

/** Held-out accuracy by kernel width, from smooth to local; `chosen` once all folds are done. */
interface GammaPath {
  gammas: number[];
  accuracies: number[];
  standard_errors: number[];
  n_folds: number;
  chosen: number | null;
}

/** What the strip shows, see melm_studio/scores.py; `check` is null before it was asked for. */
interface VerdictWords {
  answer: string;
  lead: string;
  /** Why what is told apart may not be the classes. */
  caution: string;
  follow: string;
  /** What narrow panels leave out. */
  more: string;
  /** The columns that are to be left out, if they are the caution. */
  remedy: string[];
  /** Whether straight features tell nothing or few apart, and curved ones might tell more. */
  offers_curves: boolean;
  notes: string[];
  tooltip: string;
  /** What a screen reader says. */
  spoken: string;
  check: { stage: string; fraction: number; is_final: boolean } | null;
}

/** What the frames route reports of one run. */
/** Mean and band over folds, by the number of the plane. */
interface FoldsCurve {
  x: number[];
  mean: number[];
  lower: number[];
  upper: number[];
}

interface News {
  state: string;
  is_final: boolean;
  /** The kernel width of the run, and for one that chooses it the held-out accuracies so far. */
  gamma: number;
  /** The kernel width of the densities that are drawn. */
  density_gamma: number;
  gamma_path: GammaPath | null;
  words: string;
  fraction: number;
  sequences: number[];
  objective: number[];
  best: number[];
  starts: number[];
  /** The number of rows that each value is over, 0 for all. */
  n_sampled: number[];
  /** Sequences of the best planes, and their held-out divergence. */
  held_out: [number, number][];
  plane: Plane | null;
  /** Of a run whose refits are done: held-out divergence along its planes, where that is known. */
  refitted: { curve: FoldsCurve | null } | null;
  verdict: VerdictWords | null;
  /** What the strip says of the best plane so far, if one of these planes is the best. */
  best_strip: VerdictWords | null;
}

/** A view that the server has restored: the run that shows it, and how. */
interface RestoredView {
  choice?: unknown;
  run: string;
  mode: string;
  hidden: string[];
  layers: string[];
  marks: { colorBy: string | null; shapeBy: string | null; newRows: { key: string; name: string } | null };
  options: Partial<ViewOptions>;
  /** What the plane of another number is of, if the view shows one. */
  other: "tree" | "resamples" | null;
  plane: number | null;
  divergence: number | null;
  caution: string | null;
  quiet: boolean;
}

/** One row in a plane, as melm_studio/rows says it. */
interface RowSummary {
  row: number;
  name: string;
  label: string;
  /** Empty of a row that is unlike those of the fit, as its probability. */
  predicted: string;
  probability: string;
  basis: string;
  unlike: string;
  /** The classes that it may be of, where that is not the predicted one alone. */
  possible: string;
}

/** The colors or symbols of the points of each trace, and what they stand for. */
interface PointMarks {
  marks: string[][];
  legend: { text: string; mark: string }[];
  /** The legend as HTML. */
  markup: string;
}

/** The card of a row, as HTML. */
interface RowDetails {
  markup: string;
}

interface StoryView {
  title: string;
  caption: string;
  notes?: string;
  view: { mode: string };
}

/** The axes of a drawn figure in pixels, whoever has laid them out. */
interface PixelAxis {
  offset: number;
  length: number;
  gridColor: string;
  tickStep?: number;
  /** The font of its numbers. */
  numbers?: { size: number; color: string; family: string } | null;
}

/** Pixels of data: offset + scale * value, on each axis. */
interface DrawnAxes {
  x: { offset: number; scale: number };
  y: { offset: number; scale: number };
}

interface HTMLElementEventMap {
  "panel:news": CustomEvent<News>;
  "panel:plane": CustomEvent<Plane>;
  "panel:painted": CustomEvent<Plane>;
  /** The probabilities of rows are calibrated from now on. */
  "panel:calibrated": CustomEvent<null>;
  /** Where the pointer is, in pixels of the picture; null once it is away, or drags. */
  "panel:point": CustomEvent<Point | null>;
  "panel:hover": CustomEvent<{ row: number | null; at: Point; label: string } | null>;
  "panel:file": CustomEvent<File>;
  "panel:options": CustomEvent<ViewOptions>;
}
interface Window {
  /** What the presenter's window asks of the page that has opened it. */
  presented: (asking: Window) => Promise<typeof import("./present/presenter_window.mjs")>;
  Plotly: any;
  dash_clientside: any;
  dash_component_api: any;
  DashRenderer: new () => unknown;
  dashMantineFunctions: Record<string, Function>;
}
