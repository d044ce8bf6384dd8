import type { Oid, Repository, TreeEntry, TreePath } from '../../infra/git/index.ts'
import { type PageFile, pageOf } from './pages.ts'

/** What became of a page between two commits. */
export type PageChange =
  | { action: 'created' | 'updated' | 'destroyed'; slug: string }
  /** Went from one slug to another, with its number. */
  | { action: 'moved'; slug: string; from: string }

/** Pages of which something is told, when more change at once (as in a push of a whole wiki). */
const pagesTold = 100
/** Directories that are compared at the most; their number may be endless where they are put together to be so. */
const directoriesCompared = 2_000

type Pair = { path: string; before: Oid | null; after: Oid | null }
type Files = { gone: PageFile[]; come: PageFile[] }

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
    const gone = was && pageOf(was)
    const come = is && pageOf(is)
    if (gone) files.gone.push(gone)
    if (come) files.come.push(come)
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

/** What a list of files that have gone and come means for the pages. */
function changesOf({ gone, come }: Files): PageChange[] {
  const before = new Map(gone.map((file) => [file.slug, file]))
  const after = new Map(come.map((file) => [file.slug, file]))
  const updated = [...after.keys()].filter((slug) => before.delete(slug))
  for (const slug of updated) after.delete(slug)
  const changes: PageChange[] = updated.map((slug) => ({ action: 'updated', slug }))
  // One page that goes while another one comes is that page, moved; of several, those whose content tells.
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

/** What became of the pages of a wiki between two commits, as far as anything is told of it; null is an empty wiki. */
export async function pageChanges(
  repository: Repository,
  { before, after }: { before: Oid | null; after: Oid | null },
): Promise<PageChange[]> {
  const files: Files = { gone: [], come: [] }
  const roots = await Promise.all([rootOf(repository, before), rootOf(repository, after)])
  const pending: Pair[] = [{ path: '', before: roots[0], after: roots[1] }]
  let compared = 0
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    compared += 1
    if (compared > directoriesCompared || files.gone.length + files.come.length > 2 * pagesTold) break
    pending.push(...(await compare(repository, pair, files)))
  }
  return changesOf(files).slice(0, pagesTold)
}
