import {
  type Actor,
  contentDisposition,
  failure,
  isExceeded,
  notFound,
  type RateCounter,
  type Raw,
  type RequestInfo,
  type Throttle,
  tooManyRequests,
  weakEtag,
} from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { branchName, callerOf, GitError, type TreePath, treePath } from '../../infra/git/index.ts'
import { resolveRevision } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { openRepository, type Repositories } from '../repositories/index.ts'
import { archiveName, type FormatName, formatOf } from './names.ts'

export type ArchivesNeeds = {
  database: Database
  repositories: Repositories
  rateCounter: RateCounter
  /** How often one caller may ask for archives of one project; without it, as often as they like (contract 22). */
  limit?: Throttle
}

export type ArchiveQuery = {
  format: FormatName
  /** Revision; the default branch unless given. */
  sha?: string
  path?: string
  exclude_paths?: string[]
}

/** Who asks, and for what project. */
export type Asking = { project: Project; actor: Actor; request: RequestInfo }

/** Whole repositories as one file (contract 22, x.repo_archive, x.repo_snapshot). */
export type Archives = ReturnType<typeof createArchives>

const limitText = 'This archive has been requested too many times. Try again later.'

/** Whose places an archive takes while it is sent. */
function placesOf({ actor, request }: Asking): string {
  return callerOf(actor.kind === 'user' ? `user-${actor.userId}` : undefined, request.ip)
}

export function createArchives(needs: ArchivesNeeds) {
  /** @throws ApiError 429 */
  async function admit({ project, actor, request }: Asking): Promise<void> {
    const { limit, rateCounter } = needs
    if (!limit) return
    const caller = actor.kind === 'user' ? `user-${actor.userId}` : `ip-${request.ip}`
    const standing = await rateCounter.hit(`${limit.name}:${project.id}:${caller}`, limit)
    if (isExceeded(standing)) throw tooManyRequests(standing.resetsAtSeconds - standing.nowSeconds, limitText)
  }

  /** @throws ApiError 404 `File` for a revision or a path that is not there */
  async function found({ project, request }: Asking, { sha, path: text = '' }: ArchiveQuery) {
    const opened = await openRepository(needs, project)
    const { repository } = opened
    const ref = sha || (branchName(await repository.head()) ?? 'HEAD')
    // A name that a tag has too means the branch where it was not asked for by name.
    const commit = await resolveRevision(opened, sha || 'HEAD')
    if (!commit) throw notFound('File')
    const trimmed = text.replace(/\/+$/, '')
    const path = trimmed === '' ? undefined : treePath(trimmed)
    if (path === null) throw notFound('File')
    if (path && !(await repository.entryAt(commit, path))) throw notFound('File')
    return { repository, ref, commit, path, signal: request.signal }
  }

  return {
    /** The files of a commit, packed while they are sent (contract 22, x.repo_archive). */
    async archive(asking: Asking, query: ArchiveQuery): Promise<Raw> {
      const { repository, ref, commit, path, signal } = await found(asking, query)
      await admit(asking)
      const format = formatOf(query.format)
      const prefix = archiveName({ project: asking.project.path, ref, commit, path })
      // What is no legal path stands nowhere, and need not be left out.
      const excludedPaths = (query.exclude_paths ?? []).map(directoryPath).filter((one) => one !== null)
      const caller = placesOf(asking)
      const identity = JSON.stringify([prefix, format, commit, path, excludedPaths])
      return {
        headers: {
          'Content-Type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
          'Content-Disposition': contentDisposition('attachment', `${prefix}.${format}`),
          ETag: weakEtag(identity),
        },
        body: () =>
          repository.archive(commit, { format, prefix, path, excludedPaths, signal, caller }).catch(archiveFailure),
      }
    },

    /** The files of the bare repository itself (contract 22, x.repo_snapshot). */
    async snapshot(asking: Asking, { wiki }: { wiki: boolean }): Promise<Raw> {
      const { project, request } = asking
      const { repository } = await openRepository(needs, project, wiki ? 'wiki' : 'project')
      return {
        headers: {
          'Content-Type': 'application/x-tar',
          'Content-Disposition': contentDisposition('attachment', 'snapshot.tar'),
        },
        body: () => repository.tarball({ signal: request.signal, caller: placesOf(asking) }),
      }
    },
  }
}

function directoryPath(text: string): TreePath | null {
  return treePath(text.replace(/\/+$/, ''))
}

function archiveFailure(error: unknown): never {
  if (!(error instanceof GitError)) throw error
  if (error.code === 'object_missing') throw notFound('File')
  // Git walks down by recursion: on a tree of some thousand floors it runs out of stack, and is ended.
  if (/ended with signal SIG(?:SEGV|BUS)/.test(error.message)) throw failure(422, 'The tree is too deep to be archived')
  if (error.code === 'unsupported') throw failure(422, 'This server cannot make archives of this format')
  throw error
}
