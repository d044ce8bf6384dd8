import { escapeHtml } from '../../../../infra/markdown/index.ts'
import { type Html, trusted } from '../../../html/index.ts'
import { createLogReader, type Piece, type Said } from '../../../parts/log/reader.ts'
import { duration } from '../../../parts/parts.tsx'

/** So many lines of a part are shown at once: a page stays small enough for a browser. */
export const shownLines = 20_000

const escaped = (text: string) => (/[&<>"']/.test(text) ? escapeHtml(text) : text)

const written = (pieces: readonly Piece[]) =>
  pieces
    .map(({ text, classes }) => (classes === '' ? escaped(text) : `<span class="${classes}">${escaped(text)}</span>`))
    .join('')

const numbered = (line: number | null) => (line === null ? '' : ` id="L${line}"`)

/** A section that is open while a log is written: when it began, and the places of what is known at its end. */
type Section = { name: string; at: number; begun: number; duration: number }

/** Some lines of a part as HTML, and what the script needs to go on behind them. */
export type WrittenLog = {
  html: Html
  /** The number of the last line. */
  lines: number
  classes: string
  /** Which lines of the part they are, in steps of `shownLines`, from 1; and how many steps there are. */
  step: number
  steps: number
}

/** Writes lines as text: a log has thousands. */
class LogWriter {
  readonly #parts: string[] = []
  readonly #open: Section[] = []
  #last: { place: number; isName: boolean } | null = null

  /** @param line the number of the line, for the last of what it says */
  say(said: Said, line: number | null): void {
    if (said.kind === 'close') this.#close(said.name, said.at)
    else if (said.kind === 'text') this.#text(said, line)
    else if (said.kind === 'more') this.#more(said.pieces, line)
    else this.#begin(said, line)
  }

  #begin(said: Extract<Said, { kind: 'open' }>, line: number | null): void {
    const { name, at, isFolded, pieces } = said
    const title = pieces.length > 0 ? written(pieces) : escaped(name.replaceAll('_', ' '))
    const no = line === null ? '' : `<span class="no">${line}</span>`
    this.#parts.push(`<details class="section" data-section="${escaped(name)}"`)
    const begun = this.#push('')
    this.#parts.push(`${isFolded ? '' : ' open'}><summary${numbered(line)}>${no}<span>`)
    this.#last = { place: this.#push(title), isName: pieces.length === 0 }
    this.#parts.push('</span>')
    this.#open.push({ name, at, begun, duration: this.#push('') })
    this.#parts.push('</summary>')
  }

  /** @returns the place of the text, where it can be changed */
  #push(text: string): number {
    return this.#parts.push(text) - 1
  }

  #text({ time, pieces }: Omit<Extract<Said, { kind: 'text' }>, 'kind'>, line: number | null): void {
    const no = line === null ? '' : `<a class="no" href="#L${line}">${line}</a>`
    const at = time === null ? '' : `<span class="clock" title="${time}">${time.slice(11, 19)}</span>`
    this.#parts.push(`<p${numbered(line)}>${no}${at}<span>`)
    this.#last = { place: this.#push(written(pieces)), isName: false }
    this.#parts.push('</span></p>')
  }

  /** Goes on with the line before, whose name it is where a section began without one. */
  #more(pieces: readonly Piece[], line: number | null): void {
    const { place, isName } = this.#last ?? { place: -1, isName: false }
    if (place < 0) {
      this.#text({ time: null, pieces }, line)
      return
    }
    this.#parts[place] = `${isName ? '' : this.#parts[place]}${written(pieces)}`
    this.#last = { place, isName: false }
  }

  #close(name: string, at: number): void {
    this.#last = null
    const index = this.#open.findLastIndex((section) => section.name === name)
    if (index < 0) return
    for (const section of this.#open.splice(index)) {
      this.#parts[section.duration] = `<small>${duration(Math.max(0, at - section.at))}</small>`
      this.#parts.push('</details>')
    }
  }

  /** Ends the sections that are open; the script goes on in them. */
  html(): Html {
    for (const { begun, at } of this.#open.splice(0)) {
      this.#parts[begun] = ` data-begun="${at}"`
      this.#parts.push('</details>')
    }
    return trusted(this.#parts.join(''))
  }
}

/** Writes lines of a part of a log, each with its number in the part. @param wanted the step; the last one by default */
export function writeLog(text: string, wanted = Number.POSITIVE_INFINITY): WrittenLog {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const steps = Math.max(1, Math.ceil(lines.length / shownLines))
  const step = Math.min(wanted, steps)
  const [reader, writer] = [createLogReader(), new LogWriter()]
  const passed = lines.slice(0, step * shownLines)
  for (const [index, line] of passed.entries()) {
    // The lines before are read for their colours, which go on.
    const said = reader.read(line)
    if (index < (step - 1) * shownLines) continue
    const numberedAt = said.findLastIndex(({ kind }) => kind === 'text' || kind === 'open')
    for (const [place, one] of said.entries()) writer.say(one, place === numberedAt ? index + 1 : null)
  }
  return { html: writer.html(), lines: passed.length, classes: reader.classes(), step, steps }
}
