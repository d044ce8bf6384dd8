/** Serves clones and fetches. */
import type { Readable, Writable } from 'node:stream'
import type { AdvertiseOptions, UploadPackOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { begun } from '../process/client-watch.ts'
import { type Command, directoryOperand, VISIBLE_REFS } from '../process/command.ts'
import type { Runner } from '../process/runner.ts'
import {
  carry,
  destroyingOnFailure,
  endOutput,
  type Progress,
  patienceOf,
  protocolEnvironment,
  transferFailure,
} from '../process/transfer.ts'
import { packedRefsBelow } from '../refs/packed-below.ts'
import { objectFormatOf } from '../writing/create.ts'
import { foldersAskedFor, listedRefs, listingIn } from './ref-listing.ts'

/** The heads of merge requests can be fetched (contract 19, x.mr_create), and no push can change them. */
const FETCHED_REFS = 'refs/merge-requests'

/** Refs that a fetch sees and that are hidden otherwise. */
const shownTo = (shownRefs: AdvertiseOptions['shownRefs']) => [
  FETCHED_REFS,
  ...(shownRefs === undefined ? [] : [shownRefs]),
]

/** Shows them: of the entries of `transfer.hideRefs` the last one counts. */
export const configOf = (shownRefs: AdvertiseOptions['shownRefs']) =>
  shownTo(shownRefs).map((refs) => ['transfer.hideRefs', `!${refs}`] as const)

/** The folders of visible refs that no snapshot has. */
export const beyondSnapshots = VISIBLE_REFS.filter((refs) => refs !== 'refs/heads' && refs !== 'refs/tags')

export const isVersion2 = (environment: Record<string, string>) =>
  environment.GIT_PROTOCOL?.startsWith('version=2') === true

/** Sends an answer that needs no process. */
export async function sendAnswer(answer: string | Buffer, runner: Runner, progress: Progress, output: Writable) {
  progress.hasWritten = true
  output.write(answer)
  await endOutput(output, patienceOf(runner), progress)
}

/** The refs that a request of version 2 lists, from a snapshot; null where git has to answer it. */
async function listing(directory: string, start: Buffer, options: UploadPackOptions): Promise<string | null> {
  const { currentRefs, shownRefs } = options
  const others = [...beyondSnapshots, ...shownTo(shownRefs)]
  const asked = currentRefs ? listingIn(start) : null
  if (!asked || !currentRefs || (await objectFormatOf(directory)) !== 'sha1') return null
  const folders = foldersAskedFor(asked, others)
  const packed = folders.length === 0 ? [] : await packedRefsBelow(directory, folders)
  if (packed === null) return null
  const refs = await currentRefs()
  return refs.isWhole ? listedRefs(refs, packed, asked) : null
}

/**
 * Serves a fetch. A request takes a process slot after it has arrived (see `begun`). Ends `output`, also when git has reported
 * an error to the client through the protocol.
 * @throws GitError when the command was killed or failed without output; then `output` is destroyed, or untouched when nothing
 * was written
 */
export function uploadPack(
  { runner, directory }: RepositoryContext,
  options: UploadPackOptions,
  input: Readable,
  output: Writable,
): Promise<{ exitCode: number }> {
  const { stateless, protocol, signal, caller, shownRefs } = options
  const command: Command = {
    subcommand: 'upload-pack',
    flags: ['--strict', ...(stateless ? (['--stateless-rpc'] as const) : [])],
    operands: [directoryOperand(directory)],
    config: configOf(shownRefs),
    environment: protocolEnvironment(protocol),
  }
  return destroyingOnFailure(output, async (progress) => {
    const patience = patienceOf(runner)
    const { start, request } = stateless
      ? await begun(input, patience.inputMs, signal)
      : { start: Buffer.alloc(0), request: input }
    const listed = isVersion2(command.environment ?? {}) ? await listing(directory, start, options) : null
    if (listed !== null) {
      await sendAnswer(listed, runner, progress, output)
      return { exitCode: 0 }
    }
    const job = await runner.stream(command, { stdin: 'socket', recycles: true, queue: 'transfer', signal, caller })
    const { exit, sentBytes } = await carry(job, { input: request, output, progress, patience })
    // Packs end with a checksum, so a client detects a truncated one.
    if (exit.exitCode === null || (exit.exitCode !== 0 && sentBytes === 0))
      throw transferFailure({ ...command, directory }, exit)
    await endOutput(output, patience, progress)
    return { exitCode: exit.exitCode }
  })
}
