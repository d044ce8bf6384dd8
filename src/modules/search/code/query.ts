import { wildcardMatcher } from '../../../infra/wildcards/index.ts'

const kinds = ['filename', 'path', 'extension'] as const
type Kind = (typeof kinds)[number]

/** A search of files: a phrase, and a test of their paths. */
export type FileQuery = {
  /** Empty where only files are listed. */
  phrase: string
  admits(path: string): boolean
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const extensionOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1] ?? ''

/** Whether a path has what a filter asks for: a name, an extension, or a part of the path; `*` is any text. */
function meets(kind: Kind, pattern: string, path: string): boolean {
  const wanted = pattern.toLowerCase()
  const lower = path.toLowerCase()
  if (kind === 'filename') return wildcardMatcher(wanted)(nameOf(lower))
  if (kind === 'extension') return wildcardMatcher(wanted)(extensionOf(lower))
  return wildcardMatcher(`*${wanted}*`)(lower)
}

/** Reads the filters of a search, such as `extension:rb` and `-path:vendor`; the rest is the phrase (contract 25, "Search"). */
export function fileQuery(search: string): FileQuery {
  const filters: { kind: Kind; pattern: string; excludes: boolean }[] = []
  const phrase = search.replace(/(?<!\S)(-?)(filename|path|extension):(\S+)/gi, (_, sign, kind, pattern) => {
    filters.push({ kind: kind.toLowerCase() as Kind, pattern, excludes: sign === '-' })
    return ''
  })
  return {
    phrase: phrase.trim(),
    admits: (path) => filters.every(({ kind, pattern, excludes }) => meets(kind, pattern, path) !== excludes),
  }
}
