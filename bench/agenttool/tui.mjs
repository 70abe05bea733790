// What the extension imports of pi's terminal library. Nothing is drawn here.
export class Text {}
export const getKeybindings = () => ({});
export const truncateToWidth = (text) => text;
