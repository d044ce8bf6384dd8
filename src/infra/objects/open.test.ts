import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
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
    'S3://hush',
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
})
