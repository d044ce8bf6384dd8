import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram, temporaryDirectory } from '../testing/index.ts'
import { FolderInUse, openBuilds } from './builds.ts'

test('the folder of builds is of one runner at a time, and has no secrets of one before', async () => {
  await using folder = await temporaryDirectory()
  const builds = join(folder.path, 'a', 'builds')
  const close = await openBuilds(builds)
  expect((await stat(builds)).mode & 0o777).toBe(0o700)
  await expect(openBuilds(builds)).rejects.toThrow(FolderInUse)
  await expect(openBuilds(builds)).rejects.toThrow(`process ${process.pid} uses the folder of builds`)
  await mkdir(join(builds, 'jobs', '1'), { recursive: true })
  await mkdir(join(builds, 'caches'))
  await close()
  await (await openBuilds(builds))()
  expect(await readdir(builds)).toEqual(['caches'])
})

test('the file of a runner that was killed is replaced', async () => {
  await using folder = await temporaryDirectory()
  const ended = await runProgram({ binary: 'sh', parameters: ['-c', 'echo $$'], env: { PATH: process.env.PATH } })
  for (const text of [ended.stdout, 'damaged', '-1', '']) {
    await writeFile(join(folder.path, 'runner.pid'), text)
    await (await openBuilds(folder.path))()
  }
})
