import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { escapeHtml } from '../../infra/markdown/index.ts'
import { openThreadPool, type ThreadPool } from '../../infra/threads/index.ts'
import { type Html, trusted } from '../html/index.ts'
import { type Code, highlightedHtml } from './highlighter.ts'

export type { Code } from './highlighter.ts'
export { languageOf } from './languages.ts'

/** Up to so many characters, which take a few milliseconds, no thread is asked. */
const shortTexts = 8 * 1024
/** Longer texts have no colours: a browser would be slow with so many elements. */
const longestTexts = 256 * 1024

const bounds = { threads: 2, waiting: 20, longestWaitMs: 1_000, longestMs: 1_000, idleMs: 60_000, mostMemoryMib: 128 }
let pool: ThreadPool<readonly Code[], string[]> | undefined

/** The HTML of the texts that were asked for last, by their contents: people read the same files again. */
const recent = new LRUCache<string, string>({ maxSize: 8 * 1024 * 1024, sizeCalculation: ({ length }) => length + 1 })

const keyOf = ({ text, language }: Code) => `${language} ${createHash('sha1').update(text).digest('base64')}`

/** @throws ThreadsBusy, ThreadEnded */
async function htmlOf(texts: readonly Code[]): Promise<readonly string[]> {
  const keys = texts.map(keyOf)
  const missing = texts.filter((_, index) => !recent.has(keys[index] as string))
  const made = missing.length > 0 ? await newHtmlOf(missing) : []
  const found = new Map(missing.map((code, index) => [code, made[index] as string]))
  return texts.map((code, index) => {
    const key = keys[index] as string
    const html = found.get(code) ?? recent.get(key) ?? highlightedHtml(code)
    recent.set(key, html)
    return html
  })
}

/** @throws ThreadsBusy, ThreadEnded */
async function newHtmlOf(texts: readonly Code[]): Promise<readonly string[]> {
  const length = texts.reduce((sum, { text, language }) => sum + (language === null ? 0 : text.length), 0)
  if (length <= shortTexts) return texts.map(highlightedHtml)
  if (length > longestTexts) return texts.map(({ text }) => escapeHtml(text))
  pool ??= openThreadPool(new URL('thread-program', import.meta.url), null, bounds)
  return pool.run(texts, false)
}

/** The lines of highlighted HTML: an element that spans lines is closed, and opened again. */
function linesOf(html: string): Html[] {
  let open: string[] = []
  return html.split('\n').map((line) => {
    const before = open.join('')
    if (line.includes('<')) {
      open = [...open]
      for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) tag === '</span>' ? open.pop() : open.push(tag)
    }
    return trusted(before + line + '</span>'.repeat(open.length))
  })
}

/** The lines of each text, highlighted; without colours where that would take too long. */
export async function highlightedLines(texts: readonly Code[]): Promise<Html[][]> {
  const html = await htmlOf(texts).catch(() => texts.map(({ text }) => escapeHtml(text)))
  return html.map(linesOf)
}
