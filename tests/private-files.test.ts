import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { git, makeHistory, temporaryDirectory } from '../src/testing/index.ts'
import { startVictim, type Victim } from './campaign/process.ts'

// A loaded machine starts processes slowly.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const token = 'glpat-token-of-root-private'
const othersMask = 0o077

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let umask: number
beforeAll(async () => {
  folder = await temporaryDirectory()
  // The programs that are started inherit it: nothing is taken from any mode.
  umask = process.umask(0)
})
afterAll(async () => {
  process.umask(umask)
  await folder[Symbol.asyncDispose]()
})

/** What others may read, write or enter of a folder and everything below it. Links have no modes. */
async function openToOthers(path: string): Promise<string[]> {
  const found = [path, ...(await readdir(path, { recursive: true })).map((name) => join(path, name))]
  const open = await Promise.all(
    found.map(async (one) => {
      const { mode } = await lstat(one)
      const isOpen = (mode & 0o170000) !== 0o120000 && (mode & othersMask) !== 0
      return isOpen ? [`${one.slice(folder.path.length)} ${(mode & 0o777).toString(8)}`] : []
    }),
  )
  return open.flat()
}

async function use({ url }: Victim, name: string): Promise<void> {
  const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify({ name, initialize_with_readme: true }) }
  expect((await fetch(`${url}/api/v4/projects`, request)).status).toBe(201)
  const body = new FormData()
  body.append('file', new Blob(['content']), 'a.txt')
  const upload = { method: 'POST', headers: { 'PRIVATE-TOKEN': token }, body }
  expect((await fetch(`${url}/api/v4/projects/root%2F${name}/uploads`, upload)).status).toBe(201)
  await using work = await temporaryDirectory()
  await makeHistory(work.path, ['one', 'two'])
  const address = new URL(`/root/${name}.git`, url)
  address.username = 'root'
  address.password = token
  expect(await git(work.path, 'push', address.href, 'main:refs/heads/other')).toMatchObject({ code: 0 })
}

test('what a server writes is readable by its owner only, whatever the umask', async () => {
  const [data, fast] = [join(folder.path, 'data'), join(folder.path, 'fast')]
  await mkdir(fast, { mode: 0o700 })
  const settings = {
    FENNEC_SSH_LISTEN: '127.0.0.1:0',
    FENNEC_STORAGES: `default=${fast}`,
  }
  const server = await startVictim({ data, token, settings })
  try {
    await use(server, 'one')
    expect(await openToOthers(data)).toEqual([])
    expect(await openToOthers(fast)).toEqual([])
  } finally {
    await server.stop()
  }
})

test('what an earlier release has left is tightened at the start', async () => {
  const data = join(folder.path, 'earlier')
  const start = () => startVictim({ data, token })
  const first = await start()
  await use(first, 'one')
  await first.stop()
  const opened = ['', 'fennec.db', 'repositories', 'objects', 'secret-key'].map((name) => join(data, name))
  for (const path of opened) await chmod(path, (await lstat(path)).isDirectory() ? 0o755 : 0o644)
  expect(await openToOthers(data)).toHaveLength(opened.length)
  const second = await start()
  try {
    expect(await openToOthers(data)).toEqual([])
    await use(second, 'two')
    expect(await openToOthers(data)).toEqual([])
  } finally {
    await second.stop()
  }
})
