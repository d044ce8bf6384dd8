import { setImmediate as othersRan } from 'node:timers/promises'
import { blocksOfSegment, emptyMatrix, type Matrix, mark, packed, unpacked } from './signature.ts'
import {
  type Entry,
  entriesOf,
  lineOf,
  openPart,
  partOfLines,
  readPart,
  readState,
  type State,
  writePart,
  writeState,
} from './store.ts'

/** A block takes texts until it has so many bytes. */
const blockBytes = 16 * 1024
/** An index in which more texts are gone than left is made anew; small ones are kept. */
const goneAtLeast = 1_000
const textsOfTurn = 16

/** A part of an index with room for more blocks, and how many bytes of text its last block has. */
type OpenSegment = { matrix: Matrix; blocks: number; bytes: number; file: string | null; isChanged: boolean }

/** Opens the last segment for more texts: they begin a block, since the size of its last one is not stored. */
async function openSegment(directory: string, last?: State['segments'][number]): Promise<OpenSegment> {
  const matrix = last ? unpacked(await readPart(directory, last.file)) : emptyMatrix()
  return { matrix, blocks: last?.blocks ?? 0, bytes: blockBytes, file: last?.file ?? null, isChanged: false }
}

/** Adds texts to the last segment of an index, and begins another when it is full. */
async function textAdder(directory: string, before: State | null) {
  const segments = before?.segments.slice(0, -1) ?? []
  let open = await openSegment(directory, before?.segments.at(-1))
  let firstBlock = segments.reduce((sum, { blocks }) => sum + blocks, 0)
  const close = async () => {
    const { matrix, blocks, file, isChanged } = open
    if (blocks === 0) return
    const name = isChanged || file === null ? await writePart(directory, [packed(matrix, blocks)]) : file
    segments.push({ file: name, blocks })
  }
  return {
    blocks: () => firstBlock + open.blocks,
    /** @returns the number of the block that has the text */
    async add(parts: readonly Uint8Array[]): Promise<number> {
      if (open.bytes >= blockBytes) {
        if (open.blocks === blocksOfSegment) {
          await close()
          firstBlock += open.blocks
          open = await openSegment(directory)
        }
        open.blocks += 1
        open.bytes = 0
      }
      open.isChanged = true
      for (const part of parts) {
        mark(open.matrix, open.blocks - 1, part)
        open.bytes += part.length
      }
      return firstBlock + open.blocks - 1
    },
    async finish(): Promise<State['segments']> {
      await close()
      return segments
    },
  }
}

/** In which block each text of a version is, by its line. */
async function blocksByLine(directory: string, { segments, entries }: State): Promise<Map<string, number>> {
  const count = segments.reduce((sum, { blocks }) => sum + blocks, 0)
  const known = new Map<string, number>()
  await using file = await openPart(directory, entries)
  for await (const { block, entries: found } of entriesOf(file, count, Array(count).keys())) {
    for (const entry of found) known.set(lineOf(entry), block)
  }
  return known
}

/** What a version of an index is made of. */
type Texts = {
  version: string
  texts: AsyncIterable<Entry>
  /** The content of a text; null for one that is found by its name alone. */
  contentOf(key: string): Promise<Uint8Array | null>
  now: Date
}

/** The version to which texts are added, and in which block each of its texts is; nothing of one that is worn out. */
async function lastVersion(directory: string, state: State | null) {
  const known = state ? await blocksByLine(directory, state) : new Map<string, number>()
  const isWorn = state !== null && state.added > 2 * known.size + goneAtLeast
  return isWorn ? { before: null, known: new Map<string, number>() } : { before: state, known }
}

/**
 * Brings an index in a directory to a version: texts that it has already are not read again. A version that was not finished has no
 * effect. Only one process may write an index at a time.
 */
export async function writeTextIndex(directory: string, { version, texts, contentOf, now }: Texts): Promise<void> {
  const state = await readState(directory)
  if (state?.version === version) return
  const { before, known } = await lastVersion(directory, state)
  const adder = await textAdder(directory, before)
  const lines: string[][] = []
  let added = before?.added ?? 0
  for await (const entry of texts) {
    const line = lineOf(entry)
    let block = known.get(line)
    if (block === undefined) {
      const content = await contentOf(entry.key)
      block = await adder.add(content ? [Buffer.from(entry.name), content] : [Buffer.from(entry.name)])
      added += 1
      if (added % textsOfTurn === 0) await othersRan()
    }
    const ofBlock = lines[block] ?? []
    lines[block] = ofBlock
    ofBlock.push(line)
  }
  const linesOfBlocks = Array.from({ length: adder.blocks() }, (_, block) => lines[block] ?? [])
  const segments = await adder.finish()
  const entries = await writePart(directory, partOfLines(linesOfBlocks))
  await writeState(directory, { version, segments, entries, added }, now)
}
