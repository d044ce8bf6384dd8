import { setImmediate as othersRan } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { notFound, type PageRequest, type ParamValues, pageOfList, t } from '../../../api/index.ts'
import type { Oid, Repository } from '../../../infra/git/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { resolveRevision } from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'
import { optionalRef } from '../reading/params.ts'
import { compareRanked, type Ranked, rankOf } from './ranks.ts'

/** Parameters of x.files_find. */
export const fileSearch = {
  ref: optionalRef,
  search: t.string({ description: 'Letters of the path, in their order and any case. Without it, all files.' }),
}
type FileSearch = ParamValues<typeof fileSearch>

/** Nested copies of a tree can multiply its entries without limit: the files behind so many are not found. */
const maximumEntries = 200_000
/** So many characters of paths are searched at most, and so many are held for all repositories. */
const maximumLength = 16_000_000
const heldLength = 32_000_000
/** Other requests run after so many paths. */
const pathsOfTurn = 5_000
/** A longer text is no part of a path. */
const longestSearch = 1_000

const separator = '\0'

/** The paths of a tree, joined: one string takes a fraction of the memory of many. */
const pathsOf = perPlatform(
  () => new LRUCache<string, string>({ maxSize: heldLength, sizeCalculation: (paths) => Math.max(1, paths.length) }),
)

async function readPaths(repository: Repository, tree: Oid, signal: AbortSignal): Promise<string> {
  const paths: string[] = []
  let [entries, length] = [0, 0]
  for await (const { type, path } of repository.walkTree(tree, '', { signal })) {
    entries += 1
    if (entries > maximumEntries || length > maximumLength) break
    if (type !== 'blob') continue
    paths.push(path)
    length += path.length + 1
  }
  return paths.join(separator)
}

/** The matching paths, best first; all in the order of the tree where nothing is searched for. */
async function search(all: readonly string[], text: string): Promise<readonly string[]> {
  if (text.trim() === '') return all
  if (text.length > longestSearch) return []
  const rank = rankOf(text)
  const found: Ranked[] = []
  for (const [index, path] of all.entries()) {
    const ranked = rank(path)
    if (ranked !== null) found.push({ path, rank: ranked })
    if (index % pathsOfTurn === pathsOfTurn - 1) await othersRan()
  }
  return found.sort(compareRanked).map(({ path }) => path)
}

/** The files of a revision whose paths match, best first (contract 22, x.files_find). @throws ApiError 404 `Tree` */
export async function findFiles(
  platform: Platform,
  project: Project,
  { ref, search: text = '' }: FileSearch,
  page: PageRequest,
  signal: AbortSignal,
) {
  const opened = await openRepository(platform, project)
  const { repository } = opened
  const commit = await resolveRevision(opened, ref || 'HEAD')
  const root = commit && (await repository.entryAt(commit, ''))
  if (!root) throw notFound('Tree')
  const known = pathsOf(platform)
  const key = `${repository.directory}${separator}${root.oid}`
  const joined = known.get(key) ?? (await readPaths(repository, root.oid, signal))
  known.set(key, joined)
  const found = await search(joined === '' ? [] : joined.split(separator), text)
  const { items, hasNext } = pageOfList(found, page)
  return { items: items.map((path) => ({ path, name: path.slice(path.lastIndexOf('/') + 1) })), hasNext }
}
