/** An index of many texts by their trigrams: it tells in which of them a phrase may occur, whatever the case of its letters. */
import type { FileHandle } from 'node:fs/promises'
import { ignoreMissing } from '../files/index.ts'
import { bucketsOf, widthOf } from './signature.ts'
import { type Entry, entriesOf, openPart, readState, type State } from './store.ts'

export type { Entry } from './store.ts'
export { writeTextIndex } from './writing.ts'

/** The blocks of a segment that have the bits of all buckets. @param from the number of its first block */
async function blocksWith(
  directory: string,
  { file, blocks }: State['segments'][number],
  wanted: number[],
  from: number,
) {
  await using part = await openPart(directory, file)
  const width = widthOf(blocks)
  const common = new Uint8Array(width).fill(0xff)
  for (const bucket of wanted) {
    const row = new Uint8Array(width)
    await part.read(row, 0, width, bucket * width)
    for (let index = 0; index < width; index += 1) common[index] = (common[index] as number) & (row[index] as number)
  }
  return Array.from({ length: blocks }, (_, block) => block)
    .filter((block) => ((common[block >> 3] as number) & (1 << (block & 7))) !== 0)
    .map((block) => from + block)
}

/** The blocks of all segments in which a phrase may occur, in order, and how many blocks there are. */
async function candidates(directory: string, { segments }: State, phrase: string) {
  const wanted = bucketsOf(phrase)
  const blocks: number[] = []
  let count = 0
  for (const segment of segments) {
    blocks.push(...(await blocksWith(directory, segment, wanted, count)))
    count += segment.blocks
  }
  return { blocks, count }
}

async function* entriesIn(part: FileHandle, { blocks, count }: { blocks: number[]; count: number }) {
  await using file = part
  for await (const { entries } of entriesOf(file, count, blocks)) yield entries
}

/** Whether an index can tell anything about a phrase: three characters of ASCII in a row. */
export const isIndexable = (phrase: string): boolean => bucketsOf(phrase).length > 0

/**
 * Yields the texts of a version in whose name or content a phrase may occur, some at a time; not all of them contain it. An empty
 * phrase is in all texts.
 * @returns null where the index is of another version, is not whole, or does not exist
 */
export async function findTexts(
  directory: string,
  version: string,
  phrase: string,
): Promise<AsyncGenerator<Entry[]> | null> {
  const state = await readState(directory)
  if (state?.version !== version) return null
  const found = await candidates(directory, state, phrase).catch(ignoreMissing)
  const part = found && (await openPart(directory, state.entries).catch(ignoreMissing))
  return found && part && entriesIn(part, found)
}

/** The version of an index; null where none is. */
export const versionOfTexts = async (directory: string): Promise<string | null> =>
  (await readState(directory))?.version ?? null
