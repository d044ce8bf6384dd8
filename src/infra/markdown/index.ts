/** Markdown as people write it in descriptions, to HTML that any page may show. */
export { renderMarkdown } from './render.ts'
