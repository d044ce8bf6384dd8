/** Git over SSH with certificates that an authority of a group has signed (contract 26.12). */
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  git,
  makeHistory,
  type Person,
  type SshKeyPair,
  ssh,
  sshCertificate,
  sshGit,
  sshKeyPair,
  sshUrl,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { changeAddress, type Enterprise, enterprise, verifiedDomain } from '../../enterprise-users/testing.ts'
import {
  clock,
  denied,
  folder,
  framed,
  lasting,
  notFound,
  reads,
  refusedWith,
  serveForTests,
  server,
} from './testing.ts'

serveForTests()

let made = 0
const newKey = () => {
  made += 1
  return sshKeyPair(folder.path, `certified-${made}`)
}

let company: Enterprise
let authority: SshKeyPair
let certificates: string
let certificateId: number
let ada: Person
/** Of the company, with one commit; Ada is a developer. */
const own = 'company/below/site'
beforeAll(async () => {
  company = await enterprise(server, 'company')
  await verifiedDomain(server, company, 'company.example')
  await server.make.member({ namespace: company.group }, await server.user('ada'), 30)
  await using work = await temporaryDirectory()
  await makeHistory(work.path, ['one'])
  const key = await newKey()
  expect((await company.owner.post('/user/keys', { title: 'a', key: key.publicKey })).status).toBe(201)
  expect(await sshGit(server, key, work.path, 'push', sshUrl(server, own), 'main')).toMatchObject({ code: 0 })
  ada = { ...(await server.root.get('/users?username=ada')).body[0] }
})
beforeEach(async () => {
  authority = await newKey()
  certificates = `/groups/${company.group.id}/ssh_certificates`
  const { status, body } = await company.owner.post(certificates, { title: 'Office', key: authority.publicKey })
  expect(status).toBe(201)
  certificateId = body.id
  await changeAddress(server, ada, 'ada@company.example')
})

afterEach(() => company.owner.delete(`${certificates}/${certificateId}`))

/** A key with a certificate of the authority; Ada's by default. */
async function certified(keyId = 'ada', options: readonly string[] = [], by = authority): Promise<SshKeyPair> {
  const key = await newKey()
  await sshCertificate(by, key, keyId, options)
  return key
}
const welcome = { code: 0, stdout: 'Welcome to GitLab, @ada!\n', stderr: '' }

describe('a certificate of an enterprise user', () => {
  test('clones and pushes to a project of the group', async () => {
    const key = await certified()
    await using work = await temporaryDirectory()
    expect(await sshGit(server, key, work.path, 'clone', '-q', sshUrl(server, own), 'site')).toMatchObject({ code: 0 })
    const site = join(work.path, 'site')
    await git(site, 'commit', '--allow-empty', '-m', 'By certificate')
    expect(await sshGit(server, key, site, 'push', 'origin', 'HEAD:by-certificate')).toMatchObject({ code: 0 })
    const branch = await company.owner.get(`/projects/${company.project.id}/repository/branches/by-certificate`)
    expect(branch.body.commit.title).toBe('By certificate')
    const [event] = (await company.owner.get(`/projects/${company.project.id}/events?action=pushed`)).body
    expect(event.author_username).toBe('ada')
  })

  test.each(['ada', 'ADA', 'ada@company.example', 'Ada@Company.example'])('names the user as %s', async (keyId) => {
    expect(await ssh(server, await certified(keyId))).toEqual(welcome)
  })

  test('names the user by a confirmed secondary address, and not by another', async () => {
    const add = (email: string, more: object) => server.root.post(`/users/${ada.id}/emails`, { email, ...more })
    expect((await add('second@elsewhere.example', { skip_confirmation: true })).status).toBe(201)
    expect((await add('third@elsewhere.example', {})).status).toBe(201)
    await server.app.platform.database.write((tx) =>
      tx
        .updateTable('user_emails')
        .set({ confirmed_at: null })
        .where('email', '=', 'third@elsewhere.example')
        .execute(),
    )
    expect(await ssh(server, await certified('second@elsewhere.example'))).toEqual(welcome)
    expect(await ssh(server, await certified('third@elsewhere.example'))).toEqual(denied)
  })

  test.each(['', 'nobody', 'nobody@company.example', 'company_owner', 'root', 'git', 'a'.repeat(300), 'ada\n'])(
    'is refused with the key id %j',
    async (keyId) => {
      expect(await ssh(server, await certified(keyId))).toEqual(denied)
    },
  )

  test('reads and writes what the role of the user permits', async () => {
    const private_ = await server.make.project('closed', company.owner, { namespace: company.group })
    const key = await certified()
    expect((await reads(key, private_.full_path)).code).toBe(0)
    const other = await server.user('bob')
    await changeAddress(server, other, 'bob@company.example')
    const theirs = await certified('bob')
    expect(await reads(theirs, private_.full_path)).toMatchObject(refusedWith(notFound))
  })
})

describe('outside the group', () => {
  test('a certificate opens nothing, public projects and those of the user included', async () => {
    const key = await certified()
    const open = await server.make.project('open', company.owner, { visibility: 'public' })
    const other = await server.make.project('mine', await server.user('host'))
    await server.make.member({ project: other }, ada, 40)
    for (const path of [open.full_path, other.full_path]) {
      expect([path, await reads(key, path)]).toMatchObject([path, refusedWith(notFound)])
    }
    expect((await reads(key, own)).code).toBe(0)
  })

  test('a push creates no project', async () => {
    const key = await certified()
    await using work = await temporaryDirectory()
    await makeHistory(work.path, ['one'])
    for (const path of ['ada/new', 'company/new']) {
      const pushed = await sshGit(server, key, work.path, 'push', sshUrl(server, path), 'main')
      expect([path, pushed]).toMatchObject([path, refusedWith(notFound)])
    }
  })
})

describe('a certificate ends', () => {
  test('with its validity, also on a connection that is open', async () => {
    const [begin, end] = [-3600, 300].map((seconds) => new Date(clock.now().getTime() + seconds * 1000).toISOString())
    const stamp = (time = '') => time.slice(0, 19).replace(/\D/g, '')
    const key = await certified('ada', ['-V', `${stamp(begin)}:${stamp(end)}`])
    expect(await ssh(server, key)).toEqual(welcome)
    const connection = await lasting(key)
    expect((await connection.run('git-upload-pack none')).stderr).toBe(framed(notFound))
    // A connection without commands is closed later than that.
    clock.advance(300_000)
    expect((await connection.run('git-upload-pack none')).stderr).toBe(framed('Permission denied (publickey).'))
    connection.end()
    expect(await ssh(server, key)).toEqual(denied)
  })

  test('when the group accepts the authority no more', async () => {
    const key = await certified()
    expect(await ssh(server, key)).toEqual(welcome)
    expect((await company.owner.delete(`${certificates}/${certificateId}`)).status).toBe(204)
    expect(await ssh(server, key)).toEqual(denied)
  })

  test('when the user is no enterprise user of the group any more', async () => {
    const key = await certified()
    expect(await ssh(server, key)).toEqual(welcome)
    await changeAddress(server, ada, 'ada@elsewhere.example')
    expect(await ssh(server, key)).toEqual(denied)
  })

  test('when the user is blocked', async () => {
    const key = await certified()
    await server.root.post(`/users/${ada.id}/block`)
    expect(await ssh(server, key)).toEqual(denied)
    await server.root.post(`/users/${ada.id}/unblock`)
    expect(await ssh(server, key)).toEqual(welcome)
  })

  test('where the tier has no certificates', async () => {
    const key = await certified()
    const { config } = server.app.platform
    const { edition } = config
    config.edition = { ...edition, tier: 'free' }
    try {
      expect(await ssh(server, key)).toEqual(denied)
    } finally {
      config.edition = edition
    }
  })
})

test('the certificate of an authority of another group opens nothing', async () => {
  const other = await server.make.group('rivals', company.owner)
  const theirs = await newKey()
  const body = { title: 'a', key: theirs.publicKey }
  expect((await company.owner.post(`/groups/${other.id}/ssh_certificates`, body)).status).toBe(201)
  expect(await ssh(server, await certified('ada', [], theirs))).toEqual(denied)
})

test('git-lfs-authenticate gives a token that ends with the certificate', async () => {
  const key = await certified()
  const answer = await ssh(server, key, ['git-lfs-authenticate', own, 'download'])
  expect([answer.code, answer.stderr]).toEqual([0, ''])
  const { header, href } = JSON.parse(answer.stdout)
  const batch = async () => {
    const headers = { ...header, 'Content-Type': 'application/vnd.git-lfs+json' }
    const body = JSON.stringify({ operation: 'download', objects: [{ oid: 'a'.repeat(64), size: 1 }] })
    return (await fetch(`${href}/objects/batch`, { method: 'POST', headers, body })).status
  }
  expect(await batch()).toBe(200)
  const outside = await ssh(server, key, ['git-lfs-authenticate', 'company_owner/open', 'download'])
  expect(outside).toMatchObject({ code: 1, stderr: framed(notFound) })
  await company.owner.delete(`${certificates}/${certificateId}`)
  expect(await batch()).toBe(401)
})

test('the use of a certificate is activity of its user', async () => {
  const { database } = server.app.platform
  const change = { last_activity_on: null }
  await database.write((tx) => tx.updateTable('users').set(change).where('id', '=', ada.id).execute())
  await ssh(server, await certified())
  const query = database.read.selectFrom('users').select('last_activity_on').where('id', '=', ada.id)
  expect((await query.executeTakeFirst())?.last_activity_on).toBe(clock.now().toISOString().slice(0, 10))
})
