// What Mantine leaves to the page: attributes.
import { whenPresent } from "./dom.mjs";

// The page has one banner; the head of a dialog is none.
export function connectMantine() {
  whenPresent(".mantine-Modal-header, .mantine-Drawer-header", (head) => head.setAttribute("role", "presentation"));
}
