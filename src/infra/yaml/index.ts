/** Parses untrusted YAML, and writes YAML. */
import { createRequire } from 'node:module'

type Yaml = typeof import('yaml')

/** Loads the package on first use: it consists of seventy files. */
const load = () => createRequire(import.meta.url)('yaml') as Yaml

/** The text is not valid YAML, or exceeds a limit. */
export class YamlError extends Error {
  override name = 'YamlError'
  /** Where in the text, such as `at line 3 column 1`; null when it concerns the whole text. */
  readonly place: string | null

  constructor(message: string, place: string | null = null) {
    super(message)
    this.place = place
  }
}

/** A YAML tag of an application: its name with `!`, and what becomes of the tagged list. */
type YamlListTag = { name: `!${string}`; read(items: readonly unknown[]): unknown }

/** Options of `parseYaml`. */
type YamlOptions = {
  /** Maximal length of the text in characters. */
  maximumLength: number
  /** Maximal nesting of `[` and `{` that are not closed, also in strings. Default 64. */
  maximumBrackets?: number
  /** Maximal indentation of a line. Default 64. */
  maximumIndentation?: number
  /** Maximal number of `-`, `?` and `:` indicators in a line. Default 16. */
  maximumIndicators?: number
  /** Bound of the number of values that aliases stand for. Default 10. */
  maximumAliases?: number
  /** Whether `<<` merges mappings. Default false. */
  merge?: boolean
  /** Tags of lists. Other tags are ignored. */
  listTags?: readonly YamlListTag[]
  /** Whether mappings are returned as `Map`, so that keys such as `__proto__` are safe. */
  mapAsMap?: boolean
}

/** The nesting of brackets that are still open; those in strings count too. */
function deepestBrackets(text: string): number {
  let open = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1)
    deepest = Math.max(deepest, open)
  }
  return deepest
}

/**
 * Whether the nesting depth of a text is limited. The parser is recursive, and a stack overflow in it is not always an error
 * that can be caught.
 */
function isShallow(text: string, options: YamlOptions): boolean {
  const { maximumBrackets = 64, maximumIndentation = 64, maximumIndicators = 16 } = options
  if (deepestBrackets(text) > maximumBrackets) return false
  return text.split('\n').every((line) => {
    const indentation = line.length - line.trimStart().length
    return indentation <= maximumIndentation && (line.match(/[-?:](?=\s|$)/g) ?? []).length <= maximumIndicators
  })
}

/** Finding duplicate keys and positions of errors takes quadratic time, so both are off. */
const parsing = { logLevel: 'error', uniqueKeys: false, prettyErrors: false } as const

/** `at line L column C` of a position in a text, both counted from 1. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `at line ${line} column ${offset - before.lastIndexOf('\n')}`
}

/**
 * Parses YAML from an untrusted source.
 * @throws YamlError when it is not valid, too long or nested too deep
 */
export function parseYaml(text: string, options: YamlOptions): unknown {
  const { maximumLength, maximumAliases = 10, merge = false, listTags = [], mapAsMap = false } = options
  if (text.length > maximumLength) throw new YamlError(`it is longer than ${maximumLength} characters`)
  const lines = text.replaceAll('\r\n', '\n')
  if (!isShallow(lines, options)) throw new YamlError('it is nested too deep')
  const { parseDocument, YAMLSeq, isSeq } = load()
  const customTags = listTags.map(({ name, read }) => ({
    tag: name,
    collection: 'seq' as const,
    nodeClass: YAMLSeq,
    resolve: (node: unknown) => (isSeq(node) ? read(node.toJSON()) : node) as never,
  }))
  try {
    const document = parseDocument(lines, { ...parsing, merge, ...(listTags.length > 0 ? { customTags } : {}) })
    const [problem] = document.errors
    if (problem) throw new YamlError(problem.message, placeOf(lines, problem.pos[0]))
    return document.toJS({ maxAliasCount: maximumAliases, mapAsMap })
  } catch (error) {
    throw error instanceof YamlError ? error : new YamlError((error as Error).message)
  }
}

/** Writes a value as YAML, without anchors. */
export function toYaml(value: unknown): string {
  return load().stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 })
}
