import { GitError } from '../model/errors.ts'
import type { Oid } from '../model/names.ts'
import type { FileStats } from '../model/reading-types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { remembered } from '../objects/history-cache.ts'
import { emptyTree } from '../objects/tree-object.ts'
import type { Command } from '../process/command.ts'
import { NUL, recordsOf } from '../process/output.ts'
import { CONTENT_CONFIG, CONTENT_FLAGS, RENAME_FLAGS } from './diff.ts'
import { parseRawChange, type RawChange } from './diff-parser.ts'

const COUNTS = /^(\d+|-)\t(\d+|-)\t(.*)$/s
/** The weight of a file in the cache besides its paths, in bytes. */
const FILE_BYTES = 160

const weightOf = (files: readonly FileStats[]) =>
  files.reduce((sum, { oldPath, newPath }) => sum + FILE_BYTES + 2 * (oldPath.length + newPath.length), 0)

/** The entries of a change in the order of `diff`, where a change of type is a removal and an addition. */
function statsOf({ status }: RawChange, paths: readonly string[], removed: number, added: number): FileStats[] {
  const [oldPath = '', newPath = oldPath] = paths
  if (status !== 'T') {
    const words = { A: 'added', D: 'deleted', R: 'renamed' } as const
    const known = words[status as keyof typeof words] ?? 'modified'
    return [{ oldPath, newPath, status: known, additions: added, deletions: removed }]
  }
  return [
    { oldPath, newPath, status: 'deleted', additions: 0, deletions: removed },
    { oldPath, newPath, status: 'added', additions: added, deletions: 0 },
  ]
}

/**
 * Reads what `diff-tree --raw --numstat -z` prints: all changes, then the counts of each in the same order. A renamed file
 * has two names.
 */
async function readStats(records: AsyncGenerator<Buffer>, limit: number): Promise<FileStats[]> {
  const next = async () => {
    const { value, done } = await records.next()
    return done ? null : value.toString('utf8')
  }
  const changes: RawChange[] = []
  const found: FileStats[] = []
  try {
    for (let text = await next(), index = 0; text !== null && found.length < limit; text = await next()) {
      if (text.startsWith(':')) {
        const change = parseRawChange(text)
        changes.push(change)
        await next()
        if (change.status === 'R') await next()
        continue
      }
      const [, added, removed, path = ''] = COUNTS.exec(text) ?? []
      const paths = path === '' ? [(await next()) ?? '', (await next()) ?? ''] : [path]
      const change = changes[index++]
      if (!change) throw new GitError('command_failed', 'git printed counts without a change')
      found.push(...statsOf(change, paths, Number(removed) || 0, Number(added) || 0))
    }
  } finally {
    await records.return(undefined)
  }
  return found.slice(0, limit)
}

/**
 * Counts the added and removed lines of each file that differs between two commits or trees, in the order of `diff`; none of
 * files that are not text. Null is the empty tree.
 * @throws GitError `object_missing`
 */
export async function fileStats(
  context: RepositoryContext,
  from: Oid | null,
  to: Oid,
  limit: number,
): Promise<FileStats[]> {
  if (from === to) return []
  const command: Command = {
    subcommand: 'diff-tree',
    flags: ['-r', '-z', '--raw', '--numstat', '--full-index', ...RENAME_FLAGS, ...CONTENT_FLAGS],
    operands: [from ?? emptyTree(to), to],
    config: CONTENT_CONFIG,
    directory: context.directory,
  }
  const find = () => readStats(recordsOf(context.runner, command, { end: NUL }), limit)
  return remembered(context, 'file-stats', `${from} ${to} ${limit}`, weightOf, find)
}
