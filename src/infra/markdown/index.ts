/** Renders Markdown to safe HTML, or to plain text. */
export { markdownToText, renderMarkdown } from './render.ts'
