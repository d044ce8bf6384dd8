import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Person, startTestServer, type TestServer, zipOf } from '../../../testing/index.ts'
import { finishJob, transitionJob } from '../processing/job-changes.ts'
import { projectWithConfig } from '../testing.ts'
import { storeArtifact } from './artifacts.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const mebibyte = 1024 * 1024

/** An archive whose list of files has this many entries, which are all of one file, and one of another name at its end. */
function archiveOf(count: number): Buffer {
  const [one, last] = [zipOf({ wanted: 'content' }, true), 'wanted'.length]
  const directoryStart = one.readUInt32LE(one.length - 6)
  const entry = one.subarray(directoryStart, directoryStart + 46 + last)
  const others = Buffer.concat(Array.from({ length: count }, () => entry))
  for (let index = 0; index < count; index += 1) others.write(index.toString(36).padStart(6), index * entry.length + 46)
  const end = Buffer.from(one.subarray(one.length - 22))
  end.writeUInt32LE(others.length + entry.length, 12)
  return Buffer.concat([one.subarray(0, directoryStart), others, entry, end])
}

async function upload(path: string, content: Buffer) {
  const project = await projectWithConfig(server, owner, path, 'one: {script: a}')
  const { platform } = server.app
  await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const [{ id }] = (await owner.get(`/projects/${project.id}/jobs`)).body
  const { database } = platform
  const row = await database.read.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  await database.write((tx) => transitionJob(platform, tx, row, 'run'))
  const file = { fileType: 'archive', fileFormat: 'zip', fileName: 'a.zip', accessLevel: 'all', maxBytes: 1e9 } as const
  await storeArtifact(platform, row, { ...file, content: Readable.from([content]), expireAt: null })
  await finishJob(platform, row, { state: 'success' })
  return `/projects/${project.id}/jobs/${id}/artifacts`
}

/** Counts what is read of the objects: how many long parts are open at once, and the memory that is held while they are read. */
function watchObjects() {
  const { objects } = server.app.platform
  const get = objects.get.bind(objects)
  const watched = { openNow: 0, mostOpen: 0, mostBytes: 0, pieces: 0 }
  const firstBytes = process.memoryUsage().arrayBuffers
  objects.get = async (key, options) => {
    const opened = await get(key, options)
    if (!opened || opened.lengthBytes < mebibyte) return opened
    watched.openNow += 1
    watched.mostOpen = Math.max(watched.mostOpen, watched.openNow)
    opened.stream.once('close', () => {
      watched.openNow -= 1
    })
    opened.stream.on('data', () => {
      watched.pieces += 1
      if (watched.pieces % 16 === 0)
        watched.mostBytes = Math.max(watched.mostBytes, process.memoryUsage().arrayBuffers - firstBytes)
    })
    opened.stream.pause()
    return opened
  }
  onTestFinished(() => {
    objects.get = get
  })
  return watched
}

test('of an archive with hundreds of thousands of files one is found in little memory, whoever else asks', async () => {
  const archive = archiveOf(200_000)
  const path = await upload('many-files', archive)
  const watched = watchObjects()
  const answers = await Promise.all(Array.from({ length: 20 }, () => owner.get(`${path}/wanted`)))
  expect(answers.map(({ status, body }) => [status, String(body)])).toEqual(answers.map(() => [200, 'content']))
  expect((await owner.get(`${path}/missing`)).status).toBe(404)
  expect(watched.mostOpen).toBe(2)
  expect(watched.openNow).toBe(0)
  // Read whole, the lists of all requests would have 200 MB.
  expect(watched.mostBytes).toBeLessThan(archive.length * 4)
})

test('an entry may be longer than the pieces in which the list is read', async () => {
  const long = 'n'.repeat(65_535)
  const names = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}${long.slice(3)}`, `${index}`]))
  const path = await upload('long-names', zipOf({ ...names, wanted: 'content' }))
  expect((await owner.get(`${path}/wanted`)).status).toBe(200)
  expect((await owner.get(`${path}/wante`)).status).toBe(404)
})

test('a list of more than 64 MiB is not read', async () => {
  const archive = archiveOf(10)
  archive.writeUInt32LE(64 * mebibyte + 1, archive.length - 10)
  const path = await upload('longest-list', archive)
  expect((await owner.get(`${path}/wanted`)).status).toBe(404)
})
