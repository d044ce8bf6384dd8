import type { Oid, Repository, TreeEntry, TreePath } from '../../../infra/git/index.ts'
import { type PageFile, pageOf } from './pages.ts'

/** A change of a page between two commits. */
export type PageChange =
  | { action: 'created' | 'updated' | 'destroyed'; slug: string }
  /** The page has another slug and the same id. */
  | { action: 'moved'; slug: string; from: string }

/** Limits the reported pages of one push. */
const maximumPages = 100
/** Limits the compared directories: nested copies of a tree can multiply them without limit. */
const maximumDirectories = 2_000

type Pair = { path: string; before: Oid | null; after: Oid | null }
type Files = { removed: PageFile[]; added: PageFile[] }

async function entriesOf(repository: Repository, tree: Oid | null, path: string): Promise<readonly TreeEntry[]> {
  return tree === null ? [] : ((await repository.treeEntries(tree, path)) ?? [])
}

/** The page files that differ in one directory, and the directories below it that do. */
async function compare(repository: Repository, { path, before, after }: Pair, files: Files): Promise<Pair[]> {
  const old = new Map((await entriesOf(repository, before, path)).map((entry) => [entry.name, entry]))
  const pairs: Pair[] = []
  const treeOf = (entry: TreeEntry | undefined) => (entry?.type === 'tree' ? entry.oid : null)
  const note = (was: TreeEntry | undefined, is: TreeEntry | undefined) => {
    if (was?.oid === is?.oid && was?.mode === is?.mode) return
    const removed = was && pageOf(was)
    const added = is && pageOf(is)
    if (removed) files.removed.push(removed)
    if (added) files.added.push(added)
    const next = { path: (is ?? was)?.path ?? '', before: treeOf(was), after: treeOf(is) }
    if (next.before !== next.after) pairs.push(next)
  }
  for (const entry of await entriesOf(repository, after, path)) {
    note(old.get(entry.name), entry)
    old.delete(entry.name)
  }
  for (const entry of old.values()) note(entry, undefined)
  return pairs
}

async function rootOf(repository: Repository, commit: Oid | null): Promise<Oid | null> {
  const root: '' | TreePath = ''
  return commit === null ? null : ((await repository.entryAt(commit, root))?.oid ?? null)
}

/** The changes of pages that follow from removed and added files. */
function changesOf({ removed, added }: Files): PageChange[] {
  const before = new Map(removed.map((file) => [file.slug, file]))
  const after = new Map(added.map((file) => [file.slug, file]))
  const updated = [...after.keys()].filter((slug) => before.delete(slug))
  for (const slug of updated) after.delete(slug)
  const changes: PageChange[] = updated.map((slug) => ({ action: 'updated', slug }))
  // A single removed page and a single added page are a move; of several, those with equal content are.
  const isOne = before.size === 1 && after.size === 1
  const byContent = new Map([...before.values()].map((file) => [file.oid, file]))
  for (const file of after.values()) {
    const from = isOne ? [...before.values()][0] : byContent.get(file.oid)
    byContent.delete(file.oid)
    if (from && before.delete(from.slug)) changes.push({ action: 'moved', slug: file.slug, from: from.slug })
    else changes.push({ action: 'created', slug: file.slug })
  }
  for (const slug of before.keys()) changes.push({ action: 'destroyed', slug })
  return changes
}

/** The changes of a wiki's pages between two commits, up to the limit; null is an empty wiki. */
export async function pageChanges(
  repository: Repository,
  { before, after }: { before: Oid | null; after: Oid | null },
): Promise<PageChange[]> {
  const files: Files = { removed: [], added: [] }
  const roots = await Promise.all([rootOf(repository, before), rootOf(repository, after)])
  const pending: Pair[] = [{ path: '', before: roots[0], after: roots[1] }]
  let compared = 0
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    compared += 1
    if (compared > maximumDirectories || files.removed.length + files.added.length > 2 * maximumPages) break
    pending.push(...(await compare(repository, pair, files)))
  }
  return changesOf(files).slice(0, maximumPages)
}
