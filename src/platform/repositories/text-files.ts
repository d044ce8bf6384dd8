import { GitError, type Oid, treePath } from '../../infra/git/index.ts'
import type { OpenedRepository } from './opening.ts'

/** The text of a file of a commit; null when it is missing, no file, larger than `maxBytes` or not UTF-8. */
export async function readTextFile(
  { repository }: OpenedRepository,
  commit: Oid,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  const place = treePath(path)
  const entry = place && (await repository.entryAt(commit, place))
  if (entry?.type !== 'blob') return null
  const found = await repository.readObject(entry.oid, { maxBytes }).catch((error: unknown) => {
    if (error instanceof GitError && error.code === 'too_large') return null
    throw error
  })
  if (!found) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(found.content)
  } catch {
    return null
  }
}
