// The entry of the page on which an audience follows a talk. melm_studio/layout/scripts.py puts
// it and all that it imports into one file.
import { openTalk } from "./studio/present/audience/talk.mjs";

openTalk();
