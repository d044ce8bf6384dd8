import { createRequire } from 'node:module'

type Yaml = typeof import('yaml')

/** Loads the package on first use: it consists of seventy files. */
const load = () => createRequire(import.meta.url)('yaml') as Yaml

/** The text is not valid YAML, or exceeds a limit. */
export class YamlError extends Error {
  override name = 'YamlError'
}

/** Maximal indentation of a line, and maximal number of `-`, `?` and `:` indicators in it. */
const maximumIndentation = 64
const maximumIndicators = 16

/**
 * Whether the nesting depth of a text is limited. The parser is recursive, and a stack overflow in it is not always an error
 * that can be caught.
 */
function isShallow(text: string, maximumBrackets: number): boolean {
  if ((text.match(/[[{]/g) ?? []).length > maximumBrackets) return false
  return text.split('\n').every((line) => {
    const indentation = line.length - line.trimStart().length
    return indentation <= maximumIndentation && (line.match(/[-?:](?=\s|$)/g) ?? []).length <= maximumIndicators
  })
}

/** Finding duplicate keys and positions of errors takes quadratic time, so both are off. */
const parsing = { maxAliasCount: 10, logLevel: 'error', uniqueKeys: false, prettyErrors: false } as const

/** Options of `parseYaml`. */
type YamlOptions = {
  /** Maximal length of the text in characters. */
  maximumLength: number
  /** Maximal number of `[` and `{` in the text, also in strings. Default 64. */
  maximumBrackets?: number
  /** Whether mappings are returned as `Map`, so that keys such as `__proto__` are safe. */
  mapAsMap?: boolean
}

/**
 * Parses YAML from an untrusted source.
 * @throws YamlError when it is not valid, too long or nested too deep
 */
export function parseYaml(
  text: string,
  { maximumLength, maximumBrackets = 64, mapAsMap = false }: YamlOptions,
): unknown {
  if (text.length > maximumLength) throw new YamlError(`it is longer than ${maximumLength} characters`)
  const lines = text.replaceAll('\r\n', '\n')
  if (!isShallow(lines, maximumBrackets)) throw new YamlError('it is nested too deep')
  try {
    return load().parse(lines, { ...parsing, mapAsMap })
  } catch (error) {
    throw new YamlError((error as Error).message)
  }
}
