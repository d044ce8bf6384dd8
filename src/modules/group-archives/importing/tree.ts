import { text as textOf } from 'node:stream/consumers'
import { limited } from '../../../infra/streams/index.ts'
import type { ImportedLine } from '../../../platform/index.ts'
import { ImportProblem, type Unpacked } from '../../transfer-archives/index.ts'

/** A group of an archive. */
export type ArchivedGroup = {
  /** At the other server; also that of its folder. */
  id: number
  /** Null for the first group, and one whose parent the archive does not have. */
  parentId: number | null
  attributes: ImportedLine
}

/** Groups of one archive. */
const mostGroups = 10_000

const idOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

/** Bytes of their list. */
const longestList = 256 * 1024

/** The ids of the groups of an archive, in its order. @throws ImportProblem */
async function idsOf(archive: Unpacked): Promise<number[]> {
  const content = await archive.read('tree/groups/_all.ndjson')
  const tooMany = () => new ImportProblem(`The archive has more than ${mostGroups} groups`)
  const text = content ? await textOf(limited(content, longestList, tooMany)) : ''
  const ids = new Set(
    text.split('\n').flatMap((line) => idOf(/^\d{1,15}$/.test(line.trim()) ? Number(line) : null) ?? []),
  )
  if (ids.size > mostGroups) throw tooMany()
  return [...ids]
}

async function attributesOf(archive: Unpacked, id: number): Promise<ImportedLine> {
  for await (const read of archive.lines(`tree/groups/${id}.json`)) if ('line' in read) return read.line
  return {}
}

/**
 * The groups of an archive: the first is the one that was exported, each other one follows its parent. Those whose parent is missing are
 * left out.
 * @throws ImportProblem for an archive without groups
 */
export async function groupsOf(archive: Unpacked): Promise<ArchivedGroup[]> {
  const [rootId, ...others] = await idsOf(archive)
  if (rootId === undefined) throw new ImportProblem('The archive has no groups')
  const waiting: ArchivedGroup[] = []
  for (const id of others) {
    const attributes = await attributesOf(archive, id)
    waiting.push({ id, parentId: idOf(attributes.parent_id), attributes })
  }
  const below = Map.groupBy(waiting, ({ parentId }) => parentId)
  const found: ArchivedGroup[] = [{ id: rootId, parentId: null, attributes: await attributesOf(archive, rootId) }]
  // The list grows while it is read: each group is followed by those below it, once.
  for (const { id } of found) {
    found.push(...(below.get(id) ?? []))
    below.delete(id)
  }
  return found
}
