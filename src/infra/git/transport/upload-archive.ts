/** Serves `git archive --remote`, in the protocol of `git-upload-archive(1)`. */
import type { Readable, Writable } from 'node:stream'
import { GitError } from '../model/errors.ts'
import type { UploadArchiveOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { readStart } from '../process/client-watch.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import { failure } from '../process/runner.ts'
import { carry, destroyingOnFailure, endOutput, patienceOf } from '../process/transfer.ts'

const FLUSH_PACKET = '0000'
const PREFIX = 'argument '
/** Git accepts at most 64 arguments, all of them short. */
const REQUEST_BYTES = 64 * 1024

/** The options that a client may use. Git has others, some of which read files of the server. */
const HARMLESS = /^(?:--format=(?:tar|tar\.gz|tgz|zip)|--prefix=.*|-[0-9]|-v|--verbose|-l|--list)$/

function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
}

/** Parses the lines of a request. @returns null while it is incomplete @throws GitError `invalid_input` */
function linesOf(bytes: Buffer): string[] | null {
  const lines: string[] = []
  for (let at = 0; ; ) {
    const digits = bytes.toString('latin1', at, at + 4)
    if (digits.length < 4) return null
    if (digits === FLUSH_PACKET) return lines
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 0
    if (length < 5) throw new GitError('invalid_input', 'a request for an archive is no list of packets')
    if (at + length > bytes.length) return null
    lines.push(bytes.toString('utf8', at + 4, at + length).replace(/\n$/, ''))
    at += length
  }
}

/** Reads a client's arguments, and leaves the stream open. @throws GitError `invalid_input`, `aborted` when the client left, `timeout` */
async function readArguments(input: Readable, idleMs: number): Promise<string[]> {
  let bytes = Buffer.alloc(0)
  await readStart(input, idleMs, (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length > REQUEST_BYTES) throw new GitError('invalid_input', 'a request for an archive is too long')
    return linesOf(bytes) !== null
  })
  const lines = linesOf(bytes)
  if (lines === null) throw new GitError('aborted', 'the client disconnected')
  return lines.map(argumentOf)
}

function argumentOf(line: string): string {
  if (!line.startsWith(PREFIX) || line.includes('\0')) throw new GitError('invalid_input', 'no argument of an archive')
  return line.slice(PREFIX.length)
}

/** The first argument that is not an option: the revision, or a directory of it. */
function revisionOf(given: readonly string[]): string | null {
  const tree = given.find((each) => !each.startsWith('-'))
  return tree?.split(':', 1)[0] ?? null
}

/** The message with which a request is refused; null when it is accepted. */
async function refusalOf(given: readonly string[], offers: UploadArchiveOptions['offers']): Promise<string | null> {
  const names = given.findIndex((each) => !each.startsWith('-'))
  const options = names < 0 ? given : given.slice(0, names)
  const behind = names < 0 ? [] : given.slice(names)
  const odd = [...options.filter((each) => !HARMLESS.test(each)), ...behind.filter((each) => each.startsWith('-'))][0]
  if (odd !== undefined) return `option not supported: ${odd.slice(0, 100)}`
  if (options.includes('-l') || options.includes('--list')) return null
  const revision = revisionOf(given)
  return revision !== null && (await offers(revision)) ? null : `no such ref: ${(revision ?? '').slice(0, 100)}`
}

/**
 * Serves a request for an archive. Ends `output`, also after a refusal, which the protocol transmits.
 * @throws GitError; then `output` is destroyed, or untouched when nothing was written
 */
export function uploadArchive(
  { runner, directory }: RepositoryContext,
  { offers, signal, caller }: UploadArchiveOptions,
  input: Readable,
  output: Writable,
): Promise<{ exitCode: number }> {
  const command: Command = { subcommand: 'upload-archive', operands: [directoryOperand(directory)] }
  return destroyingOnFailure(output, async (progress) => {
    const patience = patienceOf(runner)
    const given = await readArguments(input, patience.inputMs)
    const refusal = await refusalOf(given, offers)
    if (refusal !== null) {
      output.write(`${packet(`NACK ${refusal}\n`)}${FLUSH_PACKET}`)
      await endOutput(output, patience, progress)
      return { exitCode: 1 }
    }
    const slot = { queue: 'transfer', signal, caller } as const
    const request = `${given.map((each) => packet(`${PREFIX}${each}\n`)).join('')}${FLUSH_PACKET}`
    const job = await runner.stream(command, { stdin: 'given', input: request, recycles: true, ...slot })
    const { exit, sentBytes } = await carry(job, { input: null, output, progress, patience })
    if (exit.exitCode === null || (exit.exitCode !== 0 && sentBytes === 0))
      throw failure({ ...command, directory }, exit)
    await endOutput(output, patience, progress)
    return { exitCode: exit.exitCode }
  })
}
