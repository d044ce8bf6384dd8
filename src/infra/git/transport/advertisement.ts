/** Serves the advertisement of fetches and of pushes. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { ignoreMissing } from '../../files/index.ts'
import type { AdvertiseOptions, ObjectFormat, TransferService } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import { outputOf, recordsOf } from '../process/output.ts'
import { failure, type Runner } from '../process/runner.ts'
import { carry, destroyingOnFailure, endOutput, patienceOf, protocolEnvironment } from '../process/transfer.ts'
import { packedRefsBelow } from '../refs/packed-below.ts'
import { objectFormatOf } from '../writing/create.ts'
import { announcedRefs } from './ref-listing.ts'
import { beyondSnapshots, configOf, isVersion2, sendAnswer } from './upload-pack.ts'

const FLUSH_PACKET = '0000'

/** The line before an advertisement over HTTP, in protocol versions 0 and 1. */
function serviceLine(service: TransferService): string {
  const line = `# service=git-${service}\n`
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}${FLUSH_PACKET}`
}

type Asked = { runner: Runner; command: Command; format: ObjectFormat }

/** Asks git once for what depends on its release, its configuration and the object format alone. */
function askedOnce(ask: (asked: Asked) => Promise<Buffer>): (asked: Asked) => Promise<Buffer> {
  const known = new WeakMap<Runner, Map<ObjectFormat, Promise<Buffer>>>()
  return (asked) => {
    const ofRunner = known.get(asked.runner) ?? new Map<ObjectFormat, Promise<Buffer>>()
    known.set(asked.runner, ofRunner)
    const answer = ofRunner.get(asked.format) ?? ask(asked)
    ofRunner.set(asked.format, answer)
    answer.catch(() => ofRunner.delete(asked.format))
    return answer
  }
}

/** The answer to `GET …/info/refs` for fetches in version 2. @throws GitError */
const fetchCapabilities = askedOnce(async ({ runner, command }) =>
  Buffer.concat(await Array.fromAsync(outputOf(runner, command))),
)

/** The capabilities of pushes, which git sends behind the name of the first ref. @throws GitError */
const pushCapabilities = askedOnce(async ({ runner, command }) => {
  for await (const line of recordsOf(runner, command)) return Buffer.from(line.subarray(line.indexOf(0) + 1))
  return Buffer.alloc(0)
})

/** The refs and capabilities for a push, from a snapshot; null where git has to list them. @throws GitError */
async function refsForPush(
  { runner, directory }: RepositoryContext,
  command: Command,
  { currentRefs }: AdvertiseOptions,
): Promise<string | null> {
  const format = await objectFormatOf(directory)
  // A repository without a part of its history says where it ends.
  const isShallow = (await stat(join(directory, 'shallow')).catch(ignoreMissing)) !== null
  if (!currentRefs || format !== 'sha1' || isShallow) return null
  const packed = await packedRefsBelow(directory, beyondSnapshots)
  if (packed === null) return null
  const refs = await currentRefs()
  if (!refs.isWhole) return null
  return announcedRefs(refs, packed, (await pushCapabilities({ runner, command, format })).toString())
}

/**
 * Answers `GET …/info/refs` (contract 22). Ends `output`.
 * @throws GitError; then `output` is destroyed, or untouched when nothing was written
 */
export function advertise(context: RepositoryContext, options: AdvertiseOptions, output: Writable): Promise<void> {
  const { runner, directory } = context
  const { service, protocol, signal, caller, shownRefs } = options
  // Pushes have no version 2: git would answer in version 0, but without the service line.
  const environment = service === 'upload-pack' ? protocolEnvironment(protocol) : {}
  const command: Command = {
    subcommand: service,
    flags: ['--http-backend-info-refs', ...(service === 'upload-pack' ? (['--strict'] as const) : [])],
    operands: [directoryOperand(directory)],
    config: service === 'upload-pack' ? configOf(shownRefs) : [],
    environment,
  }
  return destroyingOnFailure(output, async (progress) => {
    if (isVersion2(environment)) {
      const format = await objectFormatOf(directory)
      return sendAnswer(await fetchCapabilities({ runner, command, format }), runner, progress, output)
    }
    const preface = serviceLine(service)
    const listed = service === 'receive-pack' ? await refsForPush(context, command, options) : null
    if (listed !== null) return sendAnswer(`${preface}${listed}`, runner, progress, output)
    const job = await runner.stream(command, { stdin: 'none', recycles: true, queue: 'advertisement', signal, caller })
    const patience = patienceOf(runner)
    const { exit } = await carry(job, { input: null, output, preface, progress, patience })
    if (exit.exitCode !== 0) throw failure({ ...command, directory }, exit)
    await endOutput(output, patience, progress)
  })
}
