import { parseYaml } from '../../../infra/yaml/index.ts'

/** The YAML at the start of a page, and the rest of the page. */
type FrontMatter = { values: Record<string, unknown>; body: string }

/** Maximal length of the YAML: parsing must not block other requests. */
const maximumLength = 4 * 1024

const opening = /^\ufeff?---[ \t]*\r?\n/
const closing = /(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

function mappingOf(text: string): Record<string, unknown> | null {
  try {
    // Converted through JSON, since YAML has values that JSON has not.
    const value: unknown = JSON.parse(JSON.stringify(parseYaml(text, { maximumLength }) ?? null))
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isMapping ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Reads the front matter of a page; anything but a YAML mapping belongs to the text. */
export function readFrontMatter(text: string): FrontMatter {
  const whole: FrontMatter = { values: {}, body: text }
  const begin = opening.exec(text)?.[0].length
  if (begin === undefined) return whole
  const rest = text.slice(begin, begin + maximumLength)
  const end = closing.exec(rest)
  const values = end && mappingOf(rest.slice(0, end.index))
  if (!values) return whole
  return { values, body: text.slice(begin + end.index + end[0].length).replace(/^(?:[ \t]*\r?\n)+/, '') }
}
