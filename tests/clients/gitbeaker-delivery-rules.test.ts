import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWithDeployments } from '../../src/modules/environments/testing.ts'
import { refusal } from './gitbeaker-refusal.ts'

/**
 * The acceptance walk of delivery (contract 24, steps 7, 8, 10, 12 to 15) with gitbeaker: feature flags and lists of users, the scope of job
 * tokens, templates, resource groups, secure files, freeze periods.
 */
type Api = InstanceType<typeof Gitlab<false>>

const config = `
deploy: {script: x, resource_group: r, environment: {name: production}}
`

let at: Awaited<ReturnType<typeof startWithDeployments>>
let project: Awaited<ReturnType<typeof at.pushed>>
let api: Api
let theirs: Api
let id: number

beforeAll(async () => {
  at = await startWithDeployments()
  project = await at.pushed(config)
  id = project.project.id
  const { url: host } = at.server
  ;[api, theirs] = [new Gitlab({ host, token: at.maintainer.token }), new Gitlab({ host, token: at.developer.token })]
})
afterAll(() => at.server.stop())

test('of two jobs of a resource group one waits', async () => {
  const { ResourceGroups: groups } = api
  const second = await api.Pipelines.create(id, 'main')
  await at.drain()
  expect(await groups.all(id)).toMatchObject([{ key: 'r', process_mode: 'unordered' }])
  expect(await project.status('deploy', second.id)).toBe('waiting_for_resource')
  expect(await groups.allUpcomingJobs(id, 'r')).toMatchObject([{ name: 'deploy', pipeline: { id: second.id } }])
  expect(await groups.edit(id, 'r', { processMode: 'oldest_first' })).toMatchObject({ process_mode: 'oldest_first' })
  expect(await refusal(groups.edit(id, 'r', { processMode: 'x' }))).toBe(400)
  expect(await groups.show(id, 'r')).toMatchObject({ key: 'r', process_mode: 'oldest_first' })
  await project.run('deploy', 'success')
  expect(await project.status('deploy', second.id)).toBe('pending')
  expect(await groups.allUpcomingJobs(id, 'r')).toEqual([])
})

test('feature flags have strategies', async () => {
  const { FeatureFlags: flags } = theirs
  // The client writes the names of parameters as it does those of its own options, so those of strategies do not arrive.
  const strategies = [{ name: 'default', parameters: {}, scopes: [{ environment_scope: 'production' }] }]
  const made = await flags.create(id, 'f1', 'new_version_flag', { strategies } as never)
  expect(made).toMatchObject({
    name: 'f1',
    active: true,
    strategies: [{ name: 'default', scopes: [{ environment_scope: 'production' }] }],
  })
  expect(await refusal(flags.create(id, 'F1', 'new_version_flag'))).toBe(400)
  expect(await refusal(flags.create(id, 'f2', 'x'))).toBe(400)
  expect(await flags.all(id, { scope: 'enabled' })).toHaveLength(1)
  expect(await flags.edit(id, 'f1', { name: 'f3', active: false } as never)).toMatchObject({
    name: 'f3',
    active: false,
  })
  expect(await refusal(flags.show(id, 'f1'))).toBe(404)
  expect(await flags.show(id, 'f3')).toMatchObject({ name: 'f3' })
  await flags.remove(id, 'f3')
  expect(await flags.all(id)).toEqual([])
})

test('lists of users', async () => {
  const { FeatureFlagUserLists: lists } = theirs
  const made = await lists.create(id, 'l', 'a,b')
  expect(made).toMatchObject({ name: 'l', user_xids: 'a,b' })
  expect(await refusal(lists.create(id, 'm', 'a,,b'))).toBe(400)
  expect(await lists.edit(id, made.iid, { name: 'n' })).toMatchObject({ name: 'n', user_xids: 'a,b' })
  expect(await lists.show(id, made.iid)).toMatchObject({ name: 'n' })
  const strategies = [{ name: 'gitlabUserList', parameters: {}, user_list_id: made.id }]
  await theirs.FeatureFlags.create(id, 'listed', 'new_version_flag', { strategies } as never)
  expect(await refusal(lists.remove(id, made.iid))).toBe(409)
  await theirs.FeatureFlags.remove(id, 'listed')
  await lists.remove(id, made.iid)
  expect(await lists.all(id)).toEqual([])
})

test('the scope of job tokens', async () => {
  const { ProjectJobTokenScopes: scopes } = api
  const other = (await at.pushed(config)).project
  expect(await scopes.show(id)).toMatchObject({ inbound_enabled: true })
  expect(await scopes.addToInboundAllowList(id, other.id)).toMatchObject({ target_project_id: other.id })
  expect(await refusal(scopes.addToInboundAllowList(id, other.id))).toBe(400)
  expect((await scopes.showInboundAllowList(id)).map((one) => one.id)).toEqual([id, other.id])
  await scopes.removeFromInboundAllowList(id, other.id)
  const group = await at.server.make.group('allowed', at.maintainer)
  expect(await scopes.addToGroupsAllowList(id, group.id)).toMatchObject({ target_group_id: group.id })
  expect(await scopes.showGroupsAllowList(id)).toMatchObject([{ id: group.id }])
  await scopes.removeFromGroupsAllowList(id, group.id)
  expect(await scopes.showGroupsAllowList(id)).toEqual([])
  expect(await refusal(theirs.ProjectJobTokenScopes.show(id))).toBe(403)
})

test('templates', async () => {
  expect((await api.GitLabCIYMLTemplates.all()).length).toBeGreaterThan(20)
  expect((await api.GitLabCIYMLTemplates.show('Nodejs')).content).toContain('script')
  // The client asks for those of the server at `templates/Licenses`, an address that no server has.
  const filled = { project: 'a', fullname: 'Jo Doe' }
  const license = await api.ProjectTemplates.show(id, 'licenses', 'bsd-2-clause', filled as never)
  expect(license.content).toContain('Jo Doe')
  expect(await refusal(api.ProjectTemplates.show(id, 'licenses', 'x'))).toBe(404)
  expect(await api.GitignoreTemplates.show('Node')).toMatchObject({ name: 'Node' })
  expect((await api.DockerfileTemplates.all()).length).toBeGreaterThan(0)
})

test('secure files', async () => {
  const { SecureFiles: files } = api
  const made = await files.create(id, 'key.jks', { content: new Blob(['secret bytes']), filename: 'key.jks' })
  expect(made).toMatchObject({ name: 'key.jks', checksum_algorithm: 'sha256' })
  expect(await files.show(id, String(made.id))).toMatchObject({ id: made.id })
  expect(await (await theirs.SecureFiles.download(id, made.id)).text()).toBe('secret bytes')
  const refused = theirs.SecureFiles.create(id, 'b.jks', { content: new Blob(['b']), filename: 'b.jks' })
  expect(await refusal(refused)).toBe(403)
  await files.remove(id, made.id)
  expect(await files.all(id)).toEqual([])
})

test('freeze periods', async () => {
  const { FreezePeriods: periods } = api
  const made = await periods.create(id, '0 0 * * *', '0 1 * * *', { cronTimezone: 'Europe/Berlin' })
  expect(made).toMatchObject({ freeze_start: '0 0 * * *', cron_timezone: 'Europe/Berlin' })
  expect(await refusal(periods.create(id, '61 * * * *', '0 1 * * *'))).toBe(400)
  expect(await periods.edit(id, made.id, { freezeEnd: '0 2 * * *' })).toMatchObject({ freeze_end: '0 2 * * *' })
  expect(await periods.show(id, made.id)).toMatchObject({ freeze_end: '0 2 * * *' })
  await periods.remove(id, made.id)
  expect(await periods.all(id)).toEqual([])
})
