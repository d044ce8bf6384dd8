/** Backups of a server that works, and what is restored from them. */
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type App, startApp } from '../src/app.ts'
import { createBackup, type Progress, restoreBackup } from '../src/backup/index.ts'
import { silent } from '../src/backup/testing.ts'
import { checkInstallation } from '../src/check.ts'
import { type Config, memoryConfig, readConfig } from '../src/config.ts'
import { systemClock } from '../src/infra/clock/index.ts'
import { openDatabase } from '../src/infra/database/index.ts'
import { ACCESS_KEY, startS3Server } from '../src/infra/objects/s3/fixture-server.ts'
import { migrations } from '../src/migrations/index.ts'
import { publishFor, visit } from '../src/modules/pages/testing.ts'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import {
  bytesAt,
  type Client,
  clientOf,
  git,
  makeHistory,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../src/testing/index.ts'

vi.setConfig({ testTimeout: 120_000 })

let server: TestServer
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  server = await startTestServer({})
  folder = await temporaryDirectory()
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

let places = 0

/** An empty place: a data folder of its own, with SQLite, or on the engine under test. */
async function newPlace({ engine = 'sqlite', objectsUrl }: { engine?: 'sqlite' | 'tested'; objectsUrl?: string } = {}) {
  places += 1
  const config = memoryConfig(readConfig({}), join(folder.path, `place-${places}`))
  const database = engine === 'tested' && onPostgres ? await makeFreshDatabase({ isEmpty: true }) : undefined
  if (database) onTestFinished(() => database.remove())
  return {
    ...config,
    listen: { host: '127.0.0.1', port: 0 },
    databaseUrl: database?.url ?? config.databaseUrl,
    objectsUrl: objectsUrl ?? config.objectsUrl,
  }
}

function backUp(config: Config, name: string, more: Partial<Parameters<typeof createBackup>[0]> = {}) {
  return createBackup({ config, path: join(folder.path, name), clock: systemClock, progress: silent, ...more })
}

function restore(config: Config, name: string, progress: Progress = silent) {
  return restoreBackup({ config, path: join(folder.path, name), clock: systemClock, progress })
}

/** Starts a server on a place, with the token of the server of the tests. */
async function startOn(config: Config): Promise<App & { root: Client }> {
  const app = await startApp({ config, log: pino({ level: 'silent' }), durable: false })
  onTestFinished(() => app.stop())
  return Object.assign(app, { root: clientOf(app.url, server.rootToken) })
}

const check = (config: Config) => checkInstallation(config, silent)
const ownConfig = () => server.app.platform.config

async function newProject(name: string): Promise<string> {
  const { body } = await server.root.post('/projects', { name, initialize_with_readme: true })
  return `/projects/${body.id}`
}

function fileOf(content: string): FormData {
  const form = new FormData()
  form.set('file', new Blob([content]), 'file.txt')
  return form
}

/** Calls steps while a backup goes on. */
function during(step: string, work: () => Promise<void>): Progress {
  return {
    ...silent,
    step: async (name) => {
      if (name === step) await work()
    },
  }
}

test('sites, secure files and Terraform states are restored', async () => {
  const { body: project } = await server.root.post('/projects', { name: 'published', visibility: 'public' })
  const place = `/projects/${project.id}`
  await server.root.put(place, { pages_access_level: 'public' })
  await publishFor(server, project.id, { archive: { 'public/index.html': 'a site' }, userId: 1 })
  const form = fileOf('a key')
  form.set('name', 'key.p12')
  const { body: file } = await server.root.post(`${place}/secure_files`, form)
  const state = `${place}/terraform/state/production`
  await server.root.post(state, { serial: 1, kept: true })
  const { url } = (await server.root.get(`${place}/pages`)).body
  await backUp(ownConfig(), 'with-sites')
  const config = await newPlace({ engine: 'tested' })
  await restore(config, 'with-sites')
  expect(await check(config)).toEqual([])
  const other = await startOn(config)
  const restored = (await other.root.get(`${place}/pages`)).body
  expect(new URL(restored.url).hostname).toBe(new URL(url).hostname)
  expect((await visit(other, `${restored.url}/`)).body).toBe('a site')
  const content = await bytesAt(other.root, `${place}/secure_files/${file.id}/download`)
  expect(content.bytes.toString()).toBe('a key')
  expect((await other.root.get(state)).body).toEqual({ serial: 1, kept: true })
})

describe('beside changes', () => {
  test('what is changed and deleted after the snapshot is in the backup as it was', async () => {
    const place = await newProject('later')
    const doomed = await newProject('doomed')
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    const upload = (await server.root.post(`${place}/uploads`, fileOf('an upload'))).body.url
    await server.root.post(`${place}/repository/branches`, { branch: 'kept', ref: 'main' })
    const heads = async (root: Client) =>
      (await root.get(`${place}/repository/branches`)).body.map(
        ({ name, commit, default: isDefault }: { name: string; commit: { id: string }; default: boolean }) => [
          name,
          commit.id,
          isDefault,
        ],
      )
    const before = await heads(server.root)
    const change = async () => {
      const body = { branch: 'main', commit_message: 'later', content: 'later' }
      expect((await server.root.post(`${place}/repository/files/later`, body)).status).toBe(201)
      await server.root.put(place, { default_branch: 'kept' })
      expect((await server.root.delete(`${place}/repository/branches/main`)).status).toBe(204)
      expect((await server.root.delete(`${place}${upload}`)).status).toBe(204)
      expect((await server.root.delete(doomed)).status).toBe(202)
      expect((await server.root.post(`${place}/housekeeping`)).status).toBe(201)
      await server.app.platform.jobs.drain()
      expect((await server.root.get(doomed)).status).toBe(404)
    }
    await backUp(ownConfig(), 'later', { progress: during('repositories', change) })

    const config = await newPlace({ engine: 'tested' })
    await restore(config, 'later')
    expect(await check(config)).toEqual([])
    const { root } = await startOn(config)
    expect(await heads(root)).toEqual(before)
    expect(await root.get(`${place}${upload}`)).toMatchObject({ status: 200, body: 'an upload' })
    expect((await root.get(`${doomed}/repository/files/README.md?ref=main`)).status).toBe(200)
    expect((await root.get(`${place}/repository/files/later?ref=main`)).status).toBe(404)
  })

  test('changes of refs wait while the snapshot is taken, and deletions are made up for', async () => {
    const place = await newProject('waiting')
    const { database, objects } = server.app.platform
    const upload = (await server.root.post(`${place}/uploads`, fileOf('to be deleted'))).body.url
    const keys = async () => (await Array.fromAsync(objects.list())).length
    const stored = await keys()
    const [backup, snapshot] = [await database.hold('backup'), await database.hold('refs')]
    await expect(database.hold('backup')).rejects.toThrow('another process holds the lock')
    const body = { branch: 'main', commit_message: 'waits', content: 'x' }
    let isDone = false
    const committing = server.root.post(`${place}/repository/files/waits`, body).finally(() => {
      isDone = true
    })
    expect((await server.root.delete(`${place}${upload}`)).status).toBe(204)
    expect([isDone, await keys()]).toEqual([false, stored])
    await snapshot.release()
    expect((await committing).status).toBe(201)
    expect(await backup.isIntact()).toBe(true)
    await backup.release()
    expect(await database.isHeld('backup')).toBe(false)
  })
})

describe('a restore', () => {
  beforeAll(async () => {
    await server.root.post(`${await newProject('stored')}/uploads`, fileOf('content'))
    await backUp(ownConfig(), 'full')
  })

  test('goes to another engine and object store, and back, and continues the ids', async () => {
    const place = await newProject('around')
    const { body: issue } = await server.root.post(`${place}/issues`, {
      title: 'Ünïcode 😀',
      description: 'a needle in it',
    })
    await server.root.post(`${place}/variables`, { key: 'SECRET', value: 'a sealed value' })
    await server.root.post(`${place}/uploads`, fileOf('content '.repeat(50_000)))
    const { body: gone } = await server.root.post(`${place}/issues`, { title: 'gone' })
    await server.root.delete(`${place}/issues/${gone.iid}`)
    const s3 = await startS3Server()
    onTestFinished(() => s3[Symbol.asyncDispose]())
    vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', ACCESS_KEY.secretAccessKey)
    onTestFinished(() => void vi.unstubAllEnvs())
    const objectsUrl = `s3://${s3.bucket}/restored?endpoint=${s3.url}`

    await backUp(ownConfig(), 'around')
    const other = await newPlace({ objectsUrl })
    await restore(other, 'around')
    expect(await check(other)).toEqual([])
    await backUp(other, 'second')
    const back = await newPlace({ engine: 'tested' })
    await restore(back, 'second')
    expect(await check(back)).toEqual([])

    const { root, platform } = await startOn(back)
    expect((await root.get(`${place}/variables/SECRET`)).body.value).toBe('a sealed value')
    const found = await root.get(`${place}/issues?search=NEEDLE`)
    expect(found.body.map(({ title }: { title: string }) => title)).toEqual(['Ünïcode 😀'])
    const next = await root.post(`${place}/issues`, { title: 'next' })
    expect([next.body.id > gone.id, next.body.iid > gone.iid, next.body.id > issue.id]).toEqual([true, true, true])
    expect((await root.post('/projects', { name: 'another' })).status).toBe(201)
    const rows = async (database: typeof platform.database) =>
      (await database.read.selectFrom('notes').selectAll().orderBy('id').execute()).length
    expect(await rows(platform.database)).toBe(await rows(server.app.platform.database))
  })

  test('has the votes of issues once, in their order', async () => {
    const project = await newProject('votes')
    for (const title of ['unloved', 'liked']) await server.root.post(`${project}/issues`, { title })
    await server.root.post(`${project}/issues/2/award_emoji`, { name: 'thumbsup' })
    await backUp(ownConfig(), 'votes.tar.gz')
    const config = await newPlace({ engine: 'tested' })
    await restore(config, 'votes.tar.gz')
    const { root } = await startOn(config)
    const voted = async () => {
      const { body } = await root.get(`${project}/issues?order_by=popularity`)
      return body.map(({ title, upvotes }: { title: string; upvotes: number }) => [title, upvotes])
    }
    expect(await voted()).toEqual([
      ['liked', 1],
      ['unloved', 0],
    ])
    const { body: awards } = await root.get(`${project}/issues/2/award_emoji`)
    await root.delete(`${project}/issues/2/award_emoji/${awards[0].id}`)
    await root.post(`${project}/issues/1/award_emoji`, { name: 'thumbsup' })
    expect(await voted()).toEqual([
      ['unloved', 1],
      ['liked', 0],
    ])
  })

  test('needs an empty place', async () => {
    const config = await newPlace({ engine: 'tested' })
    await restore(config, 'full')
    await expect(restore(config, 'full')).rejects.toThrow('is not empty: a backup is restored into an empty place')
    await rm(config.storages.default ?? '', { recursive: true })
    await expect(restore(config, 'full')).rejects.toThrow('the objects are not empty')
    await rm(join(config.data, 'objects'), { recursive: true })
    await expect(restore(config, 'full')).rejects.toThrow('the database is not empty')
    expect(await readdir(join(config.data, 'repositories'))).toEqual(['.fennec-storage'])
    const other = { ...(await newPlace()), storages: { other: join(folder.path, 'other') } }
    await mkdir(other.storages.other)
    await expect(restore(other, 'full')).rejects.toThrow('FENNEC_STORAGES does not name')
  })

  test('that was interrupted is no place to start or to restore', async () => {
    const config = await newPlace({ engine: 'tested' })
    const interrupted = restore(
      config,
      'full',
      during('objects', () => Promise.reject(new Error('killed'))),
    )
    await expect(interrupted).rejects.toThrow('killed')
    const sentence = 'A restore into this database was begun and has not ended.'
    await expect(startOn(config)).rejects.toThrow(sentence)
    await expect(check(config)).rejects.toThrow(sentence)
    await rm(config.storages.default ?? '', { recursive: true })
    await expect(restore(config, 'full')).rejects.toThrow(sentence)
  })

  test('brings the keys, or asks for them', async () => {
    const { data } = ownConfig()
    const key = await readFile(join(data, 'secret-key'), 'utf8')
    expect((await stat(join(folder.path, 'full'))).mode & 0o777).toBe(0o600)
    const { database } = server.app.platform
    const facts = ['secret-key', 'storage default'].map((name) => ({ name, value: 'x' }))
    await database.write((tx) => tx.insertInto('instance_facts').values(facts).execute())
    await backUp(ownConfig(), 'without-keys', { withoutKeys: true })
    await database.write((tx) => tx.deleteFrom('instance_facts').execute())
    expect((await readFile(join(folder.path, 'without-keys'))).includes(key.trim())).toBe(false)
    const config = await newPlace()
    await expect(restore(config, 'without-keys')).rejects.toThrow('the backup does not contain its secret key')
    const otherKey = { ...config, secretKey: 'another secret key, which is long enough' }
    await expect(restore(otherKey, 'full')).rejects.toThrow('is not that of the backup')
    // A key file that is there already is another instance's: it is neither used nor replaced.
    const otherFile = await newPlace()
    await mkdir(otherFile.data, { recursive: true })
    await writeFile(join(otherFile.data, 'secret-key'), `${'0123456789abcdef'.repeat(4)}\n`)
    await expect(restore(otherFile, 'full')).rejects.toThrow('is not that of the backup')
    expect(await readFile(join(otherFile.data, 'secret-key'), 'utf8')).toMatch(/^0123/)
    await copyFile(join(data, 'secret-key'), join(config.data, 'secret-key'))
    await restore(config, 'without-keys')
    // The places of the former installation are forgotten, its key is not.
    const restored = await openDatabase({ url: config.databaseUrl, migrations, mayMigrate: false })
    const known = await restored.read.selectFrom('instance_facts').select('name').execute()
    await restored.close()
    expect(known).toEqual([{ name: 'secret-key' }])
    expect(await check(config)).toEqual([])
    const fresh = await newPlace()
    await restore(fresh, 'full')
    expect(await readFile(join(fresh.data, 'secret-key'), 'utf8')).toBe(key)
    expect((await stat(join(fresh.data, 'secret-key'))).mode & 0o777).toBe(0o600)
  })

  test('is recorded where it was written, and not in what is restored from it', async () => {
    const { database } = server.app.platform
    await database.write((tx) => tx.deleteFrom('backups').execute())
    const { sizeBytes } = await backUp(ownConfig(), 'recorded')
    await backUp(ownConfig(), 'recorded-again', { basePath: join(folder.path, 'recorded') })
    const { body } = await server.root.get('/admin/backups')
    expect(body).toMatchObject([
      { path: join(folder.path, 'recorded-again'), incremental: true },
      { path: join(folder.path, 'recorded'), incremental: false, size_bytes: sizeBytes },
    ])
    expect(Date.parse(body[1].started_at)).toBeLessThanOrEqual(Date.parse(body[1].finished_at))
    // The second one has the record of the first.
    const config = await newPlace()
    await restore(config, 'recorded-again')
    const restored = await openDatabase({ url: config.databaseUrl, migrations, mayMigrate: false })
    const known = await restored.read.selectFrom('backups').selectAll().execute()
    await restored.close()
    expect(known).toEqual([])
  })

  test('replaces no host key that is there', async () => {
    const keyIn = ({ data }: Config) => join(data, 'ssh', 'ssh_host_ed25519_key')
    await mkdir(join(ownConfig().data, 'ssh'), { recursive: true })
    await writeFile(keyIn(ownConfig()), 'of the backup')
    await backUp(ownConfig(), 'with-host-key')
    await rm(keyIn(ownConfig()))
    const config = await newPlace()
    await mkdir(join(config.data, 'ssh'), { recursive: true })
    await writeFile(keyIn(config), 'of another instance')
    const sentence = `${keyIn(config)} exists already, and is not that of the backup`
    await expect(restore(config, 'with-host-key')).rejects.toThrow(sentence)
    expect(await readFile(keyIn(config), 'utf8')).toBe('of another instance')
  })
})

describe('a backup', () => {
  test('that is incremental has only what is new, and needs its base', async () => {
    const place = await newProject('incremental')
    const upload = async (content: string) => (await server.root.post(`${place}/uploads`, fileOf(content))).body.url
    const large = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('')
    const old = await upload(large)
    // An object counts as unchanged when it is older than the base by a minute.
    const later = { now: () => new Date(systemClock.now().getTime() + 120_000), setTimer: systemClock.setTimer }
    const whole = await backUp(ownConfig(), 'base', { clock: later })
    const recent = await upload('recent')
    const first = await backUp(ownConfig(), 'one', { basePath: join(folder.path, 'base'), clock: later })
    expect(first.sizeBytes).toBeLessThan(whole.sizeBytes - large.length / 2)
    await backUp(ownConfig(), 'two', { basePath: join(folder.path, 'one'), clock: later })
    const config = await newPlace({ engine: 'tested' })
    await restore(config, 'two')
    expect(await check(config)).toEqual([])
    const { root } = await startOn(config)
    expect((await root.get(`${place}${old}`)).body).toBe(large)
    expect((await root.get(`${place}${recent}`)).body).toBe('recent')
    await rm(join(folder.path, 'base'))
    await expect(restore(await newPlace(), 'two')).rejects.toThrow('needs the backup base, which is not beside it')
  })

  test('leaves no file that looks complete, and replaces none', async () => {
    const names = async () => (await readdir(folder.path)).filter((name) => name.includes('failed'))
    const failing = backUp(ownConfig(), 'failed', {
      progress: during('objects', () => Promise.reject(new Error('full'))),
    })
    await expect(failing).rejects.toThrow('full')
    expect(await names()).toEqual([])
    const onlyHidden = async () => {
      for (const name of await names()) expect(name).toMatch(/^\.failed\..*\.unfinished/)
      await expect(backUp(ownConfig(), 'other')).rejects.toThrow('another backup of this installation is being made')
    }
    await backUp(ownConfig(), 'failed', { progress: during('objects', onlyHidden) })
    expect(await names()).toEqual(['failed'])
    await expect(backUp(ownConfig(), 'failed')).rejects.toThrow('exists already')
  })
})

describe('under load', () => {
  test('a backup has every write that was acknowledged before it began, and fits together', async () => {
    await server.root.put('/application/settings', { issues_create_limit: 0 })
    const place = await newProject('load')
    const work = join(folder.path, 'work')
    await mkdir(work)
    await makeHistory(work, ['one', 'two'])
    const address = `${server.url.replace('://', `://root:${server.rootToken}@`)}/root/load.git`
    const acknowledged = {
      files: [] as string[],
      issues: [] as number[],
      uploads: [] as string[],
      branches: [] as string[],
    }
    let isOver = false
    const repeat = async (step: (count: number) => Promise<void>) => {
      for (let count = 0; !isOver && count < 25; count += 1) await step(count)
    }
    const writers = [
      repeat(async (count) => {
        const body = { branch: 'main', commit_message: 'a commit', content: `${count}` }
        const { status } = await server.root.post(`${place}/repository/files/f${count}`, body)
        expect(status).toBe(201)
        acknowledged.files.push(`f${count}`)
      }),
      repeat(async (count) => {
        const { status, body } = await server.root.post(`${place}/issues`, { title: `issue ${count}` })
        expect(status).toBe(201)
        acknowledged.issues.push(body.iid)
      }),
      repeat(async (count) => {
        const { status, body } = await server.root.post(`${place}/uploads`, fileOf(`upload ${count}`))
        expect(status).toBe(201)
        acknowledged.uploads.push(body.url)
        if (count % 3 === 2) await server.root.post(`${place}/housekeeping`)
      }),
      repeat(async (count) => {
        const { code, stderr } = await git(work, 'push', '--quiet', address, `HEAD:refs/heads/push-${count}`)
        expect([code, stderr]).toEqual([0, expect.anything()])
        acknowledged.branches.push(`push-${count}`)
        // Deleted later: a branch of the snapshot may be gone when the repository is copied.
        if (count > 3) await server.root.delete(`${place}/repository/branches/push-${count - 4}`)
      }),
    ]
    await expect.poll(() => Math.min(...Object.values(acknowledged).map(({ length }) => length))).toBeGreaterThan(5)
    const before = structuredClone(acknowledged)
    await backUp(ownConfig(), 'load')
    isOver = true
    await Promise.all(writers)

    const config = await newPlace({ engine: 'tested' })
    await restore(config, 'load')
    expect(await check(config)).toEqual([])
    const { root } = await startOn(config)
    for (const name of before.files) {
      expect([name, (await root.get(`${place}/repository/files/${name}?ref=main`)).status]).toEqual([name, 200])
    }
    for (const iid of before.issues) expect((await root.get(`${place}/issues/${iid}`)).status).toBe(200)
    for (const url of before.uploads) expect((await root.get(`${place}${url}`)).status).toBe(200)
    const kept = before.branches.slice(-1)
    for (const name of kept) expect((await root.get(`${place}/repository/branches/${name}`)).status).toBe(200)
  })
})
