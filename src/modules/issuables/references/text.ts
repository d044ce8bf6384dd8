/** What begins a reference to each kind of issuables. */
export const signs = { Issue: '#', MergeRequest: '!', Epic: '&' } as const
type Sign = (typeof signs)[keyof typeof signs]

/** A reference in a text, such as `#1` or `group/project!2`; without a path it is to the project or group of the text. */
export type TextReference = { type: keyof typeof signs; path: string | null; iid: number }

/** References and mentions of a text beyond these are ignored, so that a text cannot write notes without a limit. */
export const mostOfText = 100

/** In characters: of a longer text only the beginning is searched for references, mentions and closing words (contract 16, "Rules"). */
const longestSearched = 262_144

const types = Object.fromEntries(Object.entries(signs).map(([type, sign]) => [sign, type])) as Record<
  Sign,
  TextReference['type']
>
const pathCharacter = /[\w./-]/
const longestPath = 512

/** The beginning of a long text, which ends with a whole word: a part of a number would refer to another issue. */
function searched(text: string): string {
  if (text.length <= longestSearched) return text
  return text.slice(0, Math.max(0, text.lastIndexOf(' ', longestSearched), text.lastIndexOf('\n', longestSearched)))
}

/** Replaces code blocks and code spans by blanks, since what they contain refers to nothing; and leaves out what is not searched. */
function withoutCode(whole: string): string {
  const text = searched(whole)
  if (!text.includes('`') && !text.includes('~~~')) return text
  const lines = text.split('\n')
  let open: string | null = null
  return lines
    .map((line) => {
      const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1]
      const isFence = mark !== undefined && (open === null || mark.startsWith(open))
      if (isFence) open = open === null ? mark : null
      return isFence || open !== null ? '' : withoutSpans(line)
    })
    .join('\n')
}

/** Replaces the code spans of a line by blanks. */
function withoutSpans(line: string): string {
  const parts = line.split(/(`+)/)
  let opening = -1
  const lastOf = new Map(parts.map((part, index) => [part, index]))
  const kept: string[] = []
  for (const [index, part] of parts.entries()) {
    const isMark = part.startsWith('`')
    if (opening >= 0) {
      kept.push(' ')
      if (isMark && part === parts[opening]) opening = -1
    } else if (isMark && (lastOf.get(part) ?? index) > index) opening = index
    else kept.push(part)
  }
  return kept.join('')
}

/** The path before a position: the characters of a path that end there, after something that is not one. */
function pathBefore(text: string, end: number): string {
  let start = end
  while (start > 0 && end - start < longestPath && pathCharacter.test(text[start - 1] as string)) start -= 1
  return text.slice(start, end)
}

const isPath = (path: string) => /^\w[\w.-]*(\/\w[\w.-]*)*$/.test(path)

type Found = TextReference & { start: number; end: number }

/** The references of the short form, such as `#1`, `!2`, `group/project#3`. */
function* shortReferences(text: string): Generator<Found> {
  for (const match of text.matchAll(/([#!&])(\d{1,10})(?!\w)/g)) {
    const path = pathBefore(text, match.index)
    if (path !== '' && !isPath(path)) continue
    const start = match.index - path.length
    // An entity such as `&#39;`, or the fragment of an address.
    if (start > 0 && '&#!'.includes(text[start - 1] as string)) continue
    const type = types[match[1] as Sign]
    yield { type, path: path || null, iid: Number(match[2]), start, end: match.index + match[0].length }
  }
}

const pages =
  /^((?:groups\/)?[\w./-]{1,512}?)\/-\/(?:(issues)(?:\/incident)?|(work_items)|(merge_requests)|(epics))\/(\d{1,10})(?!\w)/

/** The references by the full address of a page of this server. */
function* addressReferences(text: string, externalUrl: string): Generator<Found> {
  const beginning = `${externalUrl}/`
  for (let start = text.indexOf(beginning); start >= 0; start = text.indexOf(beginning, start + 1)) {
    const rest = text.slice(start + beginning.length, start + beginning.length + 600)
    const [whole, path, issue, item, merge, , iid] = pages.exec(rest) ?? []
    if (whole === undefined || path === undefined) continue
    const type = issue || item ? 'Issue' : merge ? 'MergeRequest' : 'Epic'
    const end = start + beginning.length + whole.length
    yield { type, path: path.replace(/^groups\//, ''), iid: Number(iid), start, end }
  }
}

/** All references of a text, in order; those of the short form that are parts of an address are none. */
function* located(text: string, externalUrl: string): Generator<Found> {
  const addresses = addressReferences(text, externalUrl)
  let address = addresses.next().value
  let addressEnd = 0
  for (const short of shortReferences(text)) {
    for (; address && address.start <= short.start; address = addresses.next().value) {
      addressEnd = address.end
      yield address
    }
    if (short.start >= addressEnd) yield short
  }
  if (address) yield address
  yield* addresses
}

const plain = ({ type, path, iid }: Found): TextReference => ({ type, path, iid })

/** The first references that differ; the rest of the text is not read. */
function distinct(references: Iterable<Found>, most = mostOfText): TextReference[] {
  const byKey = new Map<string, TextReference>()
  for (const one of references) {
    byKey.set(`${one.path?.toLowerCase() ?? ''}${signs[one.type]}${one.iid}`, plain(one))
    if (byKey.size === most) break
  }
  return [...byKey.values()]
}

/** The issues, merge requests and epics to which a Markdown text refers, each once. */
export function referencesIn(text: string, externalUrl: string, most = mostOfText): TextReference[] {
  return distinct(located(withoutCode(text), externalUrl), most)
}

const closing =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)\b(:?)[ \t]+(?:issues?[ \t]+)?/gi
const between = /^(?:[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+)(?:issues?[ \t]+)?$/i

/** The issues that a text closes by closing words (contract 16, "Rules"), each once. */
export function closedIn(text: string, externalUrl: string): TextReference[] {
  const readable = withoutCode(text)
  const all = [...located(readable, externalUrl)]
  const byStart = new Map(all.map((one, index) => [one.start, { one, next: all[index + 1] }]))
  const closed: Found[] = []
  for (const word of readable.matchAll(closing)) {
    let found = byStart.get(word.index + word[0].length)
    while (found && found.one.type === 'Issue') {
      const { one, next } = found
      closed.push(one)
      found =
        next && between.test(readable.slice(one.end, Math.min(next.start, one.end + 32)))
          ? byStart.get(next.start)
          : undefined
    }
  }
  return distinct(closed)
}

/** The usernames that a Markdown text mentions, in lower case, each once. */
export function mentionsIn(text: string): string[] {
  const names = withoutCode(text).matchAll(/(?<![\w.@/`-])@([a-z0-9_](?:[\w.-]{0,253}[a-z0-9_-])?)/gi)
  const mentioned = new Set<string>()
  for (const [, name = ''] of names) {
    mentioned.add(name.toLowerCase())
    if (mentioned.size === mostOfText) break
  }
  return [...mentioned]
}
