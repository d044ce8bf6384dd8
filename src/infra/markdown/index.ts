/** Renders Markdown to safe HTML, or to plain text. */

export { markdownToText, renderMarkdown } from './render.ts'
export type { RenderOptions, Task } from './tasks-and-references.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text as it is written in HTML, between tags or inside of quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => entities[mark] ?? '')
}
