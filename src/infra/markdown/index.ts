/** Renders Markdown to safe HTML, or to plain text. */
export { escapeHtml } from './escape-html.ts'
export { markdownToText, type RenderOptions, renderMarkdown } from './render.ts'
