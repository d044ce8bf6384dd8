import type { Oid } from '../model/names.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { listCommits } from './history.ts'

/**
 * Lists the names of those refs whose history contains the commit. Walks the history once for all refs; `--contains` would
 * walk it once per ref.
 * @param refs with the commits that they point at, or other objects, which have no history
 * @throws GitError `object_missing`
 */
export async function refsContaining(
  { runner, directory }: RepositoryContext,
  commit: Oid,
  refs: readonly { name: string; oid: Oid }[],
): Promise<string[]> {
  const wanted = new Set(refs.map(({ oid }) => oid))
  const command: Command = { subcommand: 'rev-list', flags: ['--ancestry-path', '--stdin'], directory }
  // A commit is not its own descendant.
  const found = new Set([commit])
  const descendants = listCommits(runner, command, linesOf([...wanted, `^${commit}`]))
  for await (const oid of descendants) if (wanted.has(oid)) found.add(oid)
  return refs.filter(({ oid }) => found.has(oid)).map(({ name }) => name)
}
