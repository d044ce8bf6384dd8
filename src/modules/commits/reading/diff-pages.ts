import { maximumTotal, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import { type FileDiff, type Oid, type ReadOptions, type Repository, treePath } from '../../../infra/git/index.ts'

/** One change is not two: a file that became a link is removed and added under the same names. */
const keyOf = ({ status, oldPath, newPath }: FileDiff) => JSON.stringify([status, oldPath, newPath])

/** What is held against what. */
type Ends = { repository: Repository; from: Oid | null; to: Oid; reading?: ReadOptions }

/** Asks again for the patches of a few files that may have fallen victim to the bounds of the whole. */
async function askAgain({ repository, from, to, reading }: Ends, files: readonly FileDiff[]): Promise<FileDiff[]> {
  const names = new Set(files.filter(({ tooLarge }) => tooLarge).flatMap(({ oldPath, newPath }) => [oldPath, newPath]))
  const paths = [...names].flatMap((name) => treePath(name) ?? [])
  if (paths.length === 0) return [...files]
  const found = new Map((await repository.diff(from, to, { ...reading, paths })).map((file) => [keyOf(file), file]))
  return files.map((file) => (file.tooLarge ? (found.get(keyOf(file)) ?? file) : file))
}

/** Of so many files it is looked whether they are too large by themselves. */
const fewFiles = 10

/** The files at the end that have no patch: where the bounds of the whole were passed, all that follow are among them. */
function withoutPatch(files: readonly FileDiff[]): readonly FileDiff[] {
  return files.slice(files.findLastIndex(({ tooLarge }) => !tooLarge) + 1)
}

/** Whether patches were left out because of all the others, and not because they are too large by themselves. */
export async function hasOverflowed(ends: Ends, files: readonly FileDiff[]): Promise<boolean> {
  const some = withoutPatch(files).slice(0, fewFiles)
  return some.length > 0 && (await askAgain(ends, some)).some(({ tooLarge }) => !tooLarge)
}

/**
 * A page of the files that differ. What the bounds of the whole difference leave out is there on its own page; only a
 * patch that is too large by itself is nowhere.
 */
export async function pageOfDiff(ends: Ends, page: PageRequest): Promise<Page<FileDiff>> {
  const files = await ends.repository.diff(ends.from, ends.to, { ...ends.reading, maxFiles: maximumTotal + 1 })
  const { items, total, hasNext } = pageOfList(files, page)
  const isComplete = withoutPatch(files).length === 0 || items.length === files.length
  return { items: isComplete ? items : await askAgain(ends, items), total, hasNext }
}
