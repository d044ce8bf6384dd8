import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlace, openRequest, type Place, textWith } from '../../src/modules/merge-requests/testing.ts'
import type { NamespaceRow } from '../../src/modules/namespaces/index.ts'
import { type Person, startTestServer, type TestServer } from '../../src/testing/index.ts'
import { refusal } from './gitbeaker-refusal.ts'

/**
 * The acceptance walk of collaboration (contract 25) with gitbeaker. This client has wrong paths for imports from S3 and for new member roles
 * of a group, misspells the path of the appearance, and has no method for integrations of groups, for links by a filter and for GraphQL.
 */
type Api = InstanceType<typeof Gitlab<false>>

let server: TestServer
let owner: Person
let group: NamespaceRow
let place: Place
let root: Api
let api: Api
let maintains: Api
let theirs: Api
let strangers: Api
let id: number

const signedIn = (token: string) => new Gitlab({ host: server.url, token })
const drain = () => server.app.platform.jobs.drain()

beforeAll(async () => {
  server = await startTestServer()
  await server.root.put('/application/settings', {
    ...{ search_rate_limit: 0, project_export_limit: 0, project_download_export_limit: 0, project_import_limit: 0 },
    ...{ group_export_limit: 0, group_download_export_limit: 0, group_import_limit: 0 },
    import_sources: ['gitlab_project'],
  })
  owner = await server.user('leader')
  group = await server.make.group('together', owner)
  place = await makePlace(server, { namespace: group })
  id = place.project.id
  root = signedIn(server.rootToken)
  api = signedIn(owner.token)
  maintains = signedIn(place.maintainer.token)
  theirs = signedIn(place.developer.token)
  strangers = signedIn((await server.user('stranger')).token)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.root.put('/application/settings', { search_rate_limit: 30 })
  await server.stop()
})

test.each([
  ['a project', () => maintains.ProjectIssueBoards, () => id],
  ['a group', () => api.GroupIssueBoards, () => group.id],
] as const)('boards of %s', async (_kind, boardsOf, parentOf) => {
  const [boards, parent] = [boardsOf(), parentOf()]
  const { name } = await api.GroupLabels.create(group.id, `first of ${parent}`, '#ff0000')
  const labels = [
    await api.GroupLabels.show(group.id, name),
    await api.GroupLabels.create(group.id, `${parent}`, 'red'),
  ]
  const board = await boards.create(parent, 'b')
  expect(board).toMatchObject({ name: 'b', lists: [] })
  const [first, second] = labels.map(({ id: labelId }) => boards.createList(parent, board.id, { labelId }))
  expect(await first).toMatchObject({ position: expect.any(Number), label: { name } })
  await second
  expect(await refusal(boards.createList(parent, board.id, { labelId: labels[0]?.id as number }))).toBe(400)
  const lists = await boards.allLists(parent, board.id)
  const [, last] = lists
  await boards.editList(parent, board.id, last?.id ?? 0, 0)
  expect((await boards.allLists(parent, board.id)).map((list) => list.id)).toEqual(
    lists.map((list) => list.id).reverse(),
  )
  expect(await refusal(boards.editList(parent, board.id, last?.id ?? 0, 9))).toBe(400)
  expect(await boards.edit(parent, board.id, { name: 'renamed' })).toMatchObject({ name: 'renamed' })
  await boards.removeList(parent, board.id, last?.id ?? 0)
  expect((await boards.show(parent, board.id)).lists).toHaveLength(1)
  await boards.remove(parent, board.id)
  expect(await refusal(boards.show(parent, board.id))).toBe(404)
})

test('badges', async () => {
  const { ProjectBadges: badges, GroupBadges } = api
  const made = await badges.add(id, 'https://x/%{project_id}', 'https://x/i.svg', { name: 'b' })
  expect(made).toMatchObject({ name: 'b', kind: 'project', rendered_link_url: `https://x/${id}` })
  expect(await refusal(badges.add(id, 'ftp://x', 'https://x/i.svg'))).toBe(400)
  const above = await GroupBadges.add(group.id, 'https://x/', 'https://x/g.svg')
  expect((await badges.all(id)).map((badge) => badge.kind)).toEqual(['group', 'project'])
  expect(await refusal(badges.remove(id, above.id))).toBe(403)
  expect(await badges.preview(id, 'https://x/%{project_id}', 'https://x/i.svg')).toMatchObject({
    rendered_link_url: `https://x/${id}`,
  })
  expect(await badges.edit(id, made.id, { linkUrl: 'https://x/new' })).toMatchObject({ link_url: 'https://x/new' })
  await badges.remove(id, made.id)
  await GroupBadges.remove(group.id, above.id)
  expect(await badges.all(id)).toEqual([])
})

describe('a search', () => {
  test('finds what the caller may read, in all scopes', async () => {
    const { iid } = await theirs.Issues.create(id, 'A needle of an issue')
    await theirs.IssueNotes.create(id, iid, 'A needle of a note')
    await maintains.ProjectMilestones.create(id, 'A needle of a milestone')
    await openRequest(place, 'sought', { 'hay.rb': 'one\ntwo\nneedle\n' }, { title: 'A needle of a request' })
    await maintains.RepositoryFiles.create(id, 'hay.rb', 'main', 'one\nNeedle\n', 'A needle of a commit')
    await maintains.ProjectWikis.create(id, 'A needle of a page', 'Sought')
    await drain()
    for (const scope of [
      'issues',
      'merge_requests',
      'milestones',
      'notes',
      'commits',
      'blobs',
      'wiki_blobs',
    ] as const) {
      for (const where of [{ projectId: id }, { groupId: group.id }, {}]) {
        expect([scope, where, await theirs.Search.all(scope as 'issues', 'needle', where)]).toMatchObject([
          scope,
          where,
          [{ project_id: id }],
        ])
      }
      expect([scope, await strangers.Search.all(scope as 'issues', 'needle')]).toEqual([scope, []])
    }
    const [blob] = await theirs.Search.all('blobs', 'NEEDLE', { projectId: id })
    expect(blob).toMatchObject({ path: 'hay.rb', startline: 1, ref: 'main', data: 'one\nNeedle\n' })
    const [user] = await theirs.Search.all('users', 'Administrator')
    expect(user).toMatchObject({ id: 1 })
    expect(await theirs.Search.all('projects', place.project.path)).toMatchObject([{ id }])
    expect(await refusal(theirs.Search.all('nope' as 'users', 'x'))).toBe(400)
  })
})

test('Markdown', async () => {
  expect((await theirs.Markdown.render('foo')).html).toContain('foo')
  const options = { gfm: 'true', project: place.project.full_path }
  expect((await theirs.Markdown.render('#1', options)).html).toContain('<a ')
  expect(await refusal(strangers.Markdown.render('#1', options))).toBe(404)
})

test('notification settings', async () => {
  const { NotificationSettings: settings } = theirs
  expect(await settings.show()).toMatchObject({ level: 'participating' })
  expect(await settings.edit({ level: 'watch' })).toMatchObject({ level: 'watch' })
  const custom = await settings.edit({ projectId: id, level: 'custom', newNote: true })
  expect(custom).toMatchObject({ level: 'custom', events: { new_note: true } })
  expect(await settings.edit({ groupId: group.id, level: 'mention' })).toMatchObject({ level: 'mention' })
  expect(await refusal(settings.edit({ level: 'foo' }))).toBe(400)
})

test('suggestions', async () => {
  const { iid, diff_refs } = await openRequest(place, 'reviewed', { 'a.txt': textWith(4, 'changed') })
  const ofLine = async (line: number, fence = '```') => {
    const position = { ...diff_refs, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt', new_line: line }
    const at = `${place.at}/${iid}/discussions`
    const lines = line === 5 ? {} : { old_line: line }
    const { body } = await place.developer.post(at, {
      body: `${fence}suggestion\nsuggested ${line}\n${fence}`,
      position: { ...position, ...lines },
    })
    return body.notes[0].suggestions[0].id as number
  }
  const [one, two, three] = [await ofLine(5), await ofLine(3), await ofLine(8)]
  expect(await refusal(signedIn(place.guest.token).Suggestions.edit(one))).toBe(403)
  expect(await theirs.Suggestions.edit(one, { commitMessage: 'Apply' })).toMatchObject({ applied: true })
  expect(await refusal(theirs.Suggestions.edit(one))).toBe(400)
  expect(await theirs.Suggestions.editBatch([two, three])).toMatchObject([{ applied: true }, { applied: true }])
  const content = await theirs.RepositoryFiles.showRaw(id, 'a.txt', 'reviewed')
  expect(content).toMatch(/line 1\nsuggested 3\nline 3\nsuggested 5\n/)
})

test('integrations', async () => {
  const { Integrations: integrations } = maintains
  expect(await refusal(integrations.edit(id, 'asana'))).toBe(400)
  const made = await integrations.edit(id, 'asana', { apiKey: 'k' } as never)
  expect(made).toMatchObject({ slug: 'asana', active: true })
  expect(made.properties).not.toHaveProperty('api_key')
  expect(await integrations.all(id)).toMatchObject([{ slug: 'asana' }])
  expect(await refusal(integrations.show(id, 'jira'))).toBe(404)
  await integrations.disable(id, 'asana')
  expect(await integrations.show(id, 'asana')).toMatchObject({ active: false })
  expect(await refusal(theirs.Integrations.all(id))).toBe(403)
})

test('an export and an import of a project', async () => {
  const { ProjectImportExports: archives } = api
  await archives.scheduleExport(id, undefined as never)
  await drain()
  expect(await archives.showExportStatus(id)).toMatchObject({ export_status: 'finished' })
  const content = await archives.download(id)
  const namespace = group.full_path
  const made = await archives.import({ content, filename: 'p.tar.gz' }, 'copy', { namespace })
  expect(made).toMatchObject({ import_status: 'scheduled' })
  await drain()
  expect(await archives.showImportStatus(made.id)).toMatchObject({ import_status: 'finished', import_error: null })
  const issues = async (projectId: number) => (await api.Issues.all({ projectId })).map(({ title }) => title)
  expect(await issues(made.id)).toEqual(await issues(id))
  expect((await issues(id)).length).toBeGreaterThan(0)
  expect(await refusal(archives.import({ content, filename: 'p.tar.gz' }, 'copy', { namespace }))).toBe(400)
  expect(await refusal(archives.importRemote('ftp://w/u', 'far', { namespace }))).toBe(400)
})

test('an export and an import of a group', async () => {
  const { GroupImportExports: archives } = api
  await archives.scheduleExport(group.id)
  await drain()
  const content = await archives.download(group.id)
  await archives.import({ content, filename: 'g.tar.gz' }, 'again', { name: 'Again' })
  await drain()
  const labels = async (of: string | number) => (await api.GroupLabels.all(of, {})).map(({ name }) => name)
  expect(await labels('again')).toEqual(await labels(group.id))
})

test('member roles and links of groups', async () => {
  const { body } = await owner.post(`/groups/${group.id}/member_roles`, { base_access_level: 10, read_code: true })
  expect(await api.GroupMemberRoles.all(group.id, {})).toMatchObject([{ id: body.id, read_code: true }])
  await api.GroupMemberRoles.remove(group.id, body.id)
  const { GroupLDAPLinks: ldap, GroupSAMLLinks: saml } = api
  await ldap.add(group.id, 30, 'ldapmain', { cn: 'devs' })
  expect(await ldap.all(group.id, {})).toMatchObject([{ cn: 'devs', group_access: 30 }])
  expect(await refusal(ldap.sync(group.id))).toBe(404)
  await ldap.remove(group.id, 'ldapmain', { cn: 'devs' })
  expect(await refusal(ldap.all(group.id, {}))).toBe(404)
  expect(await saml.create(group.id, 'devs', 30)).toMatchObject({ name: 'devs', access_level: 30 })
  expect(await saml.show(group.id, 'devs', {})).toMatchObject({ name: 'devs' })
  expect(await saml.all(group.id, {})).toHaveLength(1)
  await saml.remove(group.id, 'devs')
  expect(await refusal(saml.show(group.id, 'devs', {}))).toBe(404)
})

test('metrics and migrations', async () => {
  expect(await root.SidekiqMetrics.compoundMetrics()).toMatchObject({ queues: { default: {} }, jobs: {} })
  expect(await root.SidekiqMetrics.queueMetrics()).toMatchObject({ queues: { default: { backlog: 0 } } })
  expect(await refusal(api.SidekiqMetrics.jobStats())).toBe(403)
  await root.ApplicationSettings.edit({ bulkImportEnabled: true } as never)
  expect(await api.Migrations.all()).toEqual([])
  expect(await api.Migrations.allEntities()).toEqual([])
  const entity = { sourceType: 'group_entity', sourceFullPath: 'g', destinationSlug: 'm', destinationNamespace: '' }
  expect(await refusal(api.Migrations.create({ url: 'ftp://x', access_token: 'x' }, [entity]))).toBe(422)
  expect(await refusal(api.Migrations.show(999_999))).toBe(404)
})
