import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as othersRan } from 'node:timers/promises'
import { ignoreMissing, namesIn, removeOlder, syncDirectory } from '../files/index.ts'

/** Changes with the form of the files: an index of another form is made anew. */
const form = 2
const head = 'current.json'
const hourMs = 3_600_000

/** Where the parts of an index are. Parts never change: a new version names new ones. */
export type State = {
  form: number
  /** What was indexed, such as a commit. */
  version: string
  segments: { file: string; blocks: number }[]
  entries: string
  /** How many texts were ever added, with those that are gone. */
  added: number
}

/** Reads where the parts are; null where nothing of this form is. */
export async function readState(directory: string): Promise<State | null> {
  const text = await readFile(join(directory, head), 'utf8').catch(ignoreMissing)
  const state = text === null ? null : (JSON.parse(text) as State)
  return state?.form === form ? state : null
}

/** Makes a new version the one that is read, and deletes parts that no version of the last hour has. */
export async function writeState(directory: string, state: Omit<State, 'form'>, now: Date): Promise<void> {
  const written = join(directory, `${head}.${randomUUID()}`)
  await writeFile(written, JSON.stringify({ form, ...state }), { flush: true })
  await rename(written, join(directory, head))
  await syncDirectory(directory)
  const parts = new Set([head, state.entries, ...state.segments.map(({ file }) => file)])
  for (const name of await namesIn(directory)) {
    if (!parts.has(name)) await removeOlder(join(directory, name), now.getTime() - hourMs)
  }
}

/** Writes a part. @returns its name */
export async function writePart(directory: string, chunks: Iterable<Uint8Array>): Promise<string> {
  await mkdir(directory, { recursive: true })
  const name = randomUUID()
  await writeFile(join(directory, name), chunks, { flush: true })
  return name
}

export const readPart = (directory: string, name: string): Promise<Buffer> => readFile(join(directory, name))
export const openPart = (directory: string, name: string): Promise<FileHandle> => open(join(directory, name), 'r')

/** A text of an index: its name, and the key of its content. */
export type Entry = { name: string; key: string }

const between = '\0'
export const lineOf = ({ name, key }: Entry): string => `${key}${between}${name}`

function entryOf(line: string): Entry {
  const end = line.indexOf(between)
  return { key: line.slice(0, end), name: line.slice(end + 1) }
}

/** Ends a line: names may contain newlines, and none is empty. */
const end = '\0\0'

/** The lines of all blocks as a part: where each block begins, then the lines. */
export function* partOfLines(blocks: readonly (readonly string[])[]): Generator<Uint8Array> {
  const offsets = new Uint32Array(blocks.length + 1)
  const texts = blocks.map((lines, index) => {
    const text = Buffer.from(lines.map((line) => `${line}${end}`).join(''))
    offsets[index + 1] = (offsets[index] ?? 0) + text.length
    return text
  })
  yield new Uint8Array(offsets.buffer)
  yield* texts
}

const linesIn = (text: Buffer): string[] => text.toString('utf8').split(end).slice(0, -1)

/** Reads the entries of blocks, a block at a time, in the order of the blocks. */
export async function* entriesOf(
  file: FileHandle,
  blockCount: number,
  wanted: Iterable<number>,
): AsyncGenerator<{ block: number; entries: Entry[] }> {
  const offsets = new Uint32Array(blockCount + 1)
  await file.read(offsets, 0, offsets.byteLength, 0)
  for (const block of wanted) {
    const [from = 0, to = 0] = offsets.subarray(block, block + 2)
    const text = Buffer.alloc(to - from)
    await file.read(text, 0, text.length, offsets.byteLength + from)
    yield { block, entries: linesIn(text).map(entryOf) }
    if (block % 64 === 0) await othersRan()
  }
}
