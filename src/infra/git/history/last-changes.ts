import { GitError } from '../model/errors.ts'
import { type Oid, parseOid, type TreePath } from '../model/names.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { remembered } from '../objects/history-cache.ts'
import type { Command } from '../process/command.ts'
import { LITERAL_PATHS, NUL, recordsOf } from '../process/output.ts'

/** How far back the history is read, in commits and in time. */
const MOST_COMMITS = 5_000
const LONGEST_MS = 2_000

/** No path begins with a slash, so that it marks the commits. `-c` names what a merge itself has changed. */
const FLAGS = ['--format=/%H', '--name-only', '-z', '-c', '--no-renames', `--max-count=${MOST_COMMITS}`] as const

/** The name of the entry of a directory through which a path leads; null for a path elsewhere. */
function entryOf(path: string, directory: string): string | null {
  const start = directory === '' ? 0 : directory.length + 1
  if (start > 0 && !path.startsWith(`${directory}/`)) return null
  const end = path.indexOf('/', start)
  return path.slice(start, end < 0 ? undefined : end)
}

/**
 * Finds the newest commit at or before `commit` that changed each of these entries of a directory, with one process for all. Entries
 * whose last change is too far back are absent.
 * @param directory empty for the root
 * @param names of the entries, without the directory
 * @throws GitError `object_missing`
 */
export async function lastChangesOf(
  context: RepositoryContext,
  commit: Oid,
  directory: TreePath | '',
  names: readonly string[],
): Promise<ReadonlyMap<string, Oid>> {
  const key = JSON.stringify([commit, directory, names])
  const weightOf = (found: ReadonlyMap<string, Oid>) => found.size * 200
  return remembered(context, 'last changes', key, weightOf, () => search(context, commit, directory, names))
}

async function search(
  { runner, directory: repository }: RepositoryContext,
  commit: Oid,
  directory: TreePath | '',
  names: readonly string[],
): Promise<Map<string, Oid>> {
  const found = new Map<string, Oid>()
  const missing = new Set(names)
  const command: Command = {
    ...{ subcommand: 'log', flags: FLAGS, operands: [commit], paths: directory === '' ? [] : [directory] },
    ...{ environment: LITERAL_PATHS, directory: repository },
  }
  const signal = AbortSignal.timeout(LONGEST_MS)
  let current: Oid | null = null
  try {
    for await (const record of recordsOf(runner, command, { end: NUL, signal })) {
      if (missing.size === 0) break
      const text = record.toString('utf8')
      if (text.startsWith('/')) {
        current = parseOid(text.slice(1))
        continue
      }
      // A line break stands between a commit and its names.
      const isFirst = current !== null && text.startsWith('\n')
      const name = entryOf(isFirst ? text.slice(1) : text, directory)
      if (current !== null && name !== null && missing.delete(name)) found.set(name, current)
    }
  } catch (error) {
    // What was found in the time is better than nothing.
    if (!(error instanceof GitError && error.code === 'aborted' && signal.aborted)) throw error
  }
  return found
}
