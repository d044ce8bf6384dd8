import type { Comment } from '../world-types.ts'
import { idOf, later, type StepContext } from './step-context.ts'

/** What is commented on. */
export type Commented = {
  /** Path of the API of the issue or merge request; read when something is said. */
  base(): string
  what: string
  fromMs: number
  /** When it is over; nothing is said later. */
  untilMs: number
  /** The names of those who may react. */
  audience: readonly string[]
}

const emoji = ['thumbsup', 'thumbsup', 'heart', 'tada', 'eyes', 'rocket', 'ship', 'ocean'] as const
/** The share of texts that get reactions. */
const reactedShare = 0.35

/** The reactions to a text, by the seed; most texts have none. */
export function reactionsOf({ random }: StepContext, audience: readonly string[]): { by: string; name: string }[] {
  if (random.next() > reactedShare) return []
  return random.some(audience, random.between(1, 3)).map((by) => ({ by, name: random.pick(emoji) }))
}

/** Plans what is said, and what is answered to it. */
export function planComments(context: StepContext, commented: Commented, comments: readonly Comment[]): void {
  let atMs = commented.fromMs
  for (const comment of comments) {
    atMs = Math.min(later(context, atMs, comment.after), commented.untilMs)
    planComment(context, commented, comment, atMs)
  }
}

function planComment(
  context: StepContext,
  { base, what, untilMs, audience }: Commented,
  said: Comment,
  atMs: number,
): void {
  const { ask, ids } = context
  const { by, text, internal = false, replies = [] } = said
  const name = `note ${ids.size} ${what} ${by} ${atMs} ${text}`
  context.plan(atMs, what, async () => {
    const path = `${base()}/${replies.length > 0 ? 'discussions' : 'notes'}`
    const made = await ask(by, 'POST', path, { body: text, ...(internal ? { internal } : {}) })
    ids.set(name, made.notes?.[0].id ?? made.id)
    if (replies.length > 0) context.discussions.set(name, made.id)
  })
  let replyMs = atMs
  for (const reply of replies) {
    replyMs = Math.min(later(context, replyMs, reply.after), untilMs)
    context.plan(replyMs, what, async () => {
      const path = `${base()}/discussions/${context.discussions.get(name)}/notes`
      await ask(reply.by, 'POST', path, { body: reply.text })
    })
  }
  if (internal || !what.includes('issues')) return
  const reactions = reactionsOf(context, audience)
  if (reactions.length === 0) return
  context.plan(Math.min(later(context, atMs, 0), untilMs), what, async () => {
    for (const { by: reader, name: award } of reactions) {
      await ask(reader, 'POST', `${base()}/notes/${idOf(context, name)}/award_emoji`, { name: award })
    }
  })
}
