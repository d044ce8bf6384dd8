import type { Comment } from '../story.ts'
import { idOf, later, type Telling } from './telling.ts'

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
/** How many of all texts somebody reacts to. */
const reactedShare = 0.35

/** Who reacts to a text with what, as the seed has it; mostly nobody. */
export function reactionsOf({ random }: Telling, audience: readonly string[]): { by: string; name: string }[] {
  if (random.next() > reactedShare) return []
  return random.some(audience, random.between(1, 3)).map((by) => ({ by, name: random.pick(emoji) }))
}

/** Plans what is said, and what is answered to it. */
export function planComments(telling: Telling, commented: Commented, comments: readonly Comment[]): void {
  let atMs = commented.fromMs
  for (const comment of comments) {
    atMs = Math.min(later(telling, atMs, comment.after), commented.untilMs)
    planComment(telling, commented, comment, atMs)
  }
}

function planComment(
  telling: Telling,
  { base, what, untilMs, audience }: Commented,
  said: Comment,
  atMs: number,
): void {
  const { ask, ids } = telling
  const { by, text, internal = false, replies = [] } = said
  const name = `note ${ids.size} ${what} ${by} ${atMs} ${text}`
  telling.plan(atMs, what, async () => {
    const path = `${base()}/${replies.length > 0 ? 'discussions' : 'notes'}`
    const made = await ask(by, 'POST', path, { body: text, ...(internal ? { internal } : {}) })
    ids.set(name, made.notes?.[0].id ?? made.id)
    if (replies.length > 0) telling.discussions.set(name, made.id)
  })
  let replyMs = atMs
  for (const reply of replies) {
    replyMs = Math.min(later(telling, replyMs, reply.after), untilMs)
    telling.plan(replyMs, what, async () => {
      const path = `${base()}/discussions/${telling.discussions.get(name)}/notes`
      await ask(reply.by, 'POST', path, { body: reply.text })
    })
  }
  if (internal || !what.includes('issues')) return
  const reactions = reactionsOf(telling, audience)
  if (reactions.length === 0) return
  telling.plan(Math.min(later(telling, atMs, 0), untilMs), what, async () => {
    for (const { by: reader, name: award } of reactions) {
      await ask(reader, 'POST', `${base()}/notes/${idOf(telling, name)}/award_emoji`, { name: award })
    }
  })
}
