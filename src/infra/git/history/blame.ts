/** Finds the commit that introduced each line of a file. */

import { GitError } from '../model/errors.ts'
import { type Oid, parseOid, type TreePath } from '../model/names.ts'
import type { BlameHunk } from '../model/reading-types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { entryAt } from '../objects/tree.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'

/** Larger files are refused, in bytes: the file is compared with all its versions. */
const FILE_BYTES = 10 * 1024 * 1024
/** The maximal number of lines: an empty line costs much more memory than its one byte. */
const MAX_LINES = 500_000

/**
 * Lists the lines of a file, without newlines, in hunks of one commit. Follows renames of the whole file.
 * @param range first and last line, counted from 1; lines after the end of the file are left out
 * @throws GitError `object_missing` when the file does not exist, `too_large` above 10 MiB or 500,000 lines, `invalid_input` for an invalid
 * range or one that begins after the end of the file
 */
export async function blame(
  context: RepositoryContext,
  commit: Oid,
  path: TreePath,
  range?: { start: number; end: number },
): Promise<BlameHunk[]> {
  const { runner, pool, directory } = context
  if (range !== undefined) checkRange(range)
  const entry = await entryAt(context, commit, path)
  const info = entry?.type === 'blob' ? await pool.reader(directory).info(entry.oid) : null
  if (info?.type !== 'blob') throw new GitError('object_missing', `no file: ${path}`)
  if (info.sizeBytes > FILE_BYTES) throw new GitError('too_large', `file of ${info.sizeBytes} bytes: ${path}`)
  const command: Command = {
    subcommand: 'blame',
    flags: ['--porcelain', '--no-textconv', ...(range === undefined ? [] : [`-L${range.start},${range.end}` as const])],
    operands: [commit],
    paths: [path],
    directory,
  }
  try {
    return await hunksOf(recordsOf(runner, command, { recordBytes: FILE_BYTES + 1 }))
  } catch (error) {
    if (error instanceof GitError && /^fatal: file .* has only \d+ lines?$/m.test(error.stderr)) {
      throw new GitError('invalid_input', 'the range begins behind the end of the file', { stderr: error.stderr })
    }
    throw error
  }
}

function checkRange({ start, end }: { start: number; end: number }): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 1 && end >= start) return
  throw new GitError('invalid_input', `no range of lines: ${start} to ${end}`)
}

const TAB = 0x09
const HEADER = /^([0-9a-f]{40,64}) \d+ \d+(?: \d+)?$/

/** Parses `blame --porcelain`: for each line a header, optionally the commit's fields, and the line after a tab. */
async function hunksOf(lines: AsyncIterable<Buffer>): Promise<BlameHunk[]> {
  const hunks: BlameHunk[] = []
  let oid: Oid | null = null
  let count = 0
  for await (const line of lines) {
    if (line[0] !== TAB) {
      const header = HEADER.exec(line.toString('latin1'))
      if (header !== null) oid = parseOid(header[1]!)
      continue
    }
    count += 1
    if (count > MAX_LINES) throw new GitError('too_large', `more than ${MAX_LINES} lines`)
    const text = line.toString('utf8', 1)
    const last = hunks.at(-1)
    if (last !== undefined && last.oid === oid) last.lines.push(text)
    else if (oid !== null) hunks.push({ oid, lines: [text] })
  }
  return hunks
}
