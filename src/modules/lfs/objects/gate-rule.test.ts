import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runGit } from '../../../infra/git/testing.ts'
import {
  httpUrl,
  type ImportedCommit,
  importStream,
  type Person,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { type Lfs, objectOf, pointerTo, startLfsServer, type TestObject } from '../testing.ts'

let server: TestServer
let lfs: Lfs
let owner: Person
beforeAll(async () => {
  ;({ server, lfs, owner } = await startLfsServer(['owner']))
})
afterAll(() => server.stop())

const sentence = 'GitLab: LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'

/** Pushes commits to `path`. @returns the refusal */
async function push(path: string, commits: readonly ImportedCommit[], ...refspecs: string[]): Promise<string[] | null> {
  await using folder = await temporaryDirectory()
  const cwd = folder.path
  const address = httpUrl(server, owner, `owner/${path}`)
  await runGit(['init', '--quiet', '--initial-branch=main'], { cwd })
  await runGit(['fast-import', '--quiet'], { cwd, input: importStream(commits) })
  const pushed = await runGit(['push', '--force', address, ...(refspecs.length ? refspecs : ['main'])], { cwd })
  if (pushed.exitCode === 0) return null
  return [...pushed.stderr.matchAll(/^remote: (GitLab: .*?)\s*$/gm)].map(([, text = '']) => text)
}

const file = (content: string | Buffer, path = 'large.bin'): ImportedCommit => ({
  message: 'Change',
  files: [['100644', path, content]],
})

const pointerFile = (object: TestObject, path?: string) => file(pointerTo(object), path)

describe('a pushed pointer', () => {
  test('requires its object', async () => {
    await lfs.project(owner, 'checked')
    const object = objectOf()
    expect(await push('checked', [file('plain'), pointerFile(object)])).toEqual([sentence])
    await lfs.put(owner, 'owner/checked', object)
    expect(await push('checked', [file('plain'), pointerFile(object)])).toBeNull()
  })

  test('is found in an earlier commit, on any of several refs, and in a tagged commit', async () => {
    await lfs.project(owner, 'anywhere')
    expect(await push('anywhere', [pointerFile(objectOf()), file('in its place')])).toEqual([sentence])
    const side = { ...pointerFile(objectOf()), branch: 'side' }
    expect(await push('anywhere', [file('x'), side], 'main', 'side')).toEqual([sentence])
    expect(await push('anywhere', [file('x'), side], 'main', 'side:refs/tags/v1')).toEqual([sentence])
    expect(await push('anywhere', [file('x'), side], 'main')).toBeNull()
  })

  test('is refused when only other projects have the object', async () => {
    await lfs.project(owner, 'first')
    await lfs.project(owner, 'second')
    const object = objectOf()
    await lfs.put(owner, 'owner/first', object)
    expect(await push('second', [pointerFile(object)])).toEqual([sentence])
  })

  test('is found among many small files', async () => {
    await lfs.project(owner, 'many')
    const objects = Array.from({ length: 30 }, (_, index) => objectOf(`object ${index}`))
    const files = [
      ...Array.from({ length: 1500 }, (_, index) => ['100644', `plain/${index}`, `file ${index}`] as const),
      ...objects.map((object, index) => ['100644', `large/${index}`, pointerTo(object)] as const),
    ]
    const commit = { message: 'All', files: files as never }
    for (const object of objects.slice(1)) await lfs.put(owner, 'owner/many', object)
    expect(await push('many', [commit])).toEqual([sentence])
    await lfs.put(owner, 'owner/many', objects[0] as TestObject)
    expect(await push('many', [commit])).toBeNull()
  })

  test('is not required where LFS is disabled', async () => {
    const made = await lfs.project(owner, 'off')
    await owner.put(`/projects/${made.id}`, { lfs_enabled: false })
    expect(await push('off', [pointerFile(objectOf())])).toBeNull()
  })

  test('is not confused with similar files', async () => {
    await lfs.project(owner, 'alike')
    const text = pointerTo(objectOf())
    const alike = [file(`${text}x`, 'a'), file(text + '\n'.repeat(1000), 'b'), file('version 1', 'c')]
    expect(await push('alike', alike)).toBeNull()
  })

  test('does not refuse the deletion of branches', async () => {
    await lfs.project(owner, 'removal')
    expect(await push('removal', [file('x')], 'main', 'main:other')).toBeNull()
    expect(await push('removal', [file('x')], ':other')).toBeNull()
  })
})
