import { describe, expect, test } from 'vitest'
import type { Person } from '../../../testing/index.ts'
import {
  developer,
  guest,
  help,
  lfs,
  mediaType,
  notFound,
  objectOf,
  outsider,
  owner,
  projectOfOwner,
  reporter,
  serveForTests,
  server,
} from '../testing.ts'

serveForTests()

const forbidden = () => ({ message: 'Access forbidden. Check your access level.', ...help() })

describe('access rights', () => {
  test('readers of the code download, users with push access upload', async () => {
    await projectOfOwner('roles')
    const object = objectOf()
    await lfs.put(owner, 'owner/roles', object)
    const path = 'owner/roles'
    const reads = async (person?: Person) => [
      (await lfs.batch(person, path, 'download', [object])).status,
      (await lfs.get(person, path, object)).status,
    ]
    const writes = async (person?: Person) => [
      (await lfs.batch(person, path, 'upload', [object])).status,
      (await lfs.put(person, path, object)).status,
    ]
    expect([await reads(developer), await writes(developer)]).toEqual([
      [200, 200],
      [200, 200],
    ])
    expect([await reads(reporter), await writes(reporter)]).toEqual([
      [200, 200],
      [403, 403],
    ])
    expect([await reads(guest), await writes(guest)]).toEqual([
      [403, 403],
      [403, 403],
    ])
    expect([await reads(outsider), await writes(outsider)]).toEqual([
      [404, 404],
      [404, 404],
    ])
    expect([await reads(), await writes()]).toEqual([
      [401, 401],
      [401, 401],
    ])
    expect(await lfs.batch(reporter, path, 'upload', [object])).toMatchObject({ body: forbidden() })
    expect(await lfs.batch(guest, path, 'download', [object])).toMatchObject({ body: forbidden() })
    expect(await lfs.batch(outsider, path, 'download', [object])).toMatchObject({ body: notFound() })
    const missing = await lfs.batch(undefined, 'owner/nothing', 'download', [object])
    for (const answer of [missing, await lfs.batch(undefined, path, 'download', [object])]) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('lfs-authenticate')).toBe('Basic realm="GitLab"')
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="GitLab"')
      expect(answer.headers.get('content-type')).toBe(mediaType)
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^HTTP Basic: Access denied\./), ...help() })
    }
  })

  test('all users read a public project, only members write to it', async () => {
    await projectOfOwner('common', 'public')
    const object = objectOf()
    expect((await lfs.batch(undefined, 'owner/common', 'upload', [object])).status).toBe(401)
    expect((await lfs.put(undefined, 'owner/common', object)).status).toBe(401)
    expect((await lfs.batch(outsider, 'owner/common', 'upload', [object])).status).toBe(403)
    expect((await lfs.batch(undefined, 'owner/common', 'download', [object])).status).toBe(200)
  })

  test('requests need the scopes and valid credentials', async () => {
    await projectOfOwner('scopes')
    const object = objectOf()
    const as = async (scopes: string[]) => ({ username: 'x', token: await server.make.token(owner, scopes) })
    const statuses = async (scopes: string[]) => {
      const login = await as(scopes)
      const operations = ['download', 'upload']
      return Promise.all(operations.map(async (one) => (await lfs.batch(login, 'owner/scopes', one, [object])).status))
    }
    expect(await statuses(['read_repository'])).toEqual([200, 403])
    expect(await statuses(['write_repository'])).toEqual([200, 200])
    expect(await statuses(['read_api'])).toEqual([403, 403])
    for (const token of ['wrong', '', 'glfs-x.y', `glfs-${'A'.repeat(20)}.${'B'.repeat(43)}`]) {
      const answer = await lfs.batch({ username: 'owner', token }, 'owner/scopes', 'download', [object])
      expect(answer.status, token).toBe(401)
    }
    for (const authorization of ['Bearer x', 'Basic', 'Basic ???']) {
      expect((await lfs.batch({ authorization }, 'owner/scopes', 'download', [object])).status).toBe(401)
    }
  })

  test('a deploy token reads', async () => {
    const made = await projectOfOwner('deploy')
    const object = objectOf()
    await lfs.put(owner, 'owner/deploy', object)
    const wanted = { name: 'reader', scopes: ['read_repository'] }
    const { body } = await owner.post(`/projects/${made.id}/deploy_tokens`, wanted)
    expect((await lfs.get(body, 'owner/deploy', object)).status).toBe(200)
    expect((await lfs.batch(body, 'owner/deploy', 'upload', [object])).status).toBe(403)
    const locked = await lfs.ask(body, 'owner/deploy.git/info/lfs/locks', { body: { path: 'a' } })
    expect(locked.status).toBe(403)
  })

  test('archived projects refuse uploads, and uploads create no project', async () => {
    const made = await projectOfOwner('archived')
    const object = objectOf()
    await lfs.put(owner, 'owner/archived', object)
    await owner.post(`/projects/${made.id}/archive`)
    expect((await lfs.get(reporter, 'owner/archived', object)).status).toBe(200)
    expect(await lfs.put(owner, 'owner/archived', object)).toMatchObject({ status: 403, body: forbidden() })
    expect((await lfs.batch(owner, 'owner/unmade', 'upload', [object])).status).toBe(404)
    expect((await lfs.put(owner, 'owner/unmade', object)).status).toBe(404)
    expect((await owner.get('/projects/owner%2Funmade')).status).toBe(404)
  })

  test('uploads are refused during maintenance, downloads are not', async () => {
    await projectOfOwner('maintained')
    const object = objectOf()
    await server.root.put('/application/settings', { maintenance_mode: true, maintenance_mode_message: 'Back soon' })
    const upload = await lfs.batch(owner, 'owner/maintained', 'upload', [object])
    const download = await lfs.batch(owner, 'owner/maintained', 'download', [object])
    await server.root.put('/application/settings', { maintenance_mode: false })
    expect(upload).toMatchObject({ status: 503, body: { message: expect.stringContaining('Back soon') } })
    expect(download.status).toBe(200)
  })

  test('all requests are refused where LFS is disabled, in the project or in a group above it', async () => {
    const made = await projectOfOwner('off')
    const object = objectOf()
    await owner.put(`/projects/${made.id}`, { lfs_enabled: false })
    const disabled = { message: 'Git LFS is not enabled on this GitLab server, contact your admin.', ...help() }
    expect(await lfs.batch(owner, 'owner/off', 'download', [object])).toMatchObject({ status: 501, body: disabled })
    expect((await lfs.put(owner, 'owner/off', object)).status).toBe(501)
    expect((await lfs.ask(reporter, 'owner/off.git/info/lfs/locks')).status).toBe(501)
    expect((await lfs.batch(outsider, 'owner/off', 'download', [object])).status).toBe(404)
    const group = await server.make.group('without', owner)
    const inner = await server.make.group('inner', owner, { parent: group })
    await server.make.project('below', owner, { namespace: inner })
    expect((await lfs.batch(owner, 'without/inner/below', 'download', [object])).status).toBe(200)
    expect((await owner.put(`/groups/${group.id}`, { lfs_enabled: false })).status).toBe(200)
    expect((await lfs.batch(owner, 'without/inner/below', 'download', [object])).status).toBe(501)
  })

  test('all requests over HTTP are refused where git is limited to SSH', async () => {
    await projectOfOwner('ssh-only', 'public')
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'ssh' })
    const answer = await lfs.batch(owner, 'owner/ssh-only', 'download', [objectOf()])
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'all' })
    const refused = { message: 'Git access over HTTP is not allowed', ...help() }
    expect(answer).toMatchObject({ status: 403, body: refused })
  })

  test('wikis have no LFS, and a moved project is found', async () => {
    const made = await projectOfOwner('moving')
    const object = objectOf()
    await lfs.put(owner, 'owner/moving', object)
    expect((await lfs.batch(owner, 'owner/moving.wiki', 'download', [object])).status).toBe(404)
    await owner.put(`/projects/${made.id}`, { path: 'moved' })
    const { body } = await lfs.batch(owner, 'owner/moving', 'download', [object])
    const href = `${server.url}/owner/moved.git/gitlab-lfs/objects/${object.oid}`
    expect(body.objects[0].actions.download.href).toBe(href)
  })
})
