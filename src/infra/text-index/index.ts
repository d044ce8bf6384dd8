/** An index of many texts by short sequences of their characters: it tells in which of them a phrase may occur, whatever the case of its letters. */
import type { FileHandle } from 'node:fs/promises'
import { ignoreMissing } from '../files/index.ts'
import { bucketsOf, widthOf } from './signature.ts'
import { type Entry, entriesOf, openPart, readState, type State } from './store.ts'

export type { Entry } from './store.ts'
export { writeTextIndex } from './writing.ts'

/** So many texts are looked at together at the least. */
const textsAtOnce = 64

/** The numbers in their segment of the blocks that have the bits of all buckets. */
async function blocksWith(directory: string, { file, blocks }: State['segments'][number], wanted: number[]) {
  await using part = await openPart(directory, file)
  const width = widthOf(blocks)
  const common = new Uint8Array(width).fill(0xff)
  const row = new Uint8Array(width)
  for (const bucket of wanted) {
    await part.read(row, 0, width, bucket * width)
    for (let index = 0; index < width; index += 1) common[index] = (common[index] as number) & (row[index] as number)
    if (!common.some((byte) => byte !== 0)) return []
  }
  const isWanted = (block: number) => ((common[block >> 3] as number) & (1 << (block & 7))) !== 0
  return Array.from({ length: blocks }, (_, block) => block).filter(isWanted)
}

/** The blocks of all segments in which a phrase may occur, in order, and how many blocks there are. */
async function candidates(directory: string, { segments }: State, phrase: string) {
  const wanted = bucketsOf(phrase)
  const found = await Promise.all(segments.map((segment) => blocksWith(directory, segment, wanted)))
  let count = 0
  const blocks = segments.flatMap((segment, index) => {
    const first = count
    count += segment.blocks
    return (found[index] ?? []).map((block) => first + block)
  })
  return { blocks, count }
}

async function* entriesIn(part: FileHandle, { blocks, count }: { blocks: number[]; count: number }) {
  await using file = part
  let together: Entry[] = []
  for await (const { entries } of entriesOf(file, count, blocks)) {
    together.push(...entries)
    if (together.length < textsAtOnce) continue
    yield together
    together = []
  }
  if (together.length > 0) yield together
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
