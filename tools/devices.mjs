// Writes internal/device/devices.json from the devices of the npm package playwright-core:
//
//	npm install --prefix DIR playwright-core@VERSION && node tools/devices.mjs DIR >internal/device/devices.json
//
// The file has facts only: names, sizes, and the User-Agent with {version} in place of Chromium's version.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const require = createRequire(join(resolve(process.argv[2]), "package.json"));
const { version } = require("playwright-core/package.json");
const { devices } = require("playwright-core");

const line = (name) => {
  const { userAgent, viewport, screen = viewport, deviceScaleFactor, isMobile, hasTouch } = devices[name];
  return JSON.stringify({
    name,
    userAgent: userAgent.replace(/\b(Chrome|Edg)\/[\d.]+/g, "$1/{version}"),
    width: viewport.width,
    height: viewport.height,
    screenWidth: screen.width,
    screenHeight: screen.height,
    scale: deviceScaleFactor,
    mobile: isMobile,
    touch: hasTouch,
  });
};

console.log(`{"source": "npm playwright-core (Apache-2.0), deviceDescriptors", "version": "${version}", "devices": [`);
console.log(Object.keys(devices).map(line).join(",\n"));
console.log("]}");
