import { createRequire } from 'node:module'
import { escapeHtml } from '../../infra/markdown/index.ts'

/** What is used of highlight.js; its own types bring those of the browser to every file of the project. */
type HighlightJs = {
  getLanguage(name: string): unknown
  registerLanguage(name: string, language: unknown): void
  highlight(text: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

/** A text, and its grammar; null for plain text. */
export type Code = { text: string; language: string | null }

const require = createRequire(import.meta.url)
let core: HighlightJs | undefined

/** Grammars are loaded when a text needs them: all of them take 40 MiB. */
function loaded(language: string): HighlightJs {
  core ??= require('highlight.js/lib/core') as HighlightJs
  if (!core.getLanguage(language)) {
    core.registerLanguage(language, require(`highlight.js/lib/languages/${language}`))
  }
  return core
}

/** The text as HTML, in which elements with classes mark what the grammar finds. */
export function highlightedHtml({ text, language }: Code): string {
  if (language === null) return escapeHtml(text)
  return loaded(language).highlight(text, { language, ignoreIllegals: true }).value
}
