// The entry of the page's scripts: connects every feature, then starts Dash. Traces are dressed in
// the order in which features are connected here.
import { connectComparison } from "./studio/comparison.mjs";
import { loadPlotly } from "./studio/drawing/plotly.mjs";
import { connectFrontRun } from "./studio/front_run.mjs";
import { connectControls } from "./studio/page/callbacks.mjs";
import { connectColumns } from "./studio/page/columns.mjs";
import { startDash } from "./studio/page/dash.mjs";
import { whenIdle } from "./studio/page/dom.mjs";
import { connectMantine } from "./studio/page/mantine.mjs";
import { connectNotice } from "./studio/page/notice.mjs";
import { connectSurface } from "./studio/page/surface.mjs";
import { connectUpload } from "./studio/page/upload.mjs";
import { addArrowLabels } from "./studio/panel/arrow_labels.mjs";
import { addDownloads } from "./studio/panel/downloads.mjs";
import { addRunCommands } from "./studio/panel/run_commands.mjs";
import { takeTemplate } from "./studio/panel/template.mjs";
import { addPlaneEditing } from "./studio/plane_editing/plane_editing.mjs";
import { connectKeys } from "./studio/present/keys.mjs";
import { connectPlayBar, playMorph } from "./studio/present/play_bar.mjs";
import { startRunLoop } from "./studio/run_loop.mjs";
import { connectSelection } from "./studio/selection/selection.mjs";
import { connectSharedViews } from "./studio/views/share_link.mjs";
import { connectStory } from "./studio/views/story.mjs";

takeTemplate(); // before anything that makes panels
connectMantine();
connectControls();
connectSharedViews();
connectNotice();
connectUpload();
connectColumns();
connectSurface();
connectStory();
addDownloads();
addRunCommands();
connectComparison();
connectFrontRun();
connectPlayBar();
connectKeys(playMorph);
connectSelection();
addPlaneEditing();
addArrowLabels();
startRunLoop();
startDash();
whenIdle(loadPlotly);
