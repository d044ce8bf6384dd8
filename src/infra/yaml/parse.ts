import { createRequire } from 'node:module'

type Yaml = typeof import('yaml')

/** Loaded when it is first used: it is seventy files, and few servers ever read YAML. */
const load = () => createRequire(import.meta.url)('yaml') as Yaml

/** Text that is no YAML, or more of it than is read. */
export class YamlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'YamlError'
  }
}

const mostBlanks = 64
const mostMarks = 16

/**
 * Whether no part of a text can lie deep in others. The parser goes down with its own calls, as deep as the text says, and at the end
 * of the stack it is not always an error that can be caught.
 */
function isShallow(text: string, mostBrackets: number): boolean {
  if ((text.match(/[[{]/g) ?? []).length > mostBrackets) return false
  return text.split('\n').every((line) => {
    const blanks = line.length - line.trimStart().length
    return blanks <= mostBlanks && (line.match(/[-?:](?=\s|$)/g) ?? []).length <= mostMarks
  })
}

/** Looking for keys that come twice, and for the places of errors, takes time with the square of the length. */
const parsing = { maxAliasCount: 10, logLevel: 'error', uniqueKeys: false, prettyErrors: false } as const

export type YamlOptions = {
  /** Characters that are read at most. */
  maximumLength: number
  /** `[` and `{` that may be in it, in texts too: they may be nested. Default 64. */
  mostBrackets?: number
  /** Whether mappings come as `Map`, so that no key can mean more than it says. */
  mapAsMap?: boolean
}

/**
 * Reads YAML that somebody has written.
 * @throws YamlError when it is none, too long, or nested so deep that reading it would be a risk
 */
export function parseYaml(text: string, { maximumLength, mostBrackets = 64, mapAsMap = false }: YamlOptions): unknown {
  if (text.length > maximumLength) throw new YamlError(`it is longer than ${maximumLength} characters`)
  const lines = text.replaceAll('\r\n', '\n')
  if (!isShallow(lines, mostBrackets)) throw new YamlError('it is nested too deep')
  try {
    return load().parse(lines, { ...parsing, mapAsMap })
  } catch (error) {
    throw new YamlError((error as Error).message)
  }
}
