// The packages, from the folder that the first argument of the program names.
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
export const { chromium } = require("playwright-core");
export const axe = require("axe-core").source;
