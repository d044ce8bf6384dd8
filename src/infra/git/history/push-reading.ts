/** Reads many objects of a push with one process each: single reads in quarantine would start a process per call. */

import { type Oid, parseOid } from '../model/names.ts'
import type { CommitChange } from '../model/reading-types.ts'
import type { Quarantine, ReadOptions } from '../model/types.ts'
import type { ObjectReader } from '../objects/cat-file-pool.ts'
import { linesOf, type RepositoryContext, readEach, withReader } from '../objects/context.ts'
import { looseObjects, readLoose } from '../objects/loose.ts'
import { hasSignature } from '../objects/signature.ts'
import type { Command } from '../process/command.ts'
import { NUL, outputOf, recordsOf } from '../process/output.ts'
import { CONTENT_FLAGS, changesIn } from './diff.ts'

/** The maximal number of blobs per portion. */
const BLOBS_AT_ONCE = 1_000
const LISTED_OBJECT = '--batch-check=%(objecttype) %(objectsize) %(objectname)'
/** A line of the listing with a small blob. */
const SMALL_BLOB = /^blob (\d{1,6}) ([0-9a-f]+)$/gm
/** How much of a commit is read for its header, in bytes. */
const HEADER_BYTES = 256 * 1024

/**
 * Yields the paths that each commit changes against its parent, in the order of `commits`; none for a merge. Holds a process
 * slot meanwhile.
 * @throws GitError
 */
export async function* changesOf(
  { runner, directory }: RepositoryContext,
  commits: readonly Oid[],
  { quarantine }: ReadOptions = {},
): AsyncGenerator<CommitChange> {
  if (commits.length === 0) return
  const flags = ['--stdin', '-r', '--root', '-z', '--raw', '--no-abbrev', '--no-renames', ...CONTENT_FLAGS] as const
  const command: Command = { subcommand: 'diff-tree', flags, directory, quarantine }
  const fields = recordsOf(runner, command, { end: NUL, input: linesOf(commits) })
  for await (const { commit, change } of changesIn(fields)) if (commit !== null) yield { commit, ...change }
}

/**
 * Reads the blobs in quarantine that are smaller than `maxBytes`, in portions. A few existing blobs may be included. Lists the
 * quarantine, which is several times as fast as walking the history. A small push takes no process.
 * @param look called for each portion; returns whether to continue
 * @throws GitError
 */
export async function quarantinedBlobs(
  context: RepositoryContext,
  { quarantine, maxBytes }: { quarantine: Quarantine; maxBytes: number },
  look: (contents: readonly Buffer[]) => Promise<boolean>,
): Promise<void> {
  const loose = await looseObjects(quarantine.objectDirectory)
  if (loose !== null) {
    const read = await Promise.all(loose.map((oid) => readLoose(quarantine.objectDirectory, oid, maxBytes)))
    const blobs = read.flatMap((object) => (object?.type === 'blob' ? [object.content] : []))
    if (blobs.length > 0) await look(blobs)
    return
  }
  const flags = ['--batch-all-objects', '--unordered', '--buffer', LISTED_OBJECT] as const
  const alone = { ...quarantine, alternateObjectDirectories: '' }
  const { runner, directory } = context
  const command: Command = { subcommand: 'cat-file', flags, directory, quarantine: alone }

  async function readAll(reader: ObjectReader): Promise<void> {
    let oids: Oid[] = []
    const portion = async () => {
      const answers = await Promise.all(oids.map((oid) => reader.contents(oid, maxBytes)))
      oids = []
      return look(answers.flatMap((answer) => answer?.content ?? []))
    }
    // There may be millions of lines, so each chunk is searched as a whole.
    let rest = ''
    for await (const chunk of outputOf(runner, command)) {
      const text = rest + chunk.toString('latin1')
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      for (const [, size, id] of text.slice(0, end).matchAll(SMALL_BLOB)) {
        const oid = Number(size) < maxBytes ? parseOid(id ?? '') : null
        if (oid !== null) oids.push(oid)
        if (oids.length >= BLOBS_AT_ONCE && !(await portion())) return
      }
    }
    if (oids.length > 0) await portion()
  }
  await withReader(context, quarantine, readAll)
}

/**
 * Whether the objects in quarantine have more bytes than a limit when they are unpacked. Their sizes are in the headers that git reads,
 * without their contents.
 * @throws GitError
 */
export async function isUnpackedAbove(
  { runner, directory }: RepositoryContext,
  quarantine: Quarantine,
  limit: number,
): Promise<boolean> {
  const flags = ['--batch-all-objects', '--unordered', '--buffer', '--batch-check=%(objectsize)'] as const
  const alone = { ...quarantine, alternateObjectDirectories: '' }
  let total = 0
  for await (const line of recordsOf(runner, { subcommand: 'cat-file', flags, directory, quarantine: alone })) {
    total += Number(line.toString('latin1'))
    if (total > limit) return true
  }
  return false
}

/** Reads the sizes of objects, in bytes. Ids that do not exist are absent. */
export async function objectSizes(
  context: RepositoryContext,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Map<Oid, number>> {
  return readEach(context, oids, quarantine, async (reader, oid) => (await reader.info(oid))?.sizeBytes ?? null)
}

/** Returns the commits that contain a signature, valid or not. */
export async function signedCommits(
  context: RepositoryContext,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Set<Oid>> {
  const signed = await readEach(context, oids, quarantine, async (reader, oid) => {
    const answer = await reader.contents(oid, HEADER_BYTES)
    return answer?.type === 'commit' && hasSignature(answer.content, oid) ? true : null
  })
  return new Set(signed.keys())
}
