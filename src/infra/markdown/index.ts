/** Renders Markdown to safe HTML, or to plain text. */
export { escapeHtml } from './escape-html.ts'
export type { RenderOptions, Task } from './options.ts'
export { markdownToText, renderMarkdown } from './render.ts'
