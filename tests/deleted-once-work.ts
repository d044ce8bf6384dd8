/** Makers of what operations delete: repositories and their rules, issues and merge requests, CI/CD, images. */

import { deliver } from '../src/modules/alerts/testing.ts'
import { registryRows } from '../src/modules/container-registry/images/testing.ts'
import { publication } from '../src/modules/packages/npm/testing.ts'
import { makeRunner, workOn } from '../src/modules/runners/testing.ts'
import { type Maker, made, newSshKey, posted, type World } from './deleted-once-world.ts'

type Parent = (world: World) => string
const project: Parent = ({ inProject }) => inProject
const group: Parent = ({ inGroup }) => inGroup
const below = (parent: Parent, path: string) => (world: World) => `${parent(world)}/${path}`

/** Makes something at a path that is made for it. */
export const inNew =
  (parentOf: (world: World) => Promise<string>, given: (name: string) => object, key?: string): Maker =>
  async (world) => {
    const path = await parentOf(world)
    return posted(() => path, given, key)(world)
  }

export const titled = (title: string) => ({ title })
const named = (name: string) => ({ name })
const badge = (name: string) => ({ name, link_url: 'https://b.example', image_url: 'https://b.example/i.svg' })

/** A board, and a list of one. */
const boardMakers = (kind: 'project' | 'group', parent: Parent): Readonly<Record<string, Maker>> => ({
  [`${kind}_boards.delete`]: posted(below(parent, 'boards'), named),
  [`${kind}_board_lists.delete`]: async (world) => {
    const label = await world.post(`${parent(world)}/labels`, { name: world.name(), color: '#112233' })
    const { id } = await world.post(`${parent(world)}/boards`, named(world.name()))
    const lists = `${parent(world)}/boards/${id}/lists`
    return `${lists}/${(await world.post(lists, { label_id: label.id })).id}`
  },
})

/** The address of a new issue, and of a new merge request. */
export async function newIssue(world: World): Promise<string> {
  return `${world.inProject}/issues/${(await world.post(`${world.inProject}/issues`, titled(world.name()))).iid}`
}

async function newBranch(world: World): Promise<string> {
  const branch = world.name()
  const action = { action: 'create', file_path: branch, content: branch }
  const commit = { branch, start_branch: 'main', commit_message: branch, actions: [action] }
  await world.post(`${world.inProject}/repository/commits`, commit)
  return branch
}

export async function newMergeRequest(world: World): Promise<string> {
  const given = { title: world.name(), source_branch: await newBranch(world), target_branch: 'main' }
  return `${world.inProject}/merge_requests/${(await world.post(`${world.inProject}/merge_requests`, given)).iid}`
}

export async function newCommit(world: World): Promise<string> {
  const branch = await newBranch(world)
  const { body } = await world.root.get(`${world.inProject}/repository/branches/${branch}`)
  return `${world.inProject}/repository/commits/${body.commit.id}`
}

const secureFile: Maker = async (world) => {
  const form = new FormData()
  form.set('name', world.name())
  form.set('file', new Blob(['a']), 'a')
  const files = `${world.inProject}/secure_files`
  return `${files}/${(await world.post(files, form)).id}`
}

const terraformState: Maker = async (world) => {
  const state = `${world.inProject}/terraform/state/${world.name()}`
  await world.post(state, { serial: 1 })
  return state
}

const clusterAgent: Maker = async (world) => {
  const agents = `${world.inProject}/cluster_agents`
  return `${agents}/${(await world.post(agents, { name: world.name() })).id}`
}

const issueLink: Maker = async (world) => {
  const path = `${await newIssue(world)}/links`
  const target_issue_iid = (await newIssue(world)).split('/').at(-1)
  await world.post(path, { target_project_id: world.project.id, target_issue_iid })
  const [linked] = made(await world.root.get(path))
  return `${path}/${linked.issue_link_id}`
}

const epicIssue: Maker = async (world) => {
  const epics = `${world.inGroup}/epics`
  const { iid } = await world.post(epics, titled(world.name()))
  const { id } = await world.post(`${world.inProject}/issues`, titled(world.name()))
  return `${epics}/${iid}/issues/${(await world.post(`${epics}/${iid}/issues/${id}`)).id}`
}

const epicChild: Maker = async (world) => {
  const { iid } = await world.post(`${world.inGroup}/epics`, titled(world.name()))
  const children = `${world.inGroup}/epics/${iid}/epics`
  return `${children}/${(await world.post(children, titled(world.name()))).id}`
}

const epicLink: Maker = async (world) => {
  const epics = `${world.inGroup}/epics`
  const { iid } = await world.post(epics, titled(world.name()))
  const other = await world.post(epics, titled(world.name()))
  const links = `${epics}/${iid}/related_epics`
  const { id } = await world.post(links, { target_group_id: other.group_id, target_epic_iid: other.iid })
  return `${links}/${id}`
}

const labelByName =
  (parent: Parent): Maker =>
  async (world) => {
    const { name } = await world.post(`${parent(world)}/labels`, label(world.name()))
    return `${parent(world)}/labels?name=${name}`
  }
const label = (name: string) => ({ name, color: '#ff0000' })

/** The address of a new package with a file. */
const newPackage = async (world: World): Promise<string> => {
  const address = `${world.inProject}/packages/generic/${world.name()}/1.0/file?select=package_file`
  const { package_id: id } = made(await world.root.put(address, 'content'))
  return `${world.inProject}/packages/${id}`
}

/** A dist-tag of an npm package, deleted at one of the places where it is found. */
const distTag =
  (placeOf: Parent): Maker =>
  async (world) => {
    const name = `@${world.project.full_path.split('/')[0]}/${world.name()}`
    const place = `${world.inProject}/packages/npm`
    made(await world.root.put(`${place}/${encodeURIComponent(name)}`, publication(name)))
    const tags = `packages/npm/-/package/${encodeURIComponent(name)}/dist-tags/beta`
    const headers = { 'Content-Type': 'application/json' }
    made(await world.root.put(`${world.inProject}/${tags}`, JSON.stringify('1.0.0'), { headers }))
    return `${placeOf(world)}${tags}`
  }

let day = 0
/** An iteration of one day, which no other one has. */
const iteration = () => {
  day += 1
  const date = new Date(Date.UTC(2100, 0, day)).toISOString().slice(0, 10)
  return { start_date: date, due_date: date }
}

const tag: Maker = async (world) => {
  const tag_name = world.name()
  await world.post(`${world.inProject}/repository/tags`, { tag_name, ref: 'main' })
  return `${world.inProject}/repository/tags/${tag_name}`
}

async function newRelease(world: World): Promise<string> {
  const tag_name = world.name()
  await world.post(`${world.inProject}/releases`, { tag_name, ref: 'main', description: 'x' })
  return `${world.inProject}/releases/${tag_name}`
}

const file: Maker = async (world) => {
  const path = `${world.inProject}/repository/files/${world.name()}`
  await world.post(path, { branch: 'main', content: 'x', commit_message: 'add' })
  return { path, body: { branch: 'main', commit_message: 'remove' }, inTurn: true }
}

const wikiPage =
  (parent: Parent): Maker =>
  async (world) => {
    const page = posted(below(parent, 'wikis'), (title) => ({ title, content: title }), 'slug')
    return { path: (await page(world)) as string, inTurn: true }
  }

const upload =
  (parent: Parent, bySecret: boolean): Maker =>
  async (world) => {
    const form = new FormData()
    form.set('file', new File(['content'], 'a.txt'))
    const { id, full_path } = await world.post(`${parent(world)}/uploads`, form)
    return `${parent(world)}/uploads/${bySecret ? full_path.split('/').slice(-2).join('/') : id}`
  }

export const snippet = (title: string) => ({
  ...{ title, visibility: 'private' },
  files: [{ file_path: 'a.txt', content: 'content' }],
})

/** The address of a job that has ended, with artifacts, in a project of its own. */
async function newJob(world: World): Promise<{ inProject: string; job: string; pipeline: string }> {
  const { id } = await world.newProject()
  const inProject = `/projects/${id}`
  const runner = await makeRunner(world.server, { runner_type: 'project_type', project_id: id })
  const content = 'one: {script: a, artifacts: {paths: [a]}}'
  const commit = { branch: 'main', content, commit_message: 'configure' }
  await world.post(`${inProject}/repository/files/.gitlab-ci.yml`, commit)
  await world.server.app.platform.jobs.drain()
  const payload = await runner.take()
  const work = workOn(world.server, payload)
  made(await work.upload(Buffer.from('content'), '?artifact_type=archive&artifact_format=zip'))
  made(await work.update({ state: 'success' }))
  const { body } = await world.root.get(`${inProject}/jobs/${payload.id}`)
  return { inProject, job: `${inProject}/jobs/${payload.id}`, pipeline: `${inProject}/pipelines/${body.pipeline.id}` }
}

const schedule = (description: string) => ({ description, ref: 'main', cron: '0 1 * * *' })
const variable = (key: string) => ({ key, value: 'value' })

const runnerByToken: Maker = async ({ server }) => {
  const { token } = await makeRunner(server)
  return { path: '/runners', as: server.anonymous, body: { token } }
}

const runnerManager: Maker = async ({ server }) => {
  const { token } = await makeRunner(server)
  made(await server.anonymous.post('/runners/verify', { token, system_id: 's_one' }))
  return { path: '/runners/managers', as: server.anonymous, body: { token, system_id: 's_one' } }
}

const assignedRunner: Maker = async (world) => {
  const other = await world.newProject()
  const { id } = await makeRunner(world.server, { runner_type: 'project_type', project_id: other.id })
  await world.post(`${world.inProject}/runners`, { runner_id: id })
  return `${world.inProject}/runners/${id}`
}

const alertImage: Maker = async (world) => {
  const { id } = await world.newProject()
  const integrations = `/projects/${id}/alert_management_integrations`
  const { url, token } = await world.post(integrations, named(world.name()))
  made(await deliver(url, token, { title: 'a' }))
  return metricImage(world, `/projects/${id}/alert_management_alerts/1/metric_images`)
}

const incidentImage: Maker = async (world) => {
  const issues = `${world.inProject}/issues`
  const { iid } = await world.post(issues, { ...titled(world.name()), issue_type: 'incident' })
  return metricImage(world, `${issues}/${iid}/metric_images`)
}

async function metricImage(world: World, images: string): Promise<string> {
  const form = new FormData()
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  form.set('file', new Blob([Buffer.from(png, 'base64')]), 'a.png')
  return `${images}/${(await world.post(images, form)).id}`
}

/** The address of an image repository with one image. */
async function newImages(world: World): Promise<string> {
  const rows = registryRows(world.server)
  const id = await rows.repository(world.project, world.name())
  await rows.image(id, world.name(), { tags: ['v1'] })
  return `${world.inProject}/registry/repositories/${id}`
}

const protectionRule = (path: string) => ({
  repository_path_pattern: path,
  minimum_access_level_for_push: 'maintainer',
})

/** Makers by the id of the operation. */
export const workMakers: Readonly<Record<string, Maker>> = {
  'protected_branches.delete': posted(below(project, 'protected_branches'), named, 'name'),
  'group_protected_branches.delete': posted(below(group, 'protected_branches'), named, 'name'),
  'protected_tags.delete': posted(below(project, 'protected_tags'), named, 'name'),
  'branches.delete': async (world) => `${world.inProject}/repository/branches/${await newBranch(world)}`,
  'branches.delete_merged': async (world) => `${world.inProject}/repository/merged_branches`,
  'project_push_rules.delete': async (world) => {
    const path = `/projects/${(await world.newProject()).id}/push_rule`
    await world.post(path, {})
    return path
  },
  'group_push_rules.delete': async (world) => {
    const path = `/groups/${(await world.newGroup()).id}/push_rule`
    await world.post(path, {})
    return path
  },
  'remote_mirrors.delete': posted(below(project, 'remote_mirrors'), (name) => ({ url: `https://${name}.test/x.git` })),
  'tags.delete': tag,
  'releases.delete': newRelease,
  'release_links.delete': inNew(
    async (world) => `${await newRelease(world)}/assets/links`,
    (name) => ({ name, url: `https://${name}.test` }),
  ),
  'files.delete': file,
  'project_deploy_keys.delete': posted(below(project, 'deploy_keys'), (title) => ({ title, key: newSshKey() })),
  'pipelines.delete': async (world) => (await newJob(world)).pipeline,
  'job_artifacts.delete': async (world) => `${(await newJob(world)).job}/artifacts`,
  'job_artifacts.delete_of_project': async (world) => `${(await newJob(world)).inProject}/artifacts`,
  'triggers.delete': posted(below(project, 'triggers'), (description) => ({ description })),
  'runners.delete': async ({ server }) => `/runners/${(await makeRunner(server)).id}`,
  'project_runners.unassign': assignedRunner,
  'runners.unregister': runnerByToken,
  'runners.unregister_manager': runnerManager,
  'merge_requests.delete': newMergeRequest,
  'approval_rules.delete': posted(below(project, 'approval_rules'), (name) => ({ name, approvals_required: 1 })),
  'context_commits.remove': async (world) => {
    const path = `${await newMergeRequest(world)}/context_commits`
    const sha = (await newCommit(world)).split('/').at(-1)
    await world.post(path, { commits: [sha] })
    return `${path}?commits=${sha}`
  },
  'merge_request_blocks.delete': async (world) => {
    const path = `${await newMergeRequest(world)}/blocks`
    const { body: blocking } = await world.root.get(await newMergeRequest(world))
    return `${path}/${(await world.post(path, { blocking_merge_request_id: blocking.id })).id}`
  },
  'merge_request_approval_rules.delete': inNew(
    async (world) => `${await newMergeRequest(world)}/approval_rules`,
    (name) => ({ name, approvals_required: 1 }),
  ),
  'project_wikis.delete': wikiPage(project),
  'group_wikis.delete': wikiPage(group),
  'snippets.delete': posted(() => '/snippets', snippet),
  'project_snippets.delete': posted(below(project, 'snippets'), snippet),
  'project_registry.delete_tag': async (world) => `${await newImages(world)}/tags/v1`,
  'dependency_proxy.purge': async (world) => `${group(world)}/dependency_proxy/cache`,
  'project_registry.delete': newImages,
  'project_registry.delete_tags': async (world) => `${await newImages(world)}/tags?name_regex_delete=.*`,
  'container_protection_rules.delete': async (world) => {
    const path = `${world.inProject}/registry/protection/repository/rules`
    const { id } = await world.post(path, protectionRule(`${world.project.full_path}/${world.name()}`))
    return `${path}/${id}`
  },
  'container_tag_rules.delete': async (world) => {
    const path = `${world.inProject}/registry/protection/tag/rules`
    const levels = { minimum_access_level_for_push: 'owner', minimum_access_level_for_delete: 'owner' }
    return `${path}/${(await world.post(path, { tag_name_pattern: world.name(), ...levels })).id}`
  },
  'npm_packages.delete_dist_tag': distTag(({ inProject }) => `${inProject}/`),
  'group_npm_packages.delete_dist_tag': distTag(({ inGroup }) => `${inGroup}/-/`),
  'instance_npm_packages.delete_dist_tag': distTag(() => '/'),
  'packages.delete': newPackage,
  'package_files.delete': async (world) => {
    const path = `${await newPackage(world)}/package_files`
    const [file] = made(await world.root.get(path))
    return `${path}/${file.id}`
  },
  'package_rules.delete': posted(below(project, 'packages/protection/rules'), (name) => ({
    ...{ package_name_pattern: name, package_type: 'generic', minimum_access_level_for_push: 'owner' },
  })),
  'project_variables.delete': posted(below(project, 'variables'), variable, 'key'),
  'group_variables.delete': posted(below(group, 'variables'), variable, 'key'),
  'instance_variables.delete': posted(() => '/admin/ci/variables', variable, 'key'),
  'error_tracking_keys.delete': async (world) => {
    const keys = `${world.inProject}/error_tracking/client_keys`
    return `${keys}/${(await world.post(keys)).id}`
  },
  'secure_files.delete': secureFile,
  'cluster_agents.delete': clusterAgent,
  'cluster_agent_tokens.revoke': async (world) => {
    const tokens = `${await clusterAgent(world)}/tokens`
    return `${tokens}/${(await world.post(tokens, { name: world.name() })).id}`
  },
  'terraform_states.delete': terraformState,
  'terraform_states.unlock': async (world) => `${await terraformState(world)}/lock`,
  'terraform_state_versions.delete': async (world) => `${await terraformState(world)}/versions/1`,
  'feature_flags.delete': posted(below(project, 'feature_flags'), named, 'name'),
  'feature_flag_user_lists.delete': posted(
    below(project, 'feature_flags_user_lists'),
    (name) => ({ name, user_xids: '' }),
    'iid',
  ),
  'pipeline_schedules.delete': posted(below(project, 'pipeline_schedules'), schedule),
  'pipeline_schedule_variables.delete': inNew(
    async (world) => `${await posted(below(project, 'pipeline_schedules'), schedule)(world)}/variables`,
    variable,
    'key',
  ),
  'alert_integrations.delete': posted(below(project, 'alert_management_integrations'), named),
  'alert_metric_images.delete': alertImage,
  'incident_metric_images.delete': incidentImage,
  'project_badges.delete': posted(below(project, 'badges'), badge),
  'group_badges.delete': posted(below(group, 'badges'), badge),
  'project_labels.delete': posted(below(project, 'labels'), label),
  'group_labels.delete': posted(below(group, 'labels'), label),
  'project_labels.delete_named': labelByName(project),
  'group_labels.delete_named': labelByName(group),
  'project_milestones.delete': posted(below(project, 'milestones'), titled),
  'group_milestones.delete': posted(below(group, 'milestones'), titled),
  ...boardMakers('project', project),
  ...boardMakers('group', group),
  'epics.delete': posted(below(group, 'epics'), titled, 'iid'),
  'epic_issues.remove': epicIssue,
  'epic_children.remove': epicChild,
  'epic_links.delete': epicLink,
  'iterations.delete': posted(below(group, 'iterations'), iteration),
  'iteration_cadences.delete': posted(below(group, 'iteration_cadences'), (title) => ({ title, automatic: false })),
  'issues.delete': newIssue,
  'issue_links.delete': issueLink,
  'project_uploads.delete': upload(project, false),
  'project_uploads.delete_by_secret': upload(project, true),
  'group_uploads.delete': upload(group, false),
  'group_uploads.delete_by_secret': upload(group, true),
}
