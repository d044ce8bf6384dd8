/** Renders Markdown to safe HTML. */
export { renderMarkdown } from './render.ts'
