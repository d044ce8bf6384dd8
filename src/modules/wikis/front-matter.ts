import { parseYaml } from '../../infra/yaml/index.ts'

/** What a page says of itself in YAML at its beginning, and what is left of it. */
export type FrontMatter = { values: Record<string, unknown>; body: string }

/** Characters of YAML that are read: it must not keep others waiting. */
const maximumLength = 4 * 1024

const opening = /^\ufeff?---[ \t]*\r?\n/
const closing = /(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

function mappingOf(text: string): Record<string, unknown> | null {
  try {
    // By way of JSON, so that nothing is in it that an answer cannot hold.
    const value: unknown = JSON.parse(JSON.stringify(parseYaml(text, { maximumLength }) ?? null))
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isMapping ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Reads the front matter of a page; what is no mapping in YAML is text like any other. */
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
