import { maximumTotal, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import { type FileDiff, type Oid, type ReadOptions, type Repository, treePath } from '../../../infra/git/index.ts'
import type { DiffLimits } from './diff-limits.ts'

/** Includes the status: a file that became a link is removed and added under the same path. */
const keyOf = ({ status, oldPath, newPath }: FileDiff) => JSON.stringify([status, oldPath, newPath])

/** The two sides of a diff, and how much of it is read at once. */
type Ends = { repository: Repository; from: Oid | null; to: Oid; reading?: ReadOptions; limits: DiffLimits }

/** Reads the patches of a few files again, which the limits of the whole diff may have left out. */
async function readAgain(
  { repository, from, to, reading, limits }: Ends,
  files: readonly FileDiff[],
): Promise<FileDiff[]> {
  const names = new Set(files.filter(({ tooLarge }) => tooLarge).flatMap(({ oldPath, newPath }) => [oldPath, newPath]))
  const paths = [...names].flatMap((name) => treePath(name) ?? [])
  if (paths.length === 0) return [...files]
  const read = await repository.diff(from, to, { ...reading, ...limits, maxFiles: maximumTotal, paths })
  const found = new Map(read.map((file) => [keyOf(file), file]))
  return files.map((file) => (file.tooLarge ? (found.get(keyOf(file)) ?? file) : file))
}

/** Number of files that are read again to find out whether they are too large alone. */
const fewFiles = 10

/** The trailing files without a patch: they include all files after the limits of the whole diff. */
function withoutPatch(files: readonly FileDiff[]): readonly FileDiff[] {
  return files.slice(files.findLastIndex(({ tooLarge }) => !tooLarge) + 1)
}

/** Whether the limits of the whole diff left out patches that are not too large alone. */
export async function hasOverflowed(ends: Ends, files: readonly FileDiff[]): Promise<boolean> {
  const some = withoutPatch(files).slice(0, fewFiles)
  return some.length > 0 && (await readAgain(ends, some)).some(({ tooLarge }) => !tooLarge)
}

/** A page of all differing files, with the patches that only the limits of the whole diff would leave out. */
export async function pageOfDiff(ends: Ends, page: PageRequest): Promise<Page<FileDiff>> {
  const { repository, from, to, reading, limits } = ends
  const files = await repository.diff(from, to, { ...reading, ...limits, maxFiles: maximumTotal + 1 })
  const { items, total, hasNext } = pageOfList(files, page)
  const isComplete = withoutPatch(files).length === 0 || items.length === files.length
  return { items: isComplete ? items : await readAgain(ends, items), total, hasNext }
}
