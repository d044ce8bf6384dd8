import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Remote } from '../clients/git.ts'
import type { ApiServer } from '../clients/server.ts'
import { flagOf, type Item, itemsOf, numberOf, plainOf, requireText, textOf } from '../clients/values.ts'
import { attempt, bringEach, type Copy, type ImportContext, type Place } from './context.ts'
import { bringLargeFiles } from './large-files.ts'

/** What was read of a repository; an empty one has no copy. */
export type Fetched = { copy: Copy | null }

const addressOf = (server: ApiServer, path: string): Remote => ({
  url: `${server.url}/${path.split('/').map(encodeURIComponent).join('/')}.git`,
  authorization: server.basic,
})

/** A key of the state: from then on people work with the repository, and nothing of theirs is overwritten. */
export const settledKey = (place: Place) => `settled ${place.from}`

const publicRefs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
const requestRefs = '+refs/merge-requests/*/head:refs/merge-requests/*/head'

/** @returns null when it cannot be read */
export async function fetchRepository(context: ImportContext, place: Place, project: Item): Promise<Fetched | null> {
  if (textOf(project, 'repository_access_level') === 'disabled') return { copy: null }
  const report = { key: `repository ${place.from}`, place: place.path, what: 'repository' }
  return attempt(context, report, async () => {
    const folder = join(context.folder, `${place.sourceId}.git`)
    context.progress.advance(0, `${place.path}: fetching the repository`)
    const format = textOf(project, 'repository_object_format') === 'sha256' ? 'sha256' : 'sha1'
    await context.git.fetch(folder, addressOf(context.source, place.path), [...publicRefs, requestRefs], format)
    const any = await context.git.run({ folder, parameters: ['for-each-ref', '--count=1'] })
    return { copy: any.output.trim() === '' ? null : { folder, target: addressOf(context.target, place.path) } }
  })
}

/** Pushes branches and tags, after the large files that they refer to. */
export async function pushRepository(context: ImportContext, place: Place, project: Item, copy: Copy): Promise<void> {
  if (flagOf(project, 'lfs_enabled') !== false) await bringLargeFiles(context, place, copy)
  const isSettled = context.state.value(settledKey(place)) !== undefined
  context.progress.advance(0, `${place.path}: pushing the repository`)
  // A branch that has gone on here is not put back.
  if (isSettled)
    return void (await pushRefs(
      context,
      place,
      copy,
      publicRefs.map((refspec) => refspec.slice(1)),
    ))
  await unprotect(context, place)
  await pushRefs(context, place, copy, publicRefs)
  const name = textOf(project, 'default_branch')
  const report = { key: `default branch ${place.from}`, place: place.path, what: 'default branch' }
  if (name) await attempt(context, report, () => context.target.write('PUT', place.to, { default_branch: name }))
  await unprotect(context, place)
}

/** While merge requests are brought, their branches are where they were when these were opened. */
async function unprotect(context: ImportContext, place: Place): Promise<void> {
  for await (const rule of context.target.list(`${place.to}/protected_branches`)) {
    const branch = encodeURIComponent(textOf(rule, 'name') ?? '')
    await context.target.write('DELETE', `${place.to}/protected_branches/${branch}`)
  }
}

/** Pushes refs, and reports those that the target does not take. @returns whether there was a push */
async function pushRefs(context: ImportContext, place: Place, copy: Copy, refs: string[], options: string[] = []) {
  const { git, state } = context
  const report = { key: `push ${place.from}`, place: place.path, what: 'repository' }
  const pushed = await attempt(context, report, async () => {
    const refused = await git.push(copy.folder, copy.target, refs, options)
    state.solvedBelow(`ref ${place.from} `)
    for (const { ref, reason } of refused) {
      const problem = { place: place.path, what: ref, reason: `this server does not take it: ${reason}` }
      state.reportProblem(`ref ${place.from} ${ref}`, problem)
    }
    return true
  })
  return pushed === true
}

/** Brings all branches to where they are at the source, protects them, and removes the copy. */
export async function settleRepository(context: ImportContext, place: Place, copy: Copy | null): Promise<void> {
  if (context.state.value(settledKey(place)) === undefined) {
    // Otherwise branches would stay where merge requests have put them.
    if (copy && !(await pushRefs(context, place, copy, publicRefs, ['--prune']))) return
    await bringProtection(context, place)
    context.state.finish(settledKey(place), 1)
  }
  await rm(join(context.folder, `${place.sourceId}.git`), { recursive: true, force: true })
}

const forOne = ['user_id', 'group_id', 'deploy_key_id']

/** The lowest role of a rule. Entries for single users, groups and keys are not brought. */
function levelOf(rule: Item, name: string): number | undefined {
  const roles = itemsOf(rule, name).filter((entry) => forOne.every((member) => numberOf(entry, member) === undefined))
  const levels = roles.flatMap((entry) => numberOf(entry, 'access_level') ?? [])
  return levels.length === 0 ? undefined : Math.min(...levels)
}

async function bringProtection(context: ImportContext, place: Place): Promise<void> {
  const kinds = [
    [
      'protected_branches',
      'protected branch',
      { push_access_level: 'push_access_levels', merge_access_level: 'merge_access_levels' },
    ],
    ['protected_tags', 'protected tag', { create_access_level: 'create_access_levels' }],
  ] as const
  for (const [list, what, levels] of kinds) {
    const nameOf = (item: Item) => textOf(item, 'name')
    await bringEach(context, place, { list, what, nameOf }, async (rule) => {
      const name = requireText(rule, 'name')
      const given = Object.entries(levels).map(([parameter, member]) => [parameter, levelOf(rule, member)])
      const to = `${place.to}/${list}`
      if (await context.target.find(`${to}/${encodeURIComponent(name)}`)) return
      await context.target.write('POST', to, {
        ...plainOf(rule, ['name', 'allow_force_push', 'code_owner_approval_required']),
        ...Object.fromEntries(given),
      })
    })
  }
}

/** Brings the wiki, which is a repository of its own. */
export async function bringWiki(context: ImportContext, place: Place): Promise<void> {
  const { git, source, target } = context
  const report = { key: `wiki ${place.from}`, place: place.path, what: 'wiki' }
  await attempt(context, report, async () => {
    const { done: isEmpty } = await source.list(`${place.from}/wikis`).next()
    if (isEmpty) return
    const folder = join(context.folder, `${place.kind}-${place.sourceId}.wiki.git`)
    await git.fetch(folder, addressOf(source, `${place.path}.wiki`), ['+refs/heads/*:refs/heads/*'])
    const refused = await git.push(folder, addressOf(target, `${place.path}.wiki`), ['refs/heads/*:refs/heads/*'])
    for (const { ref, reason } of refused) {
      context.state.reportProblem(`${report.key} ${ref}`, {
        ...report,
        reason: `this server does not take ${ref}: ${reason}`,
      })
    }
    await rm(folder, { recursive: true, force: true })
  })
}
