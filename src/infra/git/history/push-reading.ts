/** Reads many things of a push at once: a process for all of them, since each read in quarantine would start one of its own. */

import { type Oid, parseOid } from '../model/names.ts'
import type { CommitChange } from '../model/reading-types.ts'
import type { Quarantine, ReadOptions } from '../model/types.ts'
import type { CatFilePool, ObjectReader } from '../objects/cat-file-pool.ts'
import { hasSignature } from '../objects/signature.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'
import type { Runner } from '../process/runner.ts'
import { CONTENT_FLAGS } from './diff.ts'
import { parseRawChange, type RawChange } from './diff-parser.ts'

const NUL = 0x00
const NEWLINE = 0x0a
/** Small blobs that are held at once. */
const BLOBS_AT_ONCE = 1_000
const LISTED_OBJECT = '--batch-check=%(objectname) %(objecttype) %(objectsize)'
const BLOB = Buffer.from(' blob ')
/** A signature stands in the header, which nobody makes so long. */
const HEADER_BYTES = 256 * 1024

/**
 * What each of these commits changes against its parent, paths alone, commit by commit as they are given; a merge counts as changing nothing.
 * Streams, and holds a place in the queue of commands meanwhile.
 * @throws GitError
 */
export async function* changesOf(
  runner: Runner,
  directory: string,
  commits: readonly Oid[],
  { quarantine, signal }: ReadOptions = {},
): AsyncGenerator<CommitChange> {
  if (commits.length === 0) return
  const flags = ['--stdin', '-r', '--root', '-z', '--raw', '--no-abbrev', '--no-renames', ...CONTENT_FLAGS] as const
  const command: Command = { subcommand: 'diff-tree', flags, directory, quarantine }
  const input = commits.map((oid) => `${oid}\n`).join('')
  let commit: Oid | null = null
  let change: RawChange | null = null
  for await (const field of recordsOf(runner, command, NUL, { input, signal })) {
    if (change !== null && commit !== null) {
      const { oldMode, newMode, oldOid, newOid } = change
      const status = oldOid === null ? 'added' : newOid === null ? 'deleted' : 'modified'
      yield { commit, status, path: field.toString('utf8'), oldMode, newMode, oldOid, newOid }
      change = null
      continue
    }
    const text = field.toString('latin1')
    const oid = parseOid(text)
    if (oid === null) change = parseRawChange(text)
    else commit = oid
  }
}

/**
 * The contents of the blobs of less than `maxBytes` that wait in quarantine, in portions, however they came in: also by a merge. A few that were
 * there already may be among them. Lists what lies there instead of walking through the history, which takes several times as long.
 * @param look is given each portion; what it returns says whether to go on
 * @throws GitError
 */
export async function quarantinedBlobs(
  { runner, pool }: { runner: Runner; pool: CatFilePool },
  directory: string,
  { quarantine, maxBytes, signal }: { quarantine: Quarantine; maxBytes: number; signal?: AbortSignal },
  look: (contents: readonly Buffer[]) => Promise<boolean>,
): Promise<void> {
  const flags = ['--batch-all-objects', '--unordered', '--buffer', LISTED_OBJECT] as const
  const alone = { ...quarantine, alternateObjectDirectories: '' }
  const command: Command = { subcommand: 'cat-file', flags, directory, quarantine: alone }

  async function readAll(reader: ObjectReader): Promise<void> {
    let oids: Oid[] = []
    const portion = async () => {
      const answers = await Promise.all(oids.map((oid) => reader.contents(oid, maxBytes)))
      oids = []
      return look(answers.flatMap((answer) => answer?.content ?? []))
    }
    for await (const line of recordsOf(runner, command, NEWLINE, { signal })) {
      const oid = smallBlobOf(line, maxBytes)
      if (oid !== null) oids.push(oid)
      if (oids.length >= BLOBS_AT_ONCE && !(await portion())) return
    }
    if (oids.length > 0) await portion()
  }
  await reading(pool, directory, quarantine, readAll)
}

/** The id of an object that is listed, if it is a blob of less than so many bytes. There may be millions of lines. */
function smallBlobOf(line: Buffer, maxBytes: number): Oid | null {
  const space = line.indexOf(0x20)
  if (space < 0 || !line.subarray(space, space + BLOB.length).equals(BLOB)) return null
  const sizeBytes = Number(line.toString('latin1', space + BLOB.length))
  return sizeBytes < maxBytes ? parseOid(line.toString('latin1', 0, space)) : null
}

/** Sizes of objects, in bytes; ids that are missing are absent. */
export async function objectSizes(
  pool: CatFilePool,
  directory: string,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Map<Oid, number>> {
  const sizes = new Map<Oid, number>()
  const read = async (reader: ObjectReader, oid: Oid) => {
    const answer = await reader.info(oid)
    if (answer !== null) sizes.set(oid, answer.sizeBytes)
  }
  const readAll = (reader: ObjectReader) => Promise.all([...new Set(oids)].map((oid) => read(reader, oid)))
  if (oids.length > 0) await reading(pool, directory, quarantine, readAll)
  return sizes
}

/** Those of these commits that carry a signature, whatever it is worth. */
export async function signedCommits(
  pool: CatFilePool,
  directory: string,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Set<Oid>> {
  const signed = new Set<Oid>()
  const read = async (reader: ObjectReader, oid: Oid) => {
    const answer = await reader.contents(oid, HEADER_BYTES)
    if (answer?.type === 'commit' && hasSignature(answer.content, oid)) signed.add(oid)
  }
  const readAll = (reader: ObjectReader) => Promise.all([...new Set(oids)].map((oid) => read(reader, oid)))
  if (oids.length > 0) await reading(pool, directory, quarantine, readAll)
  return signed
}

function reading<T>(
  pool: CatFilePool,
  directory: string,
  quarantine: ReadOptions['quarantine'],
  use: (reader: ObjectReader) => Promise<T>,
): Promise<T> {
  return quarantine === undefined ? use(pool.reader(directory)) : pool.withQuarantine(directory, quarantine, use)
}
