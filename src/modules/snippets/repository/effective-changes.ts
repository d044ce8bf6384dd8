import { createHash } from 'node:crypto'
import type { FileChange, FileMode, Oid } from '../../../infra/git/index.ts'
import type { CommitBase } from '../../commits/index.ts'

/** The id that git gives to a blob. Repositories of snippets use SHA-1. */
function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}

const plain: FileMode = '100644'

/** What a change puts at its path; null when it removes the file, undefined when only git can tell. */
function resultOf(change: FileChange): { oid: string; mode: FileMode } | null | undefined {
  if ('oid' in change) return { oid: change.oid, mode: change.mode }
  const { content } = change
  if (content === null) return null
  return Buffer.isBuffer(content) ? { oid: blobId(content), mode: change.mode ?? plain } : undefined
}

/** The changes that alter the tree of a commit: none when all files already are as they shall be. */
export async function effectiveChanges(
  { repository, base }: CommitBase,
  changes: readonly FileChange[],
): Promise<FileChange[]> {
  const isEffective = async (change: FileChange) => {
    const result = resultOf(change)
    const entry = base && (await repository.entryAt(base as Oid, change.path))
    if (result === undefined) return true
    if (result === null) return entry !== null
    return entry?.oid !== result.oid || entry.mode !== result.mode
  }
  const found: FileChange[] = []
  for (const change of changes) if (await isEffective(change)) found.push(change)
  return found
}
