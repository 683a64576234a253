// Which files are opened as a project, and not read as a table.
import assert from "node:assert/strict";
import { test } from "node:test";

import { isProject } from "../../assets/studio/workspace/project.mjs";

test("a project is known by its name, also where a program has added that of the format", () => {
  for (const name of ["blood.melm", "Blood.MELM", "blood.melm.zip"]) assert.ok(isProject({ name }), name);
  for (const name of ["blood.csv", "blood.zip", "melm.csv"]) assert.ok(!isProject({ name }), name);
});
