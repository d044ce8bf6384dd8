/** Renders Markdown to safe HTML, or to plain text. */
export { markdownToText, type RenderOptions, renderMarkdown } from './render.ts'
