import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../clock/index.ts'
import { openObjects, storageKey } from './index.ts'

const clock = manualClock({ start: '2026-01-01T00:00:00Z' })

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fennec objects-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('opening the object store', () => {
  test.each([
    ['a folder', (path: string) => path],
    ['a file URL', (path: string) => pathToFileURL(path).href],
    ['a file URL in capitals', (path: string) => pathToFileURL(path).href.replace('file:', 'FILE:')],
  ])('accepts %s and creates it', async (_name, locationOf) => {
    const folder = join(await temporaryFolder(), 'new', 'folder')
    const store = await openObjects({ location: locationOf(folder), clock })
    await store.put(storageKey('a'), Readable.from(['x']))
    expect((await readdir(folder)).sort()).toEqual(['.writing', 'a'])
  })

  test.each([
    's3://key:hush@bucket/prefix',
    'S3://key:hush@bucket',
    's3://bucket?secret=hush',
    'https://hush.example',
    'gs:hush',
    'file:hush',
    'file://host/hush',
    'file:////hush',
    'file://',
    '',
  ])('refuses %j with the name of the setting, without its value', async (location) => {
    const opening = openObjects({ location, clock })
    await expect(opening).rejects.toThrow(/^FENNEC_OBJECTS_URL: /)
    await expect(opening).rejects.not.toThrow(/hush/)
  })

  test.each([
    ['objects', false, 'opened'],
    ['s3://bucket?endpoint=http://127.0.0.1:1', true, /cannot be reached/],
    ['s3://bucket', true, /^FENNEC_OBJECTS_URL: set region= or AWS_REGION$/],
  ])('the library of S3 is loaded for a bucket only: %s', async (location, isLoaded, outcome) => {
    const folder = await temporaryFolder()
    const program = `
      import { createRequire } from 'node:module'
      import { openObjects } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
      import { systemClock } from ${JSON.stringify(new URL('../clock/index.ts', import.meta.url).href)}
      const opening = openObjects({ location: ${JSON.stringify(location)}, clock: systemClock })
      const outcome = await opening.then(() => 'opened', ({ message }) => message)
      const files = Object.keys(createRequire(import.meta.url).cache)
      const isLoaded = files.some((file) => /[/\\\\](@aws-sdk|@smithy)[/\\\\]/.test(file))
      console.log(JSON.stringify({ isLoaded, outcome }))
      process.exit()`
    // No configuration of the machine's user takes part.
    const env = { HOME: folder, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
    const options = { cwd: folder, env }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], options)
    expect(JSON.parse(stdout)).toEqual({ isLoaded, outcome: expect.stringMatching(outcome) })
  })
})
