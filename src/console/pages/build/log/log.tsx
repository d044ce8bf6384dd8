import { escapeHtml } from '../../../../infra/markdown/index.ts'
import { type Html, trusted } from '../../../html/index.ts'
import { createLogReader, type Piece, type Said } from '../../../parts/log/reader.ts'
import { duration } from '../../../parts/parts.tsx'

/** More lines of a part are not shown: a page stays small enough for a browser. */
const mostLines = 20_000

const escaped = (text: string) => (/[&<>"']/.test(text) ? escapeHtml(text) : text)

const written = (pieces: readonly Piece[]) =>
  pieces
    .map(({ text, classes }) => (classes === '' ? escaped(text) : `<span class="${classes}">${escaped(text)}</span>`))
    .join('')

const numbered = (line: number | null) => (line === null ? '' : ` id="L${line}"`)

/** What is open while a log is written: a section, the place of its duration, and when it began. */
type Section = { name: string; at: number; place: number }

/** The lines of a part as HTML, and what the script needs to go on behind them. */
export type WrittenLog = { html: Html; lines: number; classes: string; isCut: boolean }

/** Writes lines as text: a log has thousands. */
class LogWriter {
  readonly #parts: string[] = []
  readonly #open: Section[] = []

  /** @param line the number of the line, for the last of what it says */
  say(said: Said, line: number | null): void {
    if (said.kind === 'close') this.#close(said.name, said.at)
    else if (said.kind === 'text') this.#text(said, line)
    else this.#begin(said, line)
  }

  #begin(said: Extract<Said, { kind: 'open' }>, line: number | null): void {
    const { name, at, isFolded, pieces } = said
    const title = pieces.length > 0 ? written(pieces) : escaped(name.replaceAll('_', ' '))
    const no = line === null ? '' : `<span class="no">${line}</span>`
    const start = `<details class="section" data-section="${escaped(name)}"`
    this.#parts.push(start, '', `${isFolded ? '' : ' open'}><summary${numbered(line)}>${no}<span>${title}</span>`, '')
    this.#open.push({ name, at, place: this.#parts.length - 1 })
    this.#parts.push('</summary>')
  }

  #text({ time, pieces }: Extract<Said, { kind: 'text' }>, line: number | null): void {
    const no = line === null ? '' : `<a class="no" href="#L${line}">${line}</a>`
    const at = time === null ? '' : `<time datetime="${time}" class="clock">${time.slice(11, 19)}</time>`
    this.#parts.push(`<p${numbered(line)}>${no}${at}<span>${written(pieces)}</span></p>`)
  }

  #close(name: string, at: number): void {
    const index = this.#open.findLastIndex((section) => section.name === name)
    if (index < 0) return
    for (const section of this.#open.splice(index)) {
      this.#parts[section.place] = `<small>${duration(Math.max(0, at - section.at))}</small>`
      this.#parts.push('</details>')
    }
  }

  /** Ends the sections that are open; the script goes on in them. */
  html(): Html {
    for (const { place, at } of this.#open.splice(0)) {
      this.#parts[place - 2] = ` data-begun="${at}"`
      this.#parts.push('</details>')
    }
    return trusted(this.#parts.join(''))
  }
}

/** Writes the lines of a part of a log. */
export function writeLog(text: string): WrittenLog {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const [reader, writer] = [createLogReader(), new LogWriter()]
  const shown = lines.slice(0, mostLines)
  for (const [index, line] of shown.entries()) {
    const said = reader.read(line)
    const numberedAt = said.findLastIndex(({ kind }) => kind !== 'close')
    for (const [place, one] of said.entries()) writer.say(one, place === numberedAt ? index + 1 : null)
  }
  return { html: writer.html(), lines: shown.length, classes: reader.classes(), isCut: lines.length > mostLines }
}
