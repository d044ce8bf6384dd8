/** Texts in Markdown: shown, and written with a preview and files. */
export { MarkdownField, MarkdownTools } from './markdown-field.tsx'
export { levelOf, Prose, referring } from './prose.tsx'
