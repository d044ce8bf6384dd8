import type { ImportedLine } from '../../../platform/index.ts'

/** A line of a relation by its number, from 1; or why it cannot be read. */
export type ReadLine = { number: number; bytes: number } & ({ line: ImportedLine } | { problem: string })

/** Longer lines are refused, and so are those that are nested deeper (contract 25, What an import makes: bounds). */
export const longestLineBytes = 20 * 1024 * 1024
const largestDepth = 100

const newline = 0x0a

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  return Object.values(value).some((member) => isDeeper(member, depth - 1))
}

/** Reads the text of a line. */
function parsed(number: number, text: Buffer): ReadLine {
  const bytes = text.length
  let value: unknown
  try {
    value = JSON.parse(text.toString('utf8'))
  } catch {
    return { number, bytes, problem: 'The line is not JSON' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { number, bytes, problem: 'The line is not a JSON object' }
  }
  if (isDeeper(value, largestDepth)) return { number, bytes, problem: 'The line is nested too deep' }
  return { number, bytes, line: value as ImportedLine }
}

/** Reads a text line by line. Empty lines count, and are left out. */
export async function* linesOfText(content: AsyncIterable<Buffer>): AsyncGenerator<ReadLine> {
  let number = 0
  let pieces: Buffer[] = []
  let bytes = 0
  const end = (): ReadLine | null => {
    number += 1
    const [whole, length] = [pieces, bytes]
    pieces = []
    bytes = 0
    if (length > longestLineBytes) return { number, bytes: length, problem: 'The line is too long' }
    const text = Buffer.concat(whole)
    return text.length === 0 ? null : parsed(number, text)
  }
  const add = (piece: Buffer) => {
    bytes += piece.length
    if (bytes <= longestLineBytes) pieces.push(piece)
    else pieces = []
  }
  for await (const chunk of content) {
    let start = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, at))
      start = at + 1
      const line = end()
      if (line) yield line
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  const last = bytes > 0 ? end() : null
  if (last) yield last
}
