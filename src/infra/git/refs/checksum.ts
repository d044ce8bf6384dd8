/** A checksum of all refs, by which copies of a repository are compared. */
import { createHash } from 'node:crypto'
import type { RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { outputOf } from '../process/output.ts'
import { readHead } from './head-file.ts'

/** The checksum of a repository without refs (contract 10, Job 4). */
const EMPTY = '0'.repeat(64)

/**
 * The SHA-256 of the byte-sorted lines `<oid> <refname>\n` of all refs, also hidden ones; 64 zeros without refs (contract 10, Job 4,
 * and contract 15, "What is replicated"). HEAD is no part of it: `head` reads it, and a complete copy has the same.
 * @throws GitError `repository_missing`
 */
export async function refsChecksum(
  { runner, directory }: Pick<RepositoryContext, 'runner' | 'directory'>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string> {
  // HEAD first: this reports a missing repository.
  await readHead(directory)
  // The last key counts most. All ids have the same length, so this is the order of the lines.
  const flags = ['--format=%(objectname) %(refname)', '--sort=refname', '--sort=objectname'] as const
  const command: Command = { subcommand: 'for-each-ref', flags, directory }
  const hash = createHash('sha256')
  let isEmpty = true
  for await (const chunk of outputOf(runner, command, { signal })) {
    isEmpty = false
    hash.update(chunk)
  }
  return isEmpty ? EMPTY : hash.digest('hex')
}
