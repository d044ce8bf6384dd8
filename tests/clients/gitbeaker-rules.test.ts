import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sshKeyPair, startTestServer, type TestServer, temporaryDirectory } from '../../src/testing/index.ts'
import * as shapes from './gitbeaker-shapes.ts'
import { listOf, promised } from './promised.ts'

/** The acceptance walks of branches and keys (contract 01), releases, wikis, push rules and mirrors (22) with gitbeaker. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let root: Api
let api: Api
let theirs: Api
let id: number
let groupId: number
let developerId: number

beforeAll(async () => {
  server = await startTestServer()
  const maintainer = await server.user('maintainer')
  const developer = await server.user('developer')
  const namespace = await server.make.group('team', maintainer)
  const project = await server.make.project('p', maintainer, { namespace })
  await server.make.member({ project }, developer, 30)
  ;[id, groupId, developerId] = [project.id, namespace.id, developer.id]
  root = new Gitlab({ host: server.url, token: server.rootToken })
  api = new Gitlab({ host: server.url, token: maintainer.token })
  theirs = new Gitlab({ host: server.url, token: developer.token })
  await api.RepositoryFiles.create(id, 'README.md', 'main', 'hello\n', 'Add README.md')
})
afterAll(() => server?.stop())

/** What a refused call was answered: its status, and what the client made of the body. */
async function refusal(call: Promise<unknown>): Promise<[number | undefined, string]> {
  const error = await call.then(
    () => new Error('was not refused'),
    (reason: Error) => reason,
  )
  return [(error as { cause?: { response?: Response } }).cause?.response?.status, error.message]
}

const write = (by: Api, path: string, message = `Add ${path}`) =>
  by.RepositoryFiles.create(id, path, 'main', 'x', message)

describe('branches', () => {
  test('are made, found and removed', async () => {
    const made = await promised(shapes.branch, theirs.Branches.create(id, 'feature/a', 'main'))
    expect(made).toMatchObject({ name: 'feature/a', can_push: true, protected: false, default: false })
    expect(await refusal(theirs.Branches.create(id, 'feature/a', 'main'))).toEqual([400, 'Branch already exists'])
    expect(await refusal(theirs.Branches.create(id, 'a..b', 'main'))).toEqual([400, 'Branch name is invalid'])
    expect(await refusal(theirs.Branches.create(id, 'x', 'nope'))).toEqual([400, 'Invalid reference name: nope'])
    const paged = await api.Branches.all(id, { pagination: 'keyset', perPage: 1 })
    expect(paged.map(({ name }) => name)).toEqual(['feature/a', 'main'])
    expect((await api.Branches.all(id, { regex: '^fea' })).map(({ name }) => name)).toEqual(['feature/a'])
    const sentence = 'The default branch of a project cannot be deleted.'
    expect(await refusal(theirs.Branches.remove(id, 'main'))).toEqual([400, sentence])
    await theirs.Branches.remove(id, 'feature/a')
    expect(await refusal(theirs.Branches.show(id, 'feature/a'))).toEqual([404, '404 Branch Not Found'])
  })

  test('that are merged go', async () => {
    await api.Branches.create(id, 'merged', 'main')
    await write(api, 'later')
    expect((await api.Branches.show(id, 'merged')).merged).toBe(true)
    await api.Branches.removeMerged(id)
    await server.app.platform.jobs.drain()
    expect((await api.Branches.all(id)).map(({ name }) => name)).toEqual(['main'])
  })

  test('are protected', async () => {
    const [main] = await promised(listOf(shapes.protectedBranch), api.ProtectedBranches.all(id))
    expect(main).toMatchObject({ name: 'main', push_access_levels: [{ access_level: 40 }] })
    const options = { pushAccessLevel: 30 as const, allowForcePush: false }
    const made = await promised(shapes.protectedBranch, api.ProtectedBranches.create(id, 'release/*', options))
    const levels = [{ access_level: 30, access_level_description: 'Developers + Maintainers' }]
    expect(made).toMatchObject({ allow_force_push: false, push_access_levels: levels })
    const twice = api.ProtectedBranches.protect(id, 'release/*')
    expect(await refusal(twice)).toEqual([409, "Protected branch 'release/*' already exists"])
    const byList = await api.ProtectedBranches.create(id, 'listed', { allowedToPush: [{ userId: developerId }] })
    expect(byList.push_access_levels).toMatchObject([{ user_id: developerId, access_level: null }])
    const edited = await api.ProtectedBranches.edit(id, 'main', { allowedToPush: [{ userId: developerId }] })
    await promised(shapes.protectedBranch, edited)
    expect(edited.push_access_levels).toMatchObject([{ user_id: null }, { user_id: developerId }])
    await write(theirs, 'allowed')
    const entry = { id: edited.push_access_levels?.[1]?.id ?? 0, _destroy: true }
    await api.ProtectedBranches.edit(id, 'main', { allowedToPush: [entry] as never })
    expect(await refusal(write(theirs, 'no'))).toEqual([400, 'You are not allowed to push into this branch'])
    await promised(shapes.protectedBranch, api.ProtectedBranches.show(id, 'release/*'))
    expect((await refusal(theirs.ProtectedBranches.unprotect(id, 'release/*')))[0]).toBe(403)
    await api.ProtectedBranches.unprotect(id, 'release/*')
    expect((await refusal(api.ProtectedBranches.show(id, 'release/*')))[0]).toBe(404)
  })
})

test('deploy keys', async () => {
  await using folder = await temporaryDirectory()
  const { publicKey } = await sshKeyPair(folder.path, 'key')
  const made = await promised(shapes.deployKey, api.DeployKeys.create(id, 'a key', publicKey, { canPush: true }))
  expect(made).toMatchObject({ title: 'a key', can_push: true, key: publicKey })
  expect((await refusal(api.DeployKeys.create(id, 'bad', 'garbage')))[0]).toBe(400)
  const other = await api.Projects.create({ name: 'other', namespaceId: groupId })
  expect(await promised(shapes.deployKey, api.DeployKeys.enable(other.id, made.id))).toMatchObject({ can_push: false })
  const edited = await promised(shapes.deployKey, api.DeployKeys.edit(id, made.id, { canPush: false, title: 'b key' }))
  expect(edited).toMatchObject({ title: 'b key', can_push: false })
  await promised(shapes.deployKey, api.DeployKeys.show(id, made.id))
  expect(await promised(listOf(shapes.deployKey), api.DeployKeys.all({ projectId: id }))).toHaveLength(1)
  expect((await api.DeployKeys.all({ userId: 'maintainer' })).map((key) => key.id)).toEqual([made.id])
  const [everywhere] = await root.DeployKeys.all()
  expect(everywhere).toMatchObject({ projects_with_write_access: [], projects_with_readonly_access: [{}, {}] })
  expect(await root.Keys.show({ keyId: made.id })).toMatchObject({ id: made.id, deploy_keys_projects: [{}, {}] })
  await api.DeployKeys.remove(id, made.id)
  await api.DeployKeys.remove(other.id, made.id)
  expect(await root.DeployKeys.all()).toEqual([])
})

test('push rules of projects and groups', async () => {
  const options = { commitMessageRegex: '^Add', maxFileSize: 1 }
  const made = await promised(shapes.pushRule, api.ProjectPushRules.create(id, options))
  expect(made).toMatchObject({ commit_message_regex: '^Add', max_file_size: 1 })
  expect(await refusal(api.ProjectPushRules.create(id, options))).toEqual([422, 'Project push rule exists'])
  const sentence = "Commit message does not follow the pattern '^Add'"
  expect(await refusal(write(api, 'ruled', 'wrong'))).toEqual([400, sentence])
  await promised(shapes.pushRule, api.ProjectPushRules.edit(id, { commitMessageRegex: '' }))
  const wrong = api.ProjectPushRules.edit(id, { commitMessageRegex: '(' })
  expect(await refusal(wrong)).toEqual([400, '{"commit_message_regex":["is not a valid regexp"]}'])
  await promised(shapes.pushRule, api.ProjectPushRules.show(id))
  await api.ProjectPushRules.remove(id)
  expect(await api.ProjectPushRules.show(id)).toEqual({})
  await promised(shapes.pushRule, api.GroupPushRules.create(groupId, { preventSecrets: true }))
  await promised(shapes.pushRule, api.GroupPushRules.edit(groupId, { memberCheck: true }))
  const shown = await promised(shapes.pushRule, api.GroupPushRules.show(groupId))
  expect(shown).toMatchObject({ prevent_secrets: true, member_check: true })
  await api.GroupPushRules.remove(groupId)
  expect((await refusal(api.GroupPushRules.show(groupId)))[0]).toBe(404)
})

describe('releases', () => {
  test('are made, listed, changed and removed', async () => {
    const assets = { links: [{ name: 'first', url: 'https://example.com/1', linkType: 'image' }] }
    const options = { tagName: 'r1', ref: 'main', name: 'One', description: '**bold**', assets }
    const made = await promised(shapes.release, api.ProjectReleases.create(id, options))
    expect(made.assets.links).toMatchObject([{ name: 'first', link_type: 'image' }])
    expect((await api.Tags.show(id, 'r1')).release).toEqual({ tag_name: 'r1', description: '**bold**' })
    expect(await refusal(api.ProjectReleases.create(id, options))).toEqual([409, 'Release already exists'])
    const sentence = 'Ref is not specified'
    expect(await refusal(api.ProjectReleases.create(id, { tagName: 'r2' }))).toEqual([422, sentence])
    const html = { includeHtmlDescription: true as const }
    const [listed] = await promised(listOf(shapes.release), api.ProjectReleases.all(id, html))
    expect(listed?.description_html).toContain('<strong>bold</strong>')
    const edited = api.ProjectReleases.edit(id, 'r1', { name: 'Two', releasedAt: '2030-01-01T00:00:00Z' })
    expect((await promised(shapes.release, edited)).name).toBe('Two')
    expect((await promised(shapes.release, api.ProjectReleases.showLatest(id))).tag_name).toBe('r1')
    await api.ProjectReleases.createEvidence(id, 'r1')
    await server.app.platform.jobs.drain()
    const shown = await promised(shapes.release, api.ProjectReleases.show(id, 'r1'))
    expect(shown.evidences?.length).toBeGreaterThan(0)
    expect(await promised(listOf(shapes.release), api.GroupReleases.all(groupId))).toHaveLength(1)
  })

  test('have links', async () => {
    const options = { directAssetPath: '/bin/b', linkType: 'package' }
    const making = api.ReleaseLinks.create(id, 'r1', 'binary', 'https://example.com/b', options)
    const made = await promised(shapes.releaseLink, making)
    expect(made.direct_asset_url).toBe(`${server.url}/team/p/-/releases/r1/downloads/bin/b`)
    const twice = api.ReleaseLinks.create(id, 'r1', 'binary', 'https://example.com/c')
    expect(await refusal(twice)).toEqual([400, '{"name":["has already been taken"]}'])
    const edited = api.ReleaseLinks.edit(id, 'r1', made.id, { name: 'renamed' })
    expect((await promised(shapes.releaseLink, edited)).name).toBe('renamed')
    await promised(shapes.releaseLink, api.ReleaseLinks.show(id, 'r1', made.id) as never)
    expect(await promised(listOf(shapes.releaseLink), api.ReleaseLinks.all(id, 'r1'))).toHaveLength(2)
    await api.ReleaseLinks.remove(id, 'r1', made.id)
    expect((await refusal(api.ReleaseLinks.show(id, 'r1', made.id)))[0]).toBe(404)
    await api.ProjectReleases.remove(id, 'r1')
    expect((await refusal(api.ProjectReleases.show(id, 'r1')))[0]).toBe(404)
    expect((await api.Tags.show(id, 'r1')).release).toBeNull()
  })
})

test.each(['project', 'group'] as const)('the wiki of a %s', async (kind) => {
  const [wikis, place] = kind === 'project' ? [api.ProjectWikis, id] : [api.GroupWikis, groupId]
  const made = await promised(shapes.wikiPage, wikis.create(place, '# text\n', 'a dir/b page'))
  expect(made).toMatchObject({ slug: 'a-dir/b-page', title: 'b page', format: 'markdown' })
  expect((await refusal(wikis.create(place, 'x', 'a dir/b page')))[0]).toBe(400)
  const edited = await promised(shapes.wikiPage, wikis.edit(place, made.slug, { content: 'changed\n' }))
  expect(edited.content).toBe('changed\n')
  expect((await wikis.show(place, made.slug, { renderHtml: true })).content).toContain('<p')
  expect(await wikis.all(place)).toEqual([expect.not.objectContaining({ content: 'changed\n' })])
  expect(await promised(listOf(shapes.wikiPage), wikis.all(place, { withContent: true }))).toHaveLength(1)
  const image = { content: new Blob(['bytes']), filename: 'image.png' }
  const attached = await promised(shapes.attachment, wikis.uploadAttachment(place, image))
  expect(attached.file_path).toMatch(/^uploads\/[0-9a-f]{32}\/image\.png$/)
  const moved = await promised(shapes.wikiPage, wikis.edit(place, made.slug, { title: 'moved' }))
  expect(moved.slug).toBe('a-dir/moved')
  await wikis.remove(place, moved.slug)
  expect(await refusal(wikis.show(place, moved.slug))).toEqual([404, '404 Wiki Page Not Found'])
})

test('mirrors to push to', async () => {
  await root.ApplicationSettings.edit({ allowLocalRequestsFromWebHooksAndServices: true } as never)
  const target = await api.Projects.create({ name: 'target', namespaceId: groupId })
  const address = `${server.url.replace('://', `://root:${server.rootToken}@`)}/team/target.git`
  const options = { enabled: true, keepDivergentRefs: true }
  const made = await promised(shapes.remoteMirror, api.ProjectRemoteMirrors.createPushMirror(id, address, options))
  expect(made).toMatchObject({ enabled: true, keep_divergent_refs: true, last_successful_update_at: null })
  expect(made.url).toBe(`${server.url.replace('://', '://*****:*****@')}/team/target.git`)
  expect((await refusal(api.ProjectRemoteMirrors.createPushMirror(id, 'file:///etc')))[0]).toBe(400)
  await api.ProjectRemoteMirrors.sync(id, made.id)
  await server.app.platform.jobs.drain()
  const shown = await promised(shapes.remoteMirror, api.ProjectRemoteMirrors.show(id, made.id))
  expect(shown).toMatchObject({ update_status: 'finished', last_error: null })
  expect((await api.Branches.show(target.id, 'main')).commit.id).toBe((await api.Branches.show(id, 'main')).commit.id)
  expect(await promised(listOf(shapes.remoteMirror), api.ProjectRemoteMirrors.all(id))).toHaveLength(1)
  await api.ProjectRemoteMirrors.remove(id, made.id)
  expect(await api.ProjectRemoteMirrors.all(id)).toEqual([])
})
