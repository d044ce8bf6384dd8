import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import {
  type Person,
  type SshKeyPair,
  ssh,
  sshKeyPair,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { type Lfs, objectOf, startLfsServer } from '../testing.ts'

let clock: ManualClock
let server: TestServer
let lfs: Lfs
let folder: { path: string } & AsyncDisposable
let owner: Person
let key: SshKeyPair & { id: number }
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T10:00:00Z' })
  ;({ server, lfs, owner } = await startLfsServer(['owner'], { sshPort: 0, clock }))
  folder = await temporaryDirectory()
  key = await keyOf(owner)
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

let made = 0
const newPair = () => {
  made += 1
  return sshKeyPair(folder.path, `key-${made}`)
}

async function keyOf(person: Person): Promise<SshKeyPair & { id: number }> {
  const pair = await newPair()
  const { status, body } = await person.post('/user/keys', { title: 'key', key: pair.publicKey })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { ...pair, id: body.id }
}

const authenticate = (pair: SshKeyPair, ...operands: string[]) =>
  ssh(server, pair, ['git-lfs-authenticate', ...operands])

/** The answer of `git-lfs-authenticate`. */
async function told(pair: SshKeyPair, path: string, operation: string) {
  const { code, stdout, stderr } = await authenticate(pair, path, operation)
  if (code !== 0) throw new Error(stderr)
  const { header, href } = JSON.parse(stdout)
  return {
    authorization: header.Authorization as string,
    path: href.replace(`${server.url}/`, '').slice(0, -'.git/info/lfs'.length),
  }
}

const line = '='.repeat(72)
const framed = (text: string) =>
  `remote: \nremote: ${line}\nremote: \nremote: ERROR: ${text}\nremote: \nremote: ${line}\nremote: \n`
const refused = (text: string) => ({ code: 1, stdout: '', stderr: framed(text) })

const notFound = "The project you were looking for could not be found or you don't have permission to view it."

describe('git-lfs-authenticate', () => {
  test('returns the address of the service and a token for it', async () => {
    await lfs.project(owner, 'told')
    const { code, stdout } = await authenticate(key, 'owner/told.git', 'upload')
    expect(code).toBe(0)
    const answer = JSON.parse(stdout)
    expect(answer).toEqual({
      header: { Authorization: expect.stringMatching(/^Basic [A-Za-z0-9+/=]+$/) },
      href: `${server.url}/owner/told.git/info/lfs`,
      expires_in: 7200,
    })
    const basic = Buffer.from(answer.header.Authorization.slice(6), 'base64').toString()
    expect(basic).toMatch(/^owner:glfs-/)
    const login = { authorization: answer.header.Authorization }
    const object = objectOf()
    const { body } = await lfs.batch(login, 'owner/told', 'upload', [object])
    const { href, header } = body.objects[0].actions.upload
    expect((await fetch(href, { method: 'PUT', headers: header, body: object.content as never })).status).toBe(200)
    expect((await lfs.get(login, 'owner/told', object)).bytes.equals(object.content)).toBe(true)
    const locked = await lfs.ask(login, 'owner/told.git/info/lfs/locks', { body: { path: 'a' } })
    expect(locked.body.lock.owner.name).toBe('owner person')
    const down = await told(key, '/owner/told', 'download')
    expect((await lfs.get(down, 'owner/told', object)).status).toBe(200)
  })

  test('issues a token for this project, this operation and two hours', async () => {
    await lfs.project(owner, 'bound')
    await lfs.project(owner, 'other', {}, 'public')
    const object = objectOf()
    await lfs.put(owner, 'owner/bound', object)
    const login = await told(key, 'owner/bound', 'download')
    expect((await lfs.batch(login, 'owner/bound', 'download', [object])).status).toBe(200)
    expect((await lfs.batch(login, 'owner/bound', 'upload', [object])).status).toBe(403)
    expect((await lfs.put(login, 'owner/bound', object)).status).toBe(403)
    expect((await lfs.batch(login, 'owner/other', 'download', [object])).status).toBe(401)
    const fetched = await fetch(`${server.url}/owner/bound.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: login.authorization },
    })
    expect(fetched.status).toBe(401)
    clock.advance(7_200_000)
    expect((await lfs.batch(login, 'owner/bound', 'download', [object])).status).toBe(401)
  })

  test('issues a token that ends with the key, the role or the account', async () => {
    const project = await lfs.project(owner, 'ends')
    const object = objectOf()
    await lfs.put(owner, 'owner/ends', object)
    const person = await server.user('passing')
    await server.make.member({ project }, person, 30)
    const own = await keyOf(person)
    const login = await told(own, 'owner/ends', 'upload')
    const status = async (operation: string) => (await lfs.batch(login, 'owner/ends', operation, [object])).status
    expect(await status('upload')).toBe(200)
    await owner.put(`/projects/${project.id}/members/${person.id}`, { access_level: 20 })
    expect([await status('download'), await status('upload')]).toEqual([200, 403])
    await server.root.post(`/users/${person.id}/block`)
    expect(await status('download')).toBe(401)
    await server.root.post(`/users/${person.id}/unblock`)
    expect(await status('download')).toBe(200)
    await person.delete(`/user/keys/${own.id}`)
    expect(await status('download')).toBe(401)
  })

  test('serves deploy keys within their rights', async () => {
    const project = await lfs.project(owner, 'deployed')
    const object = objectOf()
    const keys = await Promise.all(
      [true, false].map(async (canPush) => {
        const pair = await newPair()
        const wanted = { title: 'deploy', key: pair.publicKey, can_push: canPush }
        const { status, body } = await owner.post(`/projects/${project.id}/deploy_keys`, wanted)
        expect(status).toBe(201)
        return { ...pair, id: body.id as number }
      }),
    )
    const [writing, reading] = keys as [(typeof keys)[0], (typeof keys)[0]]
    const up = await told(writing, 'owner/deployed', 'upload')
    const basic = Buffer.from(up.authorization.slice(6), 'base64').toString()
    expect(basic).toMatch(new RegExp(`^lfs\\+deploy-key-${writing.id}:glfs-`))
    expect((await lfs.put(up, 'owner/deployed', object)).status).toBe(200)
    const down = await told(reading, 'owner/deployed', 'download')
    expect((await lfs.get(down, 'owner/deployed', object)).bytes.equals(object.content)).toBe(true)
    const noWrite = 'This deploy key does not have write access to this project.'
    expect(await authenticate(reading, 'owner/deployed', 'upload')).toEqual(refused(noWrite))
    await lfs.project(owner, 'elsewhere')
    expect(await authenticate(writing, 'owner/elsewhere', 'download')).toEqual(refused(notFound))
    await owner.delete(`/projects/${project.id}/deploy_keys/${reading.id}`)
    expect((await lfs.get(down, 'owner/deployed', object)).status).toBe(401)
  })

  test('is refused with the messages of git', async () => {
    const project = await lfs.project(owner, 'words')
    const reader = await server.user('reader')
    await server.make.member({ project }, reader, 20)
    const own = await keyOf(reader)
    const noPush = 'You are not allowed to push code to this project.'
    expect(await authenticate(own, 'owner/words.git', 'upload')).toEqual(refused(noPush))
    expect(await authenticate(own, 'owner/nothing', 'download')).toEqual(refused(notFound))
    const notAllowed = "The command you're trying to execute is not allowed."
    for (const operands of [['owner/words'], ['owner/words', 'verify'], [], ['owner/words', 'Upload']]) {
      expect(await authenticate(own, ...operands)).toEqual(refused(notAllowed))
    }
    expect(await authenticate(key, 'owner/made-by-this', 'upload')).toEqual(refused(notFound))
    expect((await owner.get('/projects/owner%2Fmade-by-this')).status).toBe(404)
    await owner.put(`/projects/${project.id}`, { lfs_enabled: false })
    const disabled = 'Git LFS is not enabled on this GitLab server, contact your admin.'
    expect(await authenticate(key, 'owner/words', 'download')).toEqual(refused(disabled))
  })

  test('issues tokens for HTTP also where git is limited to SSH', async () => {
    await lfs.project(owner, 'alone')
    const object = objectOf()
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'ssh' })
    const login = await told(key, 'owner/alone', 'upload')
    const statuses = [
      (await lfs.put(login, 'owner/alone', object)).status,
      (await lfs.get(owner, 'owner/alone', object)).status,
    ]
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'http' })
    const overSsh = await authenticate(key, 'owner/alone', 'upload')
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'all' })
    expect(statuses).toEqual([200, 403])
    expect(overSsh).toEqual(refused('Git access over SSH is not allowed'))
  })
})
