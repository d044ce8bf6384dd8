import { dayOf } from '../../../api/index.ts'
import { now, portionsOf, type Tx } from '../../../infra/database/index.ts'
import { enqueue, enqueueAll, type Job, type Platform, sendsMail } from '../../../platform/index.ts'
import { mailJob } from '../mails/send.ts'
import type { Occasion } from './occasion.ts'
import { recipientsAmong, subjectOf } from './recipients.ts'
import { deleteRun, insertRun, moveRun, nextCandidates, type Run, runById } from './store.ts'

/** Users of whom one transaction decides, and jobs that one statement stores. */
const portion = 500
const jobsAtOnce = 200

/** How long pushes to one merge request are collected. */
const pushDelayMs = 60_000

/** Stores the mails to the next users. @returns the run as it is then; null when all have been told, or another process goes on */
async function tellNext(platform: Platform, run: Run): Promise<Run | null> {
  const { database, clock } = platform
  const { occasion } = run
  const subject = await subjectOf(platform, occasion)
  if (!subject) {
    await database.write((tx) => deleteRun(tx, run.id))
    return null
  }
  const ids = await nextCandidates(database.read, subject.shown, subject.project, {
    after: run.told_up_to,
    limit: portion,
    today: dayOf(clock.now()),
    named: [...occasion.mentioned, ...occasion.added, ...occasion.removed],
  })
  const told = await recipientsAmong(platform, occasion, subject, ids)
  const last = ids.length < portion ? null : (ids.at(-1) as number)
  const mails = told.map(({ user }) => {
    // Of all who are mentioned, a mail keeps only its own user.
    const mentioned = occasion.mentioned.filter((id) => id === user.id)
    const ofUser = { ...occasion, mentioned }
    return { userId: user.id, runId: run.id, at: now(clock), occasion: ofUser }
  })
  return database.write(async (tx) => {
    // The mails of a portion are stored once, with the mark that they are: a second run of the job finds the mark.
    if (!(await moveRun(tx, run, last ?? Number.MAX_SAFE_INTEGER))) return null
    for (const part of portionsOf(mails, jobsAtOnce)) await enqueueAll(platform, tx, mailJob, part)
    if (last !== null) return { ...run, told_up_to: last }
    await deleteRun(tx, run.id)
    return null
  })
}

/** Finds who is notified of something, some hundred users at a time, and stores a mail for each. */
export const tellJob: Job<{ runId: number }> = {
  kind: 'notifications.tell',
  async run(platform, { runId }) {
    let run: Run | null = (await runById(platform.database.read, runId)) ?? null
    while (run) run = await tellNext(platform, run)
  },
}

/** An occasion, of which nothing that is empty has to be said. */
type GivenOccasion = Pick<Occasion, 'happening' | 'event' | 'type' | 'id'> & Partial<Occasion>

/** When users are notified, and by which key only once until then. */
function timingOf({ clock }: Platform, { happening, type, id }: Occasion) {
  if (happening !== 'pushed') return {}
  return { uniqueKey: `${type}:${id}`, runAt: new Date(clock.now().getTime() + pushDelayMs) }
}

/**
 * Tells users of something, when the caller's transaction is committed; of the pushes of a minute to a merge request once. Nothing is
 * stored when the server sends no mail.
 */
export async function tell(platform: Platform, tx: Tx, projectId: number, given: GivenOccasion): Promise<void> {
  if (!sendsMail(platform)) return
  const occasion: Occasion = { actorId: null, mentioned: [], added: [], removed: [], ...given }
  const runId = await insertRun(tx, projectId, occasion, now(platform.clock))
  const isNew = (await enqueue(platform, tx, tellJob, { runId }, timingOf(platform, occasion))) !== null
  if (!isNew) await deleteRun(tx, runId)
}
