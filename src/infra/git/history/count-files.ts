import type { Oid } from '../model/names.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { remembered } from '../objects/history-cache.ts'
import { emptyTree } from '../objects/tree-object.ts'
import type { Command } from '../process/command.ts'
import { NUL, recordsOf } from '../process/output.ts'
import { CONTENT_FLAGS, RENAME_FLAGS } from './diff.ts'

/**
 * Counts the files that differ between two commits or trees, up to a limit; a renamed file counts once. Null is the empty
 * tree.
 * @throws GitError `object_missing`
 */
export async function countFiles(
  context: RepositoryContext,
  from: Oid | null,
  to: Oid,
  limit: number,
): Promise<number> {
  const command: Command = {
    subcommand: 'diff-tree',
    flags: ['-r', '-z', '--raw', ...RENAME_FLAGS, ...CONTENT_FLAGS],
    operands: [from ?? emptyTree(to), to],
    directory: context.directory,
  }
  const find = async () => {
    let count = 0
    let paths = 0
    for await (const field of recordsOf(context.runner, command, { end: NUL })) {
      if (paths > 0) {
        paths -= 1
        continue
      }
      // The status is last: `R` and a number for a rename, which has two paths.
      paths = / R\d*$/.test(field.toString('latin1')) ? 2 : 1
      count += 1
      if (count === limit) break
    }
    return count
  }
  return remembered(context, 'files', `${from} ${to} ${limit}`, () => 0, find)
}
