import { createLogReader, type LogReader, type Piece, type Said } from '../parts/log/reader.ts'

const everyMs = 1_500
const everyMsHidden = 10_000
/** More bytes than this many parts are not kept in a page: it is read again. */
const mostParts = 2

function spanOf(pieces: readonly Piece[]): HTMLElement {
  const span = document.createElement('span')
  for (const { text, classes } of pieces) {
    const piece = document.createElement('span')
    piece.className = classes
    piece.textContent = text
    span.append(classes === '' ? text : piece)
  }
  return span
}

/** The number of a line: a link, except in the line that opens a section. */
function numberOf(line: number, isLink: boolean): HTMLElement {
  const number = document.createElement(isLink ? 'a' : 'span')
  if (number instanceof HTMLAnchorElement) number.href = `#L${line}`
  number.className = 'no'
  number.textContent = String(line)
  return number
}

function clockOf(time: string): HTMLElement {
  const clock = document.createElement('span')
  Object.assign(clock, { className: 'clock', title: time, textContent: time.slice(11, 19) })
  return clock
}

/** Writes lines behind those that the server has written, with the same elements. */
class LogEnd {
  readonly #log: HTMLElement
  #line: number
  #last: HTMLElement | null = null

  constructor(log: HTMLElement) {
    this.#log = log
    this.#line = Number(log.dataset.next)
  }

  /** The innermost section that has begun and not ended. */
  #place(): Element {
    return [...this.#log.querySelectorAll('details[data-begun]')].at(-1) ?? this.#log
  }

  say(lines: readonly string[], reader: LogReader): void {
    for (const line of lines) {
      for (const said of reader.read(line)) this.#say(said)
      this.#line += 1
    }
  }

  #say(said: Said): void {
    if (said.kind === 'close') this.#close(said.name, said.at)
    else if (said.kind === 'more' && this.#last) this.#more(this.#last, said.pieces)
    else this.#write(said.kind === 'more' ? { ...said, kind: 'text', time: null } : said)
  }

  /** Goes on with the line before, whose name it is where a section began without one. */
  #more(last: HTMLElement, pieces: readonly Piece[]): void {
    if (last.dataset.name !== undefined) last.textContent = ''
    delete last.dataset.name
    last.append(...spanOf(pieces).childNodes)
  }

  #write(said: Extract<Said, { kind: 'text' | 'open' }>): void {
    const row = document.createElement(said.kind === 'text' ? 'p' : 'summary')
    if (!document.getElementById(`L${this.#line}`)) {
      row.id = `L${this.#line}`
      row.append(numberOf(this.#line, said.kind === 'text'))
    }
    this.#last = spanOf(said.pieces)
    if (said.kind === 'text') {
      if (said.time) row.append(clockOf(said.time))
      row.append(this.#last)
      this.#place().append(row)
      return
    }
    if (said.pieces.length === 0) this.#last.textContent = this.#last.dataset.name = said.name.replaceAll('_', ' ')
    row.append(this.#last)
    const section = document.createElement('details')
    Object.assign(section, { className: 'section', open: !said.isFolded })
    Object.assign(section.dataset, { section: said.name, begun: said.at })
    section.append(row)
    this.#place().append(section)
  }

  #close(name: string, at: number): void {
    this.#last = null
    const open = [...this.#log.querySelectorAll<HTMLElement>('details[data-begun]')]
    const index = open.findLastIndex(({ dataset }) => dataset.section === name)
    for (const section of index < 0 ? [] : open.slice(index)) {
      const seconds = document.createElement('small')
      seconds.textContent = `${Math.max(0, at - Number(section.dataset.begun))} s`
      section.querySelector('summary')?.append(seconds)
      delete section.dataset.begun
    }
  }
}

const newline = 10

/** Adds what a running job writes: reads the log from the byte behind the last whole line. */
export function followLog(): void {
  const log = document.querySelector<HTMLElement>('[data-log]')
  if (!log) return
  const { log: address, classes, most } = log.dataset
  const [end, reader] = [new LogEnd(log), createLogReader(classes)]
  const decoder = new TextDecoder()
  let byte = Number(log.dataset.byte)
  let addedBytes = 0
  async function add(isLast: boolean): Promise<void> {
    const answer = await fetch(`${address}?from=${byte}`)
    if (!answer.ok) return
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const length = isLast ? bytes.length : bytes.lastIndexOf(newline) + 1
    addedBytes += bytes.length
    if (bytes.length >= Number(most) || addedBytes > mostParts * Number(most)) return location.reload()
    if (length === 0) return
    const isAtEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 60
    end.say(decoder.decode(bytes.subarray(0, length)).replace(/\n$/, '').split('\n'), reader)
    byte += length
    if (isAtEnd) scrollTo({ top: document.documentElement.scrollHeight })
  }
  async function next(): Promise<void> {
    // Another script notices when the job has ended; what it wrote last is read after that.
    const isLast = document.getElementById('main')?.dataset.refreshes === undefined
    await add(isLast).catch(() => undefined)
    if (isLast) document.querySelector('#log-end > span')?.remove()
    else setTimeout(next, document.hidden ? everyMsHidden : everyMs)
  }
  void next()
}
