// The functions the engine calls in the isolated world of a frame.

import { watchStates } from "./apart";

export { adoptClosedRoot } from "./dom";
export { byId, idOf } from "./refs";
export { snapshot, suspects } from "./snapshot";
export { elements } from "./refs";
export { awaitChecked, intoView, link, revealed, toggle } from "./act";
export { awaitState, check } from "./check";
export { draggable, dragged, dragRest, dragUnderWay, watchDrag } from "./drag";
export { turn } from "./editor";
export { readClipboard, writeClipboard } from "./clipboard";
export { environment, permissions } from "./environment";
export { awaitEntered, choiceShows, endContent, focusOn, pasteInto, selectContent, selectOptions, selectValue, startFill, startType, startUpload, takeEntered, uploaded, uploadField, windowFocus } from "./fill";
export { leaveExclusive } from "./exclusive";
export { markup, source } from "./markup";
export { vitals } from "./vitals";
export { locator } from "./locator";
export { loginForm } from "./login";
export { count, find, located, matches, named, node, successor, texts } from "./locate";
export { afterTimers, attribute, box, drawn, editorState, html, idle, status, styles, text, value, viewport } from "./read";
export { acceptsDrop, observeFrame, takeEventReport, awaitEventReport } from "./observer";
export { updateInternals, withInternals } from "./internals";
export { boxes, pixelRatio } from "./boxes";
export { encodePicture } from "./picture";
export { busy, settle } from "./settle";
export { scroll } from "./scroll";
export { slider } from "./slide";
export { pageTools } from "./tools";
export { touched, watchTouch } from "./touch";

watchStates();
