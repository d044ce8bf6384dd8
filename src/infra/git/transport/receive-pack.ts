/** Receives pushes. No ref moves before the gate has accepted (design §5). */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { GitError } from '../model/errors.ts'
import type { GitLog, ReceivePackOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { begun } from '../process/client-watch.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import type { RunningJob } from '../process/spawner/spawner.ts'
import {
  carry,
  destroyingOnFailure,
  endOutput,
  patienceOf,
  protocolEnvironment,
  transferFailure,
} from '../process/transfer.ts'
import { hookAnswer, questionReader } from './gate.ts'
import { watchCapabilities } from './push-capabilities.ts'
import { type PushSession, pushSession } from './push-session.ts'
import { endUnpacking, limitUnpacking } from './unpack-limits.ts'

const HOOKS = ['pre-receive', 'proc-receive', 'gate.sh'] as const

/**
 * Checks that git will run the hooks. It silently skips a hook that is missing or not executable; then nothing would guard refs.
 * @throws GitError `invalid_input`
 */
export async function checkHooks(hooksPath: string): Promise<void> {
  for (const hook of HOOKS) {
    const mode = hook.endsWith('.sh') ? constants.R_OK : constants.X_OK
    await access(join(hooksPath, hook), mode).catch((cause) => {
      throw new GitError('invalid_input', `a git hook is missing or not executable: ${join(hooksPath, hook)}`, {
        cause,
      })
    })
  }
}

type Receiver = RepositoryContext & {
  hooksPath: string
  log: GitLog
  /** When it fires, a push ends as when its client disconnects. */
  closing?: AbortSignal
}

/** How long git may take to refuse a push and remove its files, in milliseconds. */
const CLEAN_UP_MS = 10_000

/**
 * Receives a push. Git stores the objects; this process moves the refs when git asks it to, so none moves that the gate has not
 * accepted. `output` ends after the gate's `postReceive` has resolved and git has exited with 0. Otherwise it is destroyed, or left
 * untouched when nothing was written.
 * After the gate has accepted, the push is completed and recorded even if the client disconnects. Before, the end of the client, the
 * time limit of transfers and `closing` refuse it, and git removes its files.
 * @throws GitError; what `postReceive` throws
 */
export function receivePack(
  { hooksPath, log, closing, ...context }: Receiver,
  options: ReceivePackOptions,
  input: Readable,
  output: Writable,
): Promise<void> {
  const { runner, directory } = context
  const command = receiveCommand(directory, options)
  return destroyingOnFailure(output, async (progress) => {
    await checkHooks(hooksPath)
    const { signal: gone, caller, stateless } = options
    const signal = anyOf(gone, closing)
    if (signal.aborted) throw new GitError('aborted', 'aborted before it was started')
    const patience = patienceOf(runner, 'push')
    const request = stateless ? (await begun(input, patience.inputMs, signal)).request : input
    // The signal is not passed to the spawner: it must not end a push that was accepted.
    const slot = { queue: 'transfer', caller, waitSignal: signal, graceMs: 2 * CLEAN_UP_MS } as const
    const receiving = await runner.stream(command, { stdin: 'socket', gate: true, ...slot })
    const hasCapability = watchCapabilities(request)
    const isAtomic = () => hasCapability('atomic')
    const session = pushSession(context, { gate: options.gate, isAtomic, log })
    const { job, end } = limitUnpacking(receiving, request, runner.limits)
    converse(receiving, session, log, end)
    const refusal = refusalOf(session, runner.limits.transferTimeoutMs, closing)
    const onGone = () => {
      if (session.abandon()) endInOrder(job)
    }
    const conversation = { input: request, output, progress, patience, signal: anyOf(gone, refusal.signal), onGone }
    const { exit } = await carry(job, conversation).finally(() => {
      end()
      refusal.stop()
      return session.settled()
    })
    session.requireRecorded()
    if (exit.exitCode !== 0) throw transferFailure({ ...command, directory }, exit)
    await endOutput(output, patience, progress)
  })
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined))
}

/** Refuses a push at its time limit and when git is closed. @returns what fires when it is refused */
function refusalOf(
  session: PushSession,
  limitMs: number,
  closing: AbortSignal | undefined,
): { signal: AbortSignal; stop(): void } {
  const refused = new AbortController()
  const refuse = (reason: GitError) => {
    if (session.abandon(reason)) refused.abort()
  }
  const onClosing = () => refuse(new GitError('closed', 'git has been closed'))
  const timer = setTimeout(() => refuse(new GitError('timeout', 'git took too long and was ended')), limitMs)
  closing?.addEventListener('abort', onClosing, { once: true })
  if (closing?.aborted) onClosing()
  const stop = () => {
    clearTimeout(timer)
    closing?.removeEventListener('abort', onClosing)
  }
  return { signal: refused.signal, stop }
}

function receiveCommand(directory: string, options: ReceivePackOptions): Command {
  const { stateless, protocol, maxInputSizeBytes } = options
  return {
    subcommand: 'receive-pack',
    flags: stateless ? ['--stateless-rpc'] : [],
    operands: [directoryOperand(directory)],
    environment: protocolEnvironment(protocol),
    config: [
      // All refs are moved by the hook `proc-receive`.
      ['receive.procReceiveRefs', 'refs'],
      ...(maxInputSizeBytes === undefined
        ? []
        : [['receive.maxInputSize', String(Math.max(1, Math.trunc(maxInputSizeBytes)))] as const]),
    ],
  }
}

/** Connects the hooks of a job with the session. @param onUnpacked called when the objects are in quarantine */
function converse(job: RunningJob, session: PushSession, log: GitLog, onUnpacked: () => void): void {
  const read = questionReader((question) => {
    onUnpacked()
    void session.answer(question).then(job.answerGate)
  })
  let isMalformed = false
  job.onGate = (data) => {
    if (isMalformed) return
    try {
      read(data)
    } catch (error) {
      isMalformed = true
      log('error', 'a hook sent a malformed question', { error })
      job.answerGate(hookAnswer(false, []))
    }
  }
}

/**
 * Ends a push before the verdict. The input and the unpacking are ended and not the process: git then fails and removes the
 * quarantine, which it does not do on a signal.
 */
function endInOrder(job: RunningJob): void {
  // Answers a hook that waits, and one that has not asked yet.
  job.answerGate(hookAnswer(false, []))
  job.stdin?.end()
  endUnpacking(job)
  const timer = setTimeout(job.kill, CLEAN_UP_MS)
  const settled = () => clearTimeout(timer)
  job.exit.then(settled, settled)
}
