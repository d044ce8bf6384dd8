/** The state of one push: answers its hooks through the gate, and records which refs have moved. */

import { GitError } from '../model/errors.ts'
import { isZeroOid, type Oid } from '../model/names.ts'
import type { GitLog, PushGate, RefChange } from '../model/types.ts'
import type { ObjectReader } from '../objects/cat-file-pool.ts'
import { isHiddenRef } from '../process/command.ts'
import { syncRefs } from '../process/durable.ts'
import { type HookQuestion, hookAnswer, legalChanges } from './gate.ts'

export type PushSession = {
  /** Answers a hook. Never rejects: a failing gate refuses the push. */
  answer(question: HookQuestion): Promise<Buffer>
  /** To be called when the client has disconnected. @returns true when the push is refused; false when refs may have moved */
  abandon(): boolean
  /** Records the refs that have moved when git ended before it ran its last hook. */
  recordLanded(reader: ObjectReader): Promise<void>
  /** @throws what `postReceive` threw; GitError `aborted` after `abandon` */
  requireRecorded(): void
}

type SessionOptions = {
  gate: PushGate
  /** Whether the client asked that all refs move or none. */
  isAtomic: () => boolean
  log: GitLog
}

type Accepted = { changes: readonly RefChange[]; pushOptions: readonly string[] }

/** Creates the session of one push. @param directory of the repository */
export function pushSession(directory: string, { gate, isAtomic, log }: SessionOptions): PushSession {
  let accepted: Accepted | null = null
  let abandoned = false
  let recording: Promise<readonly string[]> | null = null
  let failure: { error: unknown } | null = null

  async function preReceive({ changes: pushed, quarantine, pushOptions }: HookQuestion): Promise<Buffer> {
    const legal = legalChanges(pushed)
    if (legal === null) return hookAnswer(false, ['Branch name is invalid'])
    // Git rejects hidden refs itself, one by one, and moves the others.
    const changes = legal.filter(({ ref }) => !isHiddenRef(ref))
    const hiddenRefs = legal.map(({ ref }) => ref).filter(isHiddenRef)
    // Git would move the other refs of an atomic push.
    if (hiddenRefs.length > 0 && isAtomic()) {
      return hookAnswer(false, ['An atomic push must contain only branches, tags and notes.'])
    }
    const verdict = await gate.preReceive(changes, { quarantine, pushOptions, hiddenRefs })
    const accept = verdict.accept === true && changes.length > 0 && !abandoned
    if (accept) accepted = { changes, pushOptions }
    return hookAnswer(accept, verdict.messages ?? [])
  }

  /** Syncs the refs to disk, then records them. */
  async function record({ changes, pushOptions }: Accepted): Promise<readonly string[]> {
    await syncRefs(
      directory,
      changes.map(({ ref }) => ref),
    )
    return gate.postReceive(changes, { pushOptions })
  }

  function recordOnce(landed: Accepted): Promise<readonly string[]> {
    recording ??= record(landed).catch((error) => {
      failure = { error }
      throw error
    })
    return recording
  }

  return {
    async answer(question) {
      const { hook, changes, pushOptions } = question
      try {
        if (hook === 'pre-receive') return await preReceive(question)
        return hookAnswer(true, await recordOnce({ changes: legalChanges(changes) ?? [], pushOptions }))
      } catch (error) {
        log('error', 'the gate failed', { hook, error })
        return hookAnswer(false, [])
      }
    },
    abandon() {
      abandoned ||= accepted === null
      return abandoned
    },
    async recordLanded(reader) {
      if (accepted === null) return
      const { changes, pushOptions } = accepted
      // If the hook has asked, its recording is under way.
      const landed = recording === null ? await changesThatLanded(reader, changes) : []
      if (recording === null && landed.length === 0) return
      await recordOnce({ changes: landed, pushOptions }).catch(() => {})
    },
    requireRecorded() {
      if (failure !== null) throw failure.error
      if (abandoned) throw new GitError('aborted', 'the client disconnected')
    },
  }
}

async function changesThatLanded(reader: ObjectReader, changes: readonly RefChange[]): Promise<RefChange[]> {
  const tips = await Promise.all(changes.map(({ ref }) => reader.at(ref)))
  return changes.filter((change, index) => (tips[index]?.oid ?? null) === wantedTip(change))
}

function wantedTip(change: RefChange): Oid | null {
  return isZeroOid(change.new) ? null : change.new
}
