/** Finds fixed texts in the files of a commit, and in the messages of a history. */
import type { Oid } from '../model/names.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { outputOf } from '../process/output.ts'
import { listCommits } from './history.ts'

/** Lines around a hit that are shown with it. */
const AROUND = 2
/** Longer lines are cut off, in bytes. */
const LINE_BYTES = 2_048
const [NEWLINE, NUL] = [0x0a, 0x00]
const NOTHING_FOUND = 1

/** A line of a file, with its number from 1; and whether it contains the text. */
export type GrepLine = { line: number; text: string; isHit: boolean }
/** Lines of a file that follow each other, with one hit at least. */
export type GrepHunk = { path: string; lines: GrepLine[] }

/** Yields the lines of an output; of a long one only the beginning is held. */
async function* cutLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let heldBytes = 0
  const hold = (piece: Buffer) => {
    const kept = piece.subarray(0, Math.max(0, LINE_BYTES - heldBytes))
    if (kept.length > 0) held.push(Buffer.from(kept))
    heldBytes += kept.length
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end))
      yield Buffer.concat(held)
      held = []
      heldBytes = 0
      start = end + 1
    }
    hold(chunk.subarray(start))
  }
}

/** Reads `<commit>:<path>\0<number>\0<text>`. Null for what parts two hunks. */
function readLine(record: Buffer, prefixBytes: number, wanted: string): (GrepLine & { path: string }) | null {
  const end = record.indexOf(NUL)
  if (end < prefixBytes) return null
  const [, number, text = ''] = /^(\d+)\0(.*)$/s.exec(record.subarray(end + 1).toString('utf8')) ?? []
  if (number === undefined) return null
  const path = record.subarray(prefixBytes, end).toString('utf8')
  return { path, line: Number(number), text: text.replace(/\r$/, ''), isHit: text.toLowerCase().includes(wanted) }
}

/**
 * Yields where a text occurs in the files of a commit, whatever its case, by path: hunks of lines with two lines around each hit.
 * Binary files are left out. No part of the text is a pattern.
 * @param signal ends the command
 * @throws GitError `object_missing`, `aborted`, `timeout`
 */
export async function* grep(
  { runner, directory }: RepositoryContext,
  commit: Oid,
  text: string,
  signal?: AbortSignal,
): AsyncGenerator<GrepHunk> {
  // Git would take the text after a newline for another pattern.
  if (text === '' || /[\n\0]/.test(text)) return
  const form = ['-I', '--no-color', '--full-name', '--line-number', '--null', `--context=${AROUND}`] as const
  const command: Command = {
    subcommand: 'grep',
    flags: [...form, '--fixed-strings', '--ignore-case', '--threads=1', `-e${text}`],
    operands: [commit],
    // Without them, git asks whether the id is the name of a file.
    paths: [],
    directory,
  }
  const prefixBytes = commit.length + 1
  const wanted = text.toLowerCase()
  let hunk: GrepHunk | null = null
  for await (const record of cutLines(outputOf(runner, command, { signal, expectedExitCodes: [0, NOTHING_FOUND] }))) {
    const found = readLine(record, prefixBytes, wanted)
    const follows = found && hunk?.path === found.path && hunk.lines.at(-1)?.line === found.line - 1
    if (hunk && !follows) {
      yield hunk
      hunk = null
    }
    if (!found) continue
    const { path, ...line } = found
    hunk ??= { path, lines: [] }
    hunk.lines.push(line)
  }
  if (hunk) yield hunk
}

/**
 * The commits of a history whose message contains a text in one line, whatever its case, newest first.
 * @throws GitError `object_missing`, `aborted`, `timeout`
 */
export async function commitsWith(
  { runner, directory }: RepositoryContext,
  tip: Oid,
  text: string,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): Promise<Oid[]> {
  if (text === '' || /[\n\0]/.test(text)) return []
  const command: Command = {
    subcommand: 'rev-list',
    flags: ['--fixed-strings', '--regexp-ignore-case', `--grep=${text}`, `--max-count=${limit}`, '--stdin'],
    directory,
  }
  return Array.fromAsync(listCommits(runner, command, linesOf([tip]), signal))
}
