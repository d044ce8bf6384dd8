import { Readable } from 'node:stream'
import {
  ApiError,
  invalidPageToken,
  notFound,
  nullable,
  oneOf,
  type PageRequest,
  type ParamValues,
  parameterError,
  type StreamedJson,
  streamedJson,
  Type,
  t,
  weakEtag,
} from '../../../api/index.ts'
import { GitError, type TreeEntry, type TreePath, treePath } from '../../../infra/git/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { CommitSummary, presentCommit, resolveRevision } from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'
import { optionalRef } from '../reading/params.ts'
import { type OrderedTree, orderedTree } from './tree-order.ts'

/** Parameters of x.repo_tree. */
export const treeFilter = {
  ref: optionalRef,
  path: t.string({ description: 'Directory; default the root.' }),
  recursive: t.boolean({ description: 'Whether everything below the directory is listed.' }),
  last_commits: t.boolean({ description: 'With the last commit that changed each entry; not of recursive lists.' }),
  pagination: t.oneOf(['legacy', 'keyset', 'none'], {
    description: '`none` lists everything at once; it requires `recursive`.',
  }),
}
type TreeFilter = ParamValues<typeof treeFilter>

/** An entry of a directory (contract 22, Tree entry). */
export const Entry = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: oneOf(['tree', 'blob', 'commit']),
    path: Type.String(),
    mode: Type.String(),
    last_commit: Type.Optional(nullable(CommitSummary)),
  },
  { title: 'TreeEntry' },
)

function presentEntry({ oid, name, type, path, mode }: TreeEntry) {
  return { id: oid, name, type, path, mode }
}

/** Minimal length of the pieces of a long answer, in characters. */
const pieceLength = 32_768
const maximumShownTotal = 10_000

/** Parses a directory: the root is empty or a slash, others may end with a slash. */
function directoryPath(text: string): TreePath | '' | null {
  const trimmed = text.replace(/\/+$/, '')
  return trimmed === '' ? '' : treePath(trimmed)
}

/** Maps git's `too_large` to 422. */
function readingFailure(error: unknown): never {
  const isTooLarge = error instanceof GitError && error.code === 'too_large'
  throw isTooLarge ? new ApiError('tree_too_large', 422, { message: 'The directory is too large to be listed' }) : error
}

/** @throws ApiError 404 `Tree` for an unknown revision; 404 `invalid revision or path` for a missing directory */
async function directoryAt(platform: Platform, project: Project, { ref, path, recursive = false }: TreeFilter) {
  const opened = await openRepository(platform, project)
  const commit = await resolveRevision(opened, ref || 'HEAD')
  if (!commit) throw notFound('Tree')
  const directory = directoryPath(path ?? '')
  const entry = directory === null ? null : await opened.repository.entryAt(commit, directory).catch(readingFailure)
  if (directory === null || entry?.type !== 'tree') throw notFound('invalid revision or path')
  return { repository: opened.repository, commit, tree: entry.oid, path: directory, recursive }
}

/** The entries of a directory, or of everything below it (contract 22, x.repo_tree). */
export async function listTree(
  platform: Platform,
  project: Project,
  filter: TreeFilter,
  page: PageRequest,
  signal: AbortSignal,
) {
  if (filter.pagination === 'none' && !filter.recursive) {
    throw parameterError('pagination', 'cannot be "none" unless "recursive" is true')
  }
  const directory = await directoryAt(platform, project, filter)
  const tree = await orderedTree(platform, directory, signal).catch(readingFailure)
  if (filter.pagination === 'none') return everything(tree, `${directory.tree} ${directory.path}`, signal)
  const from = page.kind === 'offset' ? page.offset : await startOf(tree, page.after, signal)
  const items = await tree.window(from, page.limit, signal)
  const hasNext = tree.total > from + page.limit
  const last = items.at(-1)
  const next = page.kind === 'keyset' && hasNext && last ? { page_token: tree.tokenOf(last) } : undefined
  const total = tree.total > maximumShownTotal ? undefined : tree.total
  const presented = items.map(presentEntry)
  if (!filter.last_commits || directory.recursive) return { items: presented, total, hasNext, next }
  const commitOf = await lastCommits(platform, project, directory, items)
  return { items: presented.map((one) => ({ ...one, last_commit: commitOf(one.name) })), total, hasNext, next }
}

/** The last commit that changed each entry of a page; null where it is too far back. */
async function lastCommits(
  { externalUrl }: Platform,
  project: Project,
  { repository, commit, path }: Awaited<ReturnType<typeof directoryAt>>,
  items: readonly TreeEntry[],
) {
  const names = items.map(({ name }) => name)
  const changes = names.length === 0 ? new Map() : await repository.lastChangesOf(commit, path, names)
  const commits = await repository.commits([...new Set(changes.values())])
  return (name: string) => {
    const found = commits.get(changes.get(name) ?? '')
    return found ? presentCommit(found, `${externalUrl}/${project.full_path}`) : null
  }
}

/** The rank after the last entry of the previous page. @throws ApiError 400 for an unknown entry */
async function startOf(tree: OrderedTree, after: unknown[] | undefined, signal: AbortSignal): Promise<number> {
  if (!after) return 0
  const rank = await tree.rankOf(String(after[0]), signal)
  if (rank === null) throw invalidPageToken()
  return rank + 1
}

/** Streams the whole list. */
function everything(tree: OrderedTree, identity: string, signal: AbortSignal): StreamedJson {
  async function* json(): AsyncGenerator<string> {
    let piece = '['
    let isFirst = true
    for await (const entry of tree.all(signal)) {
      piece += (isFirst ? '' : ',') + JSON.stringify(presentEntry(entry))
      isFirst = false
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    yield `${piece}]`
  }
  return streamedJson({ headers: { ETag: weakEtag(identity) }, body: async () => handled(Readable.from(json())) })
}
