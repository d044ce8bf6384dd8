import { Readable } from 'node:stream'
import {
  ApiError,
  notFound,
  type Page,
  type PageRequest,
  parameterError,
  type StreamedJson,
  streamedJson,
  weakEtag,
} from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { GitError, type TreePath, treePath } from '../../infra/git/index.ts'
import { resolveRevision } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { openRepository, type Repositories } from '../repositories/index.ts'
import { presentEntry } from './present.ts'
import { createTreeOrder, type OrderedTree } from './tree-order.ts'

export type TreesNeeds = { database: Database; repositories: Repositories }

export type TreeQuery = {
  ref?: string
  path?: string
  recursive?: boolean
  pagination?: 'legacy' | 'keyset' | 'none'
}

export type PresentedEntry = ReturnType<typeof presentEntry>

/** The directories of repositories (contract 22, x.repo_tree). */
export type Trees = ReturnType<typeof createTrees>

/** Pieces of a long answer are at least so long, in characters: each costs a turn. */
const pieceLength = 32_768
const totalToldUpTo = 10_000

function invalidToken(): ApiError {
  return new ApiError('invalid_page_token', 400, {
    message: '400 Bad request - Invalid page token',
    error: 'Invalid page token',
  })
}

/** A path as callers write it: the root is nothing or a slash, and a directory may end with one. */
function directoryPath(text: string): TreePath | '' | null {
  const trimmed = text.replace(/\/+$/, '')
  return trimmed === '' ? '' : treePath(trimmed)
}

/** A directory of a million files, or with a damaged one in it. */
function readingFailure(error: unknown): never {
  const isTooLarge = error instanceof GitError && error.code === 'too_large'
  throw isTooLarge ? new ApiError('tree_too_large', 422, { message: 'The directory is too large to be listed' }) : error
}

export function createTrees(needs: TreesNeeds) {
  const ordered = createTreeOrder()

  /**
   * @throws ApiError 404 `Tree` for an unknown revision or an empty repository; 404 `invalid revision or path` when there is
   * no such directory
   */
  async function directoryAt(project: Project, { ref, path, recursive = false }: TreeQuery) {
    const opened = await openRepository(needs, project)
    const commit = await resolveRevision(opened, ref || 'HEAD')
    if (!commit) throw notFound('Tree')
    const wanted = directoryPath(path ?? '')
    const entry = wanted === null ? null : await opened.repository.entryAt(commit, wanted).catch(readingFailure)
    if (wanted === null || entry?.type !== 'tree') throw notFound('invalid revision or path')
    return { repository: opened.repository, tree: entry.oid, path: wanted, recursive }
  }

  return {
    /** The entries of a directory, or of everything below it. */
    async list(
      project: Project,
      query: TreeQuery,
      page: PageRequest,
      signal: AbortSignal,
    ): Promise<Page<PresentedEntry> | StreamedJson> {
      if (query.pagination === 'none' && !query.recursive) {
        throw parameterError('pagination', 'cannot be "none" unless "recursive" is true')
      }
      const directory = await directoryAt(project, query)
      const tree = await ordered(directory, signal).catch(readingFailure)
      if (query.pagination === 'none') return everything(tree, `${directory.tree} ${directory.path}`, signal)
      const from = page.kind === 'offset' ? page.offset : await startOf(tree, page.after, signal)
      const items = await tree.window(from, page.limit, signal)
      const hasNext = tree.total > from + page.limit
      const last = items.at(-1)
      const next = page.kind === 'keyset' && hasNext && last ? { page_token: tree.tokenOf(last) } : undefined
      const total = tree.total > totalToldUpTo ? undefined : tree.total
      return { items: items.map(presentEntry), total, hasNext, next }
    },
  }
}

/** The rank behind the entry that a page ended with. @throws ApiError 400 when there is no such entry */
async function startOf(tree: OrderedTree, after: unknown[] | undefined, signal: AbortSignal): Promise<number> {
  if (!after) return 0
  const rank = await tree.rankOf(String(after[0]), signal)
  if (rank === null) throw invalidToken()
  return rank + 1
}

/** The whole list in one answer: it may be long, so it is written as it is read. */
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
  return streamedJson({ headers: { ETag: weakEtag(identity) }, body: async () => Readable.from(json()) })
}
