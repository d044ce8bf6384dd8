import { type Actor, ApiError, answerToOutage, failure, forbidden, notFound } from '../../../api/index.ts'
import { type FileChange, GitError } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { oneAtATime, readOnly, repositoryOfSnippet } from '../../../platform/repositories/index.ts'
import { type CommitBase, untilNotOvertaken, writeCommit } from '../../commits/index.ts'
import { effectiveChanges } from './effective-changes.ts'
import { filesAt, openSnippet } from './repository.ts'

/** The current files of a snippet, from which a change starts. */
export type SnippetSource = CommitBase & { paths: readonly string[] }

/** A change of a snippet's files by one commit. */
type SnippetWrite = {
  verb: 'creating' | 'updating'
  message: string
  /** @throws ApiError for a change that is not possible; nothing is changed then */
  build(source: SnippetSource): Promise<readonly FileChange[]>
}

/** The form of an error of a rule of snippets (contract 09, M). */
export const refused = (status: number, error: string) => failure(status, { error })

const storageFailed = 'The files could not be stored.'

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

/** The answer for a change that did not happen (contract 3.12, 3.13). A full disk and the like are answered as everywhere. */
function failureOf({ log }: Platform, verb: SnippetWrite['verb'], error: unknown): unknown {
  const prefix = `Repository Error ${verb} the snippet - `
  if (error instanceof ApiError) {
    const { message } = error.body
    if (error.status !== 400 || typeof message !== 'string') return error
    return message === readOnly ? forbidden(readOnly) : refused(400, `${prefix}${message}`)
  }
  if (answerToOutage(error) || (!(error instanceof GitError) && !isSystemError(error))) return error
  log.error({ err: error }, 'the files of a snippet could not be stored')
  return refused(400, `${prefix}${storageFailed}`)
}

async function attempt(platform: Platform, id: number, actor: Actor, { message, build }: SnippetWrite) {
  const { opened, branch, head } = await openSnippet(platform, { id })
  if (opened.row.read_only) throw forbidden(readOnly)
  const { repository } = opened
  const paths = (await filesAt(repository, head)).map(({ path }) => path)
  const source = { repository, base: head }
  const changes = await effectiveChanges(source, await build({ ...source, paths }))
  if (changes.length > 0) await writeCommit(platform, { opened, actor, branch, message, build: async () => changes })
}

/**
 * Changes the files of a snippet by one commit, or not at all; makes no commit when the files are as they shall be. Changes of one
 * snippet run one after another.
 * @throws ApiError 400, 403, 404 in the words of contract 3.13
 */
export async function writeSnippet(platform: Platform, id: number, actor: Actor, write: SnippetWrite): Promise<void> {
  const { read } = platform.database
  const row = await repositoryOfSnippet(read, id)
  if (!row) throw notFound('Snippet')
  try {
    await oneAtATime(platform, row.id, () => untilNotOvertaken(() => attempt(platform, id, actor, write)))
  } catch (error) {
    // It may have been deleted meanwhile, which git reports in many ways.
    throw (await repositoryOfSnippet(read, id)) ? failureOf(platform, write.verb, error) : notFound('Snippet')
  }
}
