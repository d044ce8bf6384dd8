import { jobsTrace } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { createLogReader } from '../../../parts/log/reader.ts'
import { type LogCall, partBytes, streamOf } from './parts.ts'

/** A line that has the text, by its part and its number there. */
export type Hit = { part: number; line: number; text: string }

const mostHits = 200
const longestShown = 400
/** A longer text is not searched for. */
export const longestSearched = 200

/** The text of a line without colours and marks of sections. */
function plainText(line: string): string {
  const said = createLogReader().read(line)
  const texts = said.flatMap((one) => ('pieces' in one ? one.pieces.map(({ text }) => text) : []))
  return texts.join('').slice(0, longestShown)
}

/** Counts the lines of a log by its parts while it is read. */
class LineCounter {
  part = 1
  line = 1
  #byte = 0

  /** Passes a line with its line break, and begins the next. */
  pass(bytes: number): void {
    this.#byte += bytes
    const part = Math.floor(this.#byte / partBytes) + 1
    this.line = part === this.part ? this.line + 1 : 1
    this.part = part
  }
}

/** Lines are searched up to so many bytes. */
const longestLine = 64_000

/**
 * Finds the lines of a log that have a text, in any case: the first 200. The log passes in pieces; of a line, no more than its beginning is
 * kept.
 */
export async function searchLog(visit: Visit, call: LogCall, wanted: string): Promise<Hit[]> {
  const needle = Buffer.from(wanted).toString('latin1').toLowerCase()
  const counter = new LineCounter()
  const hits: Hit[] = []
  let begun = ''
  let begunBytes = 0
  const look = (line: string) => {
    if (line.toLowerCase().includes(needle)) {
      hits.push({ part: counter.part, line: counter.line, text: plainText(Buffer.from(line, 'latin1').toString()) })
    }
  }
  for await (const chunk of await streamOf(await visit.read(jobsTrace, call))) {
    const lines = (chunk as Buffer).toString('latin1').split('\n')
    for (const [index, line] of lines.entries()) {
      begun = begun.length < longestLine ? begun + line.slice(0, longestLine - begun.length) : begun
      begunBytes += line.length
      if (index === lines.length - 1) break
      look(begun)
      if (hits.length >= mostHits) return hits
      counter.pass(begunBytes + 1)
      begun = ''
      begunBytes = 0
    }
  }
  if (begun !== '') look(begun)
  return hits
}
