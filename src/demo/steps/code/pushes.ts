import { push } from '../../clients/pack.ts'
import type { Pushed } from '../../world-types.ts'
import { hourMs, minuteMs } from '../moments.ts'
import type { Place } from '../place.ts'
import { idOf, type StepContext } from '../step-context.ts'
import { commit, runPipelines } from './repository.ts'
import { applyChanges } from './texts.ts'

/** Commits of one person with at most this between two of them are one push: those of a working week. */
const togetherMs = 5 * 24 * hourMs
const mostCommits = 12
const minutesToPush = 5

/** The commits of each push, in the order of their times. */
function pushesOf({ moments }: StepContext, commits: readonly Pushed[]): Pushed[][] {
  const pushes: Pushed[][] = []
  for (const commit of commits) {
    const current = pushes.at(-1)
    const [at, by] = current?.at(-1) ?? []
    const isNear = at !== undefined && moments.ms(commit[0]) - moments.ms(at) <= togetherMs
    if (current && by === commit[1] && isNear && current.length < mostCommits) current.push(commit)
    else pushes.push([commit])
  }
  return pushes
}

/** The token with which the git of a person pushes; the first push of a person makes it. */
async function tokenOf(context: StepContext, username: string): Promise<string> {
  const { ask, tokens, moments } = context
  const known = tokens.get(username)
  if (known !== undefined) return known
  const path = `/users/${idOf(context, `user ${username}`)}/personal_access_tokens`
  const given = { name: 'git of my laptop', scopes: ['write_repository'], expires_at: moments.dated('{day+200}') }
  const { token } = await ask('root', 'POST', path, given)
  tokens.set(username, token)
  return token
}

/** Plans the pushes of a project, each some minutes after its last commit. */
export function planPushes(context: StepContext, place: Place, commits: readonly Pushed[]): void {
  const { api, moments, names } = context
  for (const pushed of pushesOf(context, commits)) {
    const [at, by, message, files] = pushed.at(-1) as Pushed
    const pushedMs = moments.ms(at) + minutesToPush * minuteMs
    const what = `${place.name}: pushes`
    if (pushed.length === 1) {
      // As a page of the server makes it. A push costs more.
      context.plan(pushedMs, what, () => commit(context, place, 'main', { by, message, files }))
      continue
    }
    context.plan(pushedMs, what, async () => {
      const texts = place.branches.get('main') ?? new Map()
      const author = { name: names.get(by) ?? by, email: `${by}@example.com` }
      const made = pushed.map(([at, , message, files]) => {
        applyChanges(texts, files)
        return { files: new Map(texts), author, atMs: moments.ms(at), message }
      })
      const token = await tokenOf(context, by)
      place.head = await push(api, { ...place, token }, made)
      await runPipelines(context, place, { sha: place.head })
    })
  }
}
