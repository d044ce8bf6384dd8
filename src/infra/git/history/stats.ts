/** Counts the added and removed lines of commits. */

import { type Oid, parseOid } from '../model/names.ts'
import type { DiffStats } from '../model/reading-types.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import { memoryOf } from '../objects/history-cache.ts'
import { readCommits } from '../objects/objects.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'
import { CONTENT_CONFIG, CONTENT_FLAGS, RENAME_FLAGS } from './diff.ts'

const INSERTIONS = /(\d+) insertions?\(\+\)/
const DELETIONS = /(\d+) deletions?\(-\)/

/**
 * Counts the lines that commits change against their first parents, with rename detection. Ids that do not exist or are not
 * commits are absent. One process for all that are not cached.
 */
export async function commitStats(context: RepositoryContext, oids: readonly Oid[]): Promise<Map<Oid, DiffStats>> {
  const { runner, history, directory } = context
  const memory = memoryOf<DiffStats>(history, 'stats', () => 50)
  const found = new Map<Oid, DiffStats>()
  const unknown: Oid[] = []
  for (const oid of new Set(oids)) {
    const known = memory.get(directory, oid)
    if (known === undefined) unknown.push(oid)
    else found.set(oid, known)
  }
  // Git silently skips ids that do not exist, like commits without changes.
  const there = await readCommits(context, unknown)
  if (there.size === 0) return found
  const flags = ['--stdin', '-r', '--root', '--always', '--diff-merges=first-parent', '--shortstat'] as const
  const command: Command = {
    subcommand: 'diff-tree',
    flags: [...flags, ...RENAME_FLAGS, ...CONTENT_FLAGS],
    config: CONTENT_CONFIG,
    directory,
  }
  let current: Oid | null = null
  for (const oid of there.keys()) found.set(oid, { additions: 0, deletions: 0 })
  const input = linesOf(there.keys())
  for await (const line of recordsOf(runner, command, { input })) {
    const text = line.toString('latin1')
    const oid = parseOid(text)
    if (oid !== null) current = oid
    else if (current !== null && text.startsWith(' ')) found.set(current, statsOf(text))
  }
  for (const oid of there.keys()) memory.set(directory, oid, found.get(oid) ?? { additions: 0, deletions: 0 })
  return found
}

/** Parses ` 3 files changed, 10 insertions(+), 2 deletions(-)`, in which zero counts are missing. */
function statsOf(text: string): DiffStats {
  const countOf = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  return { additions: countOf(INSERTIONS), deletions: countOf(DELETIONS) }
}
