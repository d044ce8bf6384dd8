/** The state of one push: answers its hooks through the gate, moves the refs, and records them. */
import { join } from 'node:path'
import { namesIn } from '../../files/index.ts'
import { isUnpackedAbove } from '../history/push-reading.ts'
import { GitError } from '../model/errors.ts'
import type { GitLog, PushGate, Quarantine, RefChange } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { isHiddenRef } from '../process/command.ts'
import { syncObjects } from '../process/durable.ts'
import { movePushedRefs } from '../refs/pushed-refs.ts'
import { type HookQuestion, hookAnswer, legalChanges, reportAnswer } from './gate.ts'

export type PushSession = {
  /** Answers a hook. Never rejects: a failing gate refuses the push. */
  answer(question: HookQuestion): Promise<Buffer>
  /**
   * Refuses the push when the gate has not accepted it yet.
   * @param reason what `requireRecorded` throws then; default: the client has disconnected
   * @returns true when the push is refused; false when refs may have moved
   */
  abandon(reason?: GitError): boolean
  /** Waits for what is under way, also when git has ended before. */
  settled(): Promise<void>
  /** @throws what moving or recording threw; the reason after `abandon` */
  requireRecorded(): void
}

type SessionOptions = {
  gate: PushGate
  /** Whether the client asked that all refs move or none. */
  isAtomic: () => boolean
  log: GitLog
}

type Accepted = {
  changes: readonly RefChange[]
  pushOptions: readonly string[]
  /** The directories below `objects` into which git moves the new objects. */
  written: readonly string[]
}

/** Creates the session of one push. */
export function pushSession(context: RepositoryContext, { gate, isAtomic, log }: SessionOptions): PushSession {
  let accepted: Accepted | null = null
  let abandoned: GitError | null = null
  let moving: Promise<Buffer> | null = null
  let failure: { error: unknown } | null = null

  async function preReceive({ changes: pushed, quarantine, pushOptions }: HookQuestion): Promise<Buffer> {
    const legal = legalChanges(pushed)
    if (legal === null) return hookAnswer(false, ['Branch name is invalid'])
    if (new Set(legal.map(({ ref }) => ref)).size < legal.length) {
      return hookAnswer(false, ['A ref is named twice in one push.'])
    }
    // Git rejects hidden refs itself, one by one, and moves the others.
    const changes = legal.filter(({ ref }) => !isHiddenRef(ref))
    const hiddenRefs = legal.map(({ ref }) => ref).filter(isHiddenRef)
    // Git would move the other refs of an atomic push.
    if (hiddenRefs.length > 0 && isAtomic()) {
      return hookAnswer(false, ['An atomic push must contain only branches, tags and notes.'])
    }
    const large = await tooLarge(context, quarantine)
    if (large !== null) return hookAnswer(false, [large])
    const verdict = await gate.preReceive(changes, { quarantine, pushOptions, hiddenRefs })
    const written = await writtenDirectories(quarantine)
    const accept = verdict.accept === true && changes.length > 0 && abandoned === null
    if (accept) accepted = { changes, pushOptions, written }
    return hookAnswer(accept, verdict.messages ?? [])
  }

  /** The objects are in the repository. Moves the refs and records them, in the place of git. */
  async function procReceive(): Promise<Buffer> {
    if (accepted === null)
      throw new GitError('command_failed', 'git asked to move refs of a push that was not accepted')
    const { changes, pushOptions, written } = accepted
    await syncObjects(context.directory, written)
    const { moved, refused } = await movePushedRefs(context, changes, { atomic: isAtomic() })
    const messages = moved.length === 0 ? [] : await gate.postReceive(moved, { pushOptions })
    return reportAnswer(changes, refused, messages)
  }

  function moveOnce(): Promise<Buffer> {
    moving ??= procReceive().catch((error) => {
      failure = { error }
      throw error
    })
    return moving
  }

  return {
    async answer(question) {
      try {
        return await (question.hook === 'pre-receive' ? preReceive(question) : moveOnce())
      } catch (error) {
        log('error', 'the gate failed', { hook: question.hook, error })
        return hookAnswer(false, [])
      }
    },
    abandon(reason = new GitError('aborted', 'the client disconnected')) {
      if (accepted === null) abandoned ??= reason
      return abandoned !== null
    },
    async settled() {
      await moving?.catch(() => {})
    },
    requireRecorded() {
      if (failure !== null) throw failure.error
      if (abandoned !== null) throw abandoned
    },
  }
}

const MIB = 1024 * 1024

/** The sentence for a push whose objects exceed the limit of the server; null when they do not, or there is none. */
async function tooLarge(context: RepositoryContext, quarantine: Quarantine): Promise<string | null> {
  const { unpackedBytes: limit } = context.runner.limits
  if (limit === 0 || !(await isUnpackedAbove(context, quarantine, limit))) return null
  return `The push was refused: unpacked, its objects have more than ${limit / MIB} MiB.`
}

/** Where new objects will be: git moves them out of quarantine without syncing the directories. */
async function writtenDirectories({ objectDirectory }: Quarantine): Promise<string[]> {
  const hasPack = (await namesIn(join(objectDirectory, 'pack'))).length > 0
  return (await namesIn(objectDirectory)).filter((name) => (name === 'pack' ? hasPack : /^[0-9a-f]{2}$/.test(name)))
}
