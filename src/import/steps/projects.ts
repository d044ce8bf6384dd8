import { NotBrought } from '../clients/errors.ts'
import { flagOf, type Item, itemOf, plainOf, requireNumber, textOf, textsOf } from '../clients/values.ts'
import { bringAttributes } from './attributes.ts'
import { bringLabels, bringMembers, bringMilestones, bringVariables } from './classification.ts'
import { bringReleases, bringSchedules, bringSnippets } from './contents.ts'
import { attempt, type ImportContext, type Place, placeOf } from './context.ts'
import { requirePath } from './groups.ts'
import { bringImages } from './images.ts'
import { bringWiki, fetchRepository, pushRepository, settledKey, settleRepository } from './repository.ts'
import { createVisible, writeSettings } from './settings.ts'
import { bringIssues } from './work/issues.ts'
import { bringMergeRequests } from './work/merge-requests.ts'

const projectMembers = [
  ...['description', 'lfs_enabled', 'request_access_enabled', 'ci_config_path'],
  ...['merge_method', 'squash_option', 'build_timeout', 'build_git_strategy', 'auto_cancel_pending_pipelines'],
  ...['only_allow_merge_if_pipeline_succeeds', 'only_allow_merge_if_all_discussions_are_resolved'],
  ...['allow_merge_on_skipped_pipeline', 'remove_source_branch_after_merge', 'suggestion_commit_message'],
  ...['merge_commit_template', 'squash_commit_template', 'auto_devops_enabled', 'shared_runners_enabled'],
]

/** Which parts of a project are there, and for whom. They are set at the end: what is switched off cannot be written. */
const featureLevels = [
  ...['issues', 'repository', 'merge_requests', 'wiki', 'builds', 'snippets', 'pages', 'analytics', 'releases'],
  ...['container_registry', 'environments', 'feature_flags', 'infrastructure', 'monitor', 'forking'],
  'security_and_compliance',
].map((feature) => `${feature}_access_level`)

/** Until then, parts that not all may see at the source are for members. */
const levelsMeanwhile = (project: Item) =>
  Object.fromEntries(
    featureLevels
      .filter((name) => ['private', 'disabled'].includes(textOf(project, name) ?? ''))
      .map((name) => [name, 'private']),
  )

/** Brings a project. One of the same path that the import has not made is left alone. @returns null where it cannot be brought */
export async function bringProject(context: ImportContext, project: Item): Promise<Place | null> {
  const { state, target } = context
  const shown = textOf(project, 'path_with_namespace') ?? '?'
  return attempt(context, { key: `project ${shown}`, place: shown, what: 'project' }, async () => {
    const path = requirePath(project, 'path_with_namespace')
    const id = requireNumber(project, 'id')
    const find = async () => {
      const found = await target.find(`/projects/${encodeURIComponent(path)}`)
      return found && requireNumber(found, 'id')
    }
    if (state.value(`project ${id}`) === undefined && (await find()) !== null) {
      throw new NotBrought('a project that this import has not made is here already; nothing was changed in it')
    }
    const made = await state.once(`project ${id}`, { find, make: () => createProject(context, project, path) })
    return placeOf('projects', path, id, made)
  })
}

async function createProject(context: ImportContext, project: Item, path: string): Promise<number> {
  const { target } = context
  const create = (to: string, namespace: object) =>
    createVisible(context, { place: path, what: 'project' }, plainOf(project, ['visibility']), (visibility) =>
      target.write('POST', to, {
        ...plainOf(project, ['name', 'path', 'repository_object_format']),
        ...{ ...levelsMeanwhile(project), ...namespace, ...visibility },
      }),
    )
  const namespace = path.split('/').slice(0, -1).join('/')
  if (textOf(itemOf(project, 'namespace') ?? {}, 'kind') === 'user') {
    const owner = await context.people.of(itemOf(project, 'owner') ?? {})
    if (!owner) throw new NotBrought('its owner has no account here with the same e-mail address')
    if (owner.username !== namespace) throw new NotBrought(`its owner has another name here: ${owner.username}`)
    return create(`/projects/user/${owner.id}`, {})
  }
  const group = await target.find(`/groups/${encodeURIComponent(namespace)}`)
  if (!group) throw new NotBrought(`the group ${namespace} is not here`)
  return create('/projects', { namespace_id: requireNumber(group, 'id') })
}

/** The parts of a project, in the order in which they are brought. */
export const projectParts = [
  'labels',
  'milestones',
  'members',
  'repository',
  'merge requests',
  'branches',
  'releases',
  'issues',
  'wiki',
  'snippets',
  'variables',
  'pipeline schedules',
  'images',
  'custom attributes',
  'settings',
] as const

/** Brings what a project has. */
export async function bringProjectContents(context: ImportContext, place: Place, listed: Item): Promise<void> {
  const { progress } = context
  const project = (await context.source.find(place.from)) ?? listed
  // What is archived has not changed, and cannot be changed here.
  if (flagOf(project, 'archived') === true && context.state.value(settingsKey(place)) !== undefined) {
    return progress.advance(projectParts.length)
  }
  const begun = (part: (typeof projectParts)[number]) => progress.advance(1, `${place.path}: ${part}`)
  begun('labels')
  await bringLabels(context, place)
  begun('milestones')
  await bringMilestones(context, place)
  begun('members')
  await bringMembers(context, place)
  await bringRepositoryParts(context, place, project, begun)
  begun('releases')
  await bringReleases(context, place)
  begun('issues')
  if (isThere(project, 'issues')) await bringIssues(context, place)
  begun('wiki')
  if (isThere(project, 'wiki')) await bringWiki(context, place)
  begun('snippets')
  if (isThere(project, 'snippets')) await bringSnippets(context, place)
  begun('variables')
  await bringVariables(context, place)
  begun('pipeline schedules')
  if (isThere(project, 'builds')) await bringSchedules(context, place)
  begun('images')
  if (isThere(project, 'container_registry')) await bringImages(context, place)
  begun('custom attributes')
  await bringAttributes(context, place)
  begun('settings')
  await bringSettings(context, place, project)
}

const isThere = (project: Item, feature: string) => project[`${feature}_access_level`] !== 'disabled'

async function bringRepositoryParts(
  context: ImportContext,
  place: Place,
  project: Item,
  begun: (part: (typeof projectParts)[number]) => void,
): Promise<void> {
  begun('repository')
  const fetched = await fetchRepository(context, place, project)
  if (fetched?.copy) await pushRepository(context, place, project, fetched.copy)
  begun('merge requests')
  if (isThere(project, 'merge_requests')) await bringMergeRequests(context, place, fetched?.copy ?? null)
  begun('branches')
  if (fetched) await settleRepository(context, place, fetched.copy)
}

const settingsKey = (place: Place) => `settings ${place.from}`

async function bringSettings(context: ImportContext, place: Place, project: Item): Promise<void> {
  const { target, state } = context
  const key = settingsKey(place)
  if (state.value(key) !== undefined || state.value(settledKey(place)) === undefined) return
  await attempt(context, { key: `item ${key}`, place: place.path, what: 'settings' }, async () => {
    const settings = plainOf(project, [...projectMembers, ...featureLevels])
    await writeSettings(context, place, { ...settings, topics: textsOf(project, 'topics') })
    if (flagOf(project, 'archived') === true) await target.write('POST', `${place.to}/archive`)
    state.finish(key, 1)
  })
}
