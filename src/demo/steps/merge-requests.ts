import type { Change, MergeRequest, Thread } from '../world-types.ts'
import { commit, runPipelines } from './code/repository.ts'
import { applyChanges, lineOf, mergeTexts } from './code/texts.ts'
import { reactionsOf } from './comments.ts'
import { classified } from './issues.ts'
import { minuteMs } from './moments.ts'
import type { Place } from './place.ts'
import { later, type StepContext } from './step-context.ts'

/** What the steps of a merge request share. */
type RequestPlace = { place: Place; base(): string; what: string; branch: string; untilMs: number }

/** Plans a merge request from its first commit to its end. @param iid its number in the project */
export function planMergeRequest(context: StepContext, place: Place, request: MergeRequest, iid: number): void {
  const { ask, moments } = context
  const { by, at, title, text, branch, commits, threads = [], approved = [], merged, closed } = request
  const base = () => `${place.base()}/merge_requests/${iid}`
  const what = `${place.name}: merge requests`
  for (const one of commits) {
    context.plan(one.at, `${place.name}: commits`, () => commit(context, place, branch, one))
  }
  context.plan(at, what, async () => {
    const described = { source_branch: branch, target_branch: 'main', title, description: moments.dated(text) }
    const planned = classified(context, place.path, request)
    const made = await ask(by, 'POST', `${place.base()}/merge_requests`, { ...described, ...planned })
    if (made.iid !== iid) throw new Error(`${place.path}: ${title} is !${made.iid} and not !${iid}`)
    await runPipelines(context, place, { sha: made.sha })
    for (const { by: reader, name } of reactionsOf(context, place.audience)) {
      await ask(reader, 'POST', `${base()}/award_emoji`, { name })
    }
  })
  const end = merged ?? closed
  const untilMs = (end ? moments.ms(end.at) : context.endMs) - 10 * minuteMs
  const requestPlace = { place, base, what, branch, untilMs }
  let saidMs = moments.ms(at)
  for (const thread of threads) {
    saidMs = Math.min(later(context, saidMs, thread.after), untilMs)
    planThread(context, requestPlace, thread, saidMs)
  }
  for (const approval of approved) {
    context.plan(approval.at, what, async () => void (await ask(approval.by, 'POST', `${base()}/approve`)))
  }
  if (merged) planMerge(context, requestPlace, request, merged)
  if (closed) {
    context.plan(closed.at, what, async () => void (await ask(closed.by, 'PUT', base(), { state_event: 'close' })))
  }
}

/** Plans a thread: its first comment, the answers, and how it ends. */
function planThread(context: StepContext, requestPlace: RequestPlace, thread: Thread, atMs: number): void {
  const { ask } = context
  const { base, what, untilMs, place, branch } = requestPlace
  const { by, text, on, replies = [], resolvedBy, applied } = thread
  let discussion = { id: '', notes: [{ suggestions: [{ id: 0 }] }] }
  context.plan(atMs, what, async () => {
    discussion = await ask(by, 'POST', `${base()}/discussions`, {
      body: text,
      position: on && (await positionOf(context, requestPlace, on)),
    })
  })
  let lastMs = atMs
  for (const reply of replies) {
    lastMs = Math.min(later(context, lastMs, reply.after), untilMs)
    context.plan(lastMs, what, async () => {
      await ask(reply.by, 'POST', `${base()}/discussions/${discussion.id}/notes`, { body: reply.text })
    })
  }
  lastMs = Math.min(later(context, lastMs), untilMs)
  if (applied && on) {
    context.plan(lastMs, what, async () => {
      const suggestion = discussion.notes[0]?.suggestions[0]?.id
      await ask(applied.by, 'PUT', `/suggestions/${suggestion}/apply`)
      const texts = place.branches.get(branch) ?? new Map()
      applyChanges(texts, suggested(thread))
      await context.settle()
      await context.runner.work()
      await context.settle()
    })
  }
  if (!resolvedBy) return
  context.plan(lastMs, what, async () => {
    await ask(resolvedBy, 'PUT', `${base()}/discussions/${discussion.id}`, { resolved: true })
  })
}

/** The change of the texts that an applied suggestion makes. */
function suggested({ on, applied, text }: Thread): Record<string, Change> {
  const [, line = ''] = /```suggestion:-0\+0\n([^\n]*)\n```/.exec(text) ?? []
  return on && applied ? { [on.file]: [[applied.line, line]] } : {}
}

async function positionOf({ ask }: StepContext, { base, place, branch }: RequestPlace, on: NonNullable<Thread['on']>) {
  const { diff_refs } = await ask('root', 'GET', base())
  const new_line = lineOf(place.branches.get(branch) ?? new Map(), on.file, on.line)
  return { ...diff_refs, position_type: 'text', new_path: on.file, old_path: on.file, new_line }
}

function planMerge(
  context: StepContext,
  { place, base, what, branch }: RequestPlace,
  { commits, threads = [] }: MergeRequest,
  { by, at, squash, keepsBranch = false, plays }: NonNullable<MergeRequest['merged']>,
): void {
  context.plan(at, what, async () => {
    const chosen = { squash, should_remove_source_branch: !keepsBranch }
    const made = await context.ask(by, 'PUT', `${base()}/merge`, chosen)
    const changes = [...commits, ...threads.map((thread) => ({ files: suggested(thread) }))]
    mergeTexts(place.branches.get('main') ?? new Map(), changes)
    if (!keepsBranch) place.branches.delete(branch)
    place.head = made.merge_commit_sha ?? made.squash_commit_sha
    await runPipelines(context, place, { sha: place.head, plays })
  })
}
