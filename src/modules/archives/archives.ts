import {
  type Actor,
  contentDisposition,
  failure,
  notFound,
  type ParamValues,
  type Raw,
  type RequestInfo,
  t,
  weakEtag,
} from '../../api/index.ts'
import { branchName, callerOf, GitError, type TreePath, treePath } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { resolveRevision } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { archiveName, type FormatName, formatOf } from './names.ts'

/** Parameters of x.repo_archive besides the format. */
export const archiveParams = {
  sha: t.string({ description: 'Branch, tag or commit; default the default branch.' }),
  path: t.string({ description: 'Directory to which the archive is limited.' }),
  exclude_paths: t.array(t.string(), {
    commaSeparated: true,
    maximum: 100,
    description: 'Paths to leave out, separated by commas.',
  }),
}
type ArchiveParams = ParamValues<typeof archiveParams>

/** A request for a file of a project's repository. */
type Download = { project: Project; actor: Actor; request: RequestInfo }

/** The caller that counts as the reader of the archive's stream. */
function readerOf({ actor, request }: Download): string {
  return callerOf(actor.kind === 'user' ? `user-${actor.userId}` : undefined, request.ip)
}

/** @throws ApiError 404 `File` for an unknown revision or path */
async function locate(platform: Platform, project: Project, { sha, path: text = '' }: ArchiveParams) {
  const opened = await openRepository(platform, project)
  const { repository } = opened
  const ref = sha || (branchName(await repository.head()) ?? 'HEAD')
  // The default branch is resolved as HEAD: a tag of its name would come first.
  const commit = await resolveRevision(opened, sha || 'HEAD')
  if (!commit) throw notFound('File')
  const path = trimmed(text) === '' ? undefined : directoryPath(text)
  if (path === null) throw notFound('File')
  if (path && !(await repository.entryAt(commit, path))) throw notFound('File')
  return { repository, ref, commit, path }
}

/** The files of a commit, packed while they are sent (contract 22, x.repo_archive). @throws ApiError 404, 422 */
export async function createArchive(
  platform: Platform,
  download: Download,
  { format: name, ...params }: ArchiveParams & { format: FormatName },
): Promise<Raw> {
  const { project, request } = download
  const { repository, ref, commit, path } = await locate(platform, project, params)
  const format = formatOf(name)
  const prefix = archiveName({ project: project.path, ref, commit, path })
  // An invalid path matches no file.
  const excludedPaths = (params.exclude_paths ?? []).map(directoryPath).filter((one) => one !== null)
  const options = { format, prefix, path, excludedPaths, signal: request.signal, caller: readerOf(download) }
  return {
    headers: {
      'Content-Type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
      'Content-Disposition': contentDisposition('attachment', `${prefix}.${format}`),
      ETag: weakEtag(JSON.stringify([prefix, format, commit, path, excludedPaths])),
    },
    body: () => repository.archive(commit, options).catch(archiveFailure),
  }
}

/** The files of the bare repository (contract 22, x.repo_snapshot). */
export async function createSnapshot(platform: Platform, download: Download, { wiki }: { wiki: boolean }) {
  const { project, request } = download
  const { repository } = await openRepository(platform, project, wiki ? 'wiki' : 'project')
  return {
    headers: {
      'Content-Type': 'application/x-tar',
      'Content-Disposition': contentDisposition('attachment', 'snapshot.tar'),
    },
    body: () => repository.tarball({ signal: request.signal, caller: readerOf(download) }),
  }
}

const trimmed = (path: string) => path.replace(/\/+$/, '')

function directoryPath(text: string): TreePath | null {
  return treePath(trimmed(text))
}

function archiveFailure(error: unknown): never {
  if (!(error instanceof GitError)) throw error
  if (error.code === 'object_missing') throw notFound('File')
  // Git descends by recursion and exhausts its stack on a tree of some thousand levels.
  if (/ended with signal SIG(?:SEGV|BUS)/.test(error.message)) throw failure(422, 'The tree is too deep to be archived')
  if (error.code === 'unsupported') throw failure(422, 'This server cannot make archives of this format')
  throw error
}
