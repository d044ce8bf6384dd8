import { classesAfter } from './style.ts'

/** Text of one style. */
export type Piece = { text: string; classes: string }

/** What a line of a log says: text, more of the text before it, or that a section begins or ends. Times of sections are seconds. */
export type Said =
  | { kind: 'text'; time: string | null; pieces: readonly Piece[] }
  | { kind: 'more'; pieces: readonly Piece[] }
  | { kind: 'open'; name: string; at: number; isFolded: boolean; pieces: readonly Piece[] }
  | { kind: 'close'; name: string; at: number }

/** Reads a log line by line. Colours go on from one line to the next. */
export type LogReader = {
  /** @param line without its line break */
  read(line: string): Said[]
  /** The classes with which the next line begins. */
  classes(): string
}

const esc = '\\u001b'
const hidden = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001a\\u001c-\\u001f\\u007f-\\u009f'
/** What most lines have none of. */
const controls = new RegExp(`[${hidden}\\r]|${esc}`)
/** Colours; other sequences; characters that nothing shows. Each alternative stops at the next escape, so that the time is linear. */
const codes = new RegExp(
  [
    `${esc}\\[([\\d;:]*)m`,
    `${esc}\\[[0-?]*[ -/]*[@-~]?`,
    `${esc}\\][^\\u0007\\u001b]*(?:\\u0007|${esc}\\\\)?`,
    `${esc}[^\\u001b\\r]?`,
    '(\\r)',
    `[${hidden}]+`,
  ].join('|'),
  'g',
)
/** `section_start:1700000000:name[collapsed=true]`, which a carriage return ends. */
const marker = /section_(start|end):(\d{1,12}):([\w.-]{1,255})(?:\[([^\]\r]{0,255})\])?\r/g
/** The time, the number of the stream and its kind, which newer runners write before each line; `+` before what goes on with a line. */
const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) [\da-f]{2}[OE]([ +])/

/** The text of a line in pieces. What a carriage return went back over is overwritten. */
function piecesOf(text: string, before: string): { pieces: Piece[]; after: string } {
  if (!controls.test(text)) return { pieces: text === '' ? [] : [{ text, classes: before }], after: before }
  let pieces: Piece[] = []
  let classes = before
  let isBack = false
  let from = 0
  const add = (end: number) => {
    if (end <= from) return
    if (isBack) pieces = []
    isBack = false
    const last = pieces.at(-1)
    if (last?.classes === classes) last.text += text.slice(from, end)
    else pieces.push({ text: text.slice(from, end), classes })
  }
  // Not `matchAll`, which copies the expression for each line.
  codes.lastIndex = 0
  for (let found = codes.exec(text); found; found = codes.exec(text)) {
    add(found.index)
    from = found.index + found[0].length
    if (found[1] !== undefined) classes = classesAfter(classes, found[1])
    isBack ||= found[2] !== undefined
  }
  add(text.length)
  return { pieces, after: classes }
}

/** Reads the lines of a log. @param first the classes with which the first line begins */
export function createLogReader(first = ''): LogReader {
  let classes = first
  const read = (text: string): Piece[] => {
    const { pieces, after } = piecesOf(text, classes)
    classes = after
    return pieces
  }
  return {
    classes: () => classes,
    read(line) {
      const [prefix = '', time = null, mark] = stamp.exec(line) ?? []
      const text = line.slice(prefix.length)
      const said: Said[] = []
      let from = 0
      let opened: Extract<Said, { kind: 'open' }> | null = null
      const say = (end: number) => {
        const pieces = read(text.slice(from, end))
        if (opened) opened.pieces = pieces
        else if (mark === '+' && from === 0)
          said.push(...(pieces.length > 0 ? [{ kind: 'more', pieces } as const] : []))
        else if (pieces.length > 0 || (said.length === 0 && end === text.length))
          said.push({ kind: 'text', time, pieces })
        opened = null
      }
      for (const { index, 0: whole, 1: kind, 2: at, 3: name = '', 4: options = '' } of text.includes('section_')
        ? text.matchAll(marker)
        : []) {
        say(index)
        from = index + whole.length
        if (kind === 'end') said.push({ kind: 'close', name, at: Number(at) })
        else {
          opened = { kind: 'open', name, at: Number(at), isFolded: /\bcollapsed=true\b/.test(options), pieces: [] }
          said.push(opened)
        }
      }
      say(text.length)
      return said
    },
  }
}
