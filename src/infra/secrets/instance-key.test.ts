import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadInstanceKey } from './index.ts'

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fennec-key-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('the instance key', () => {
  test('is created once, with mode 0600, and leaves no other file', async () => {
    const dataFolder = join(await temporaryFolder(), 'data')
    const key = await loadInstanceKey({ dataFolder })
    expect(key).toHaveLength(32)
    expect((await loadInstanceKey({ dataFolder })).equals(key)).toBe(true)
    expect(await readdir(dataFolder)).toEqual(['secret-key'])
    expect((await stat(join(dataFolder, 'secret-key'))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(dataFolder, 'secret-key'), 'utf8')).toBe(`${key.toString('hex')}\n`)
  })

  test('processes that start at the same time use the same key', async () => {
    for (let round = 0; round < 20; round++) {
      const dataFolder = await temporaryFolder()
      const load = async (turns: number) => {
        // Staggered, so that some look for the file while others are making it.
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        return loadInstanceKey({ dataFolder })
      }
      const keys = await Promise.all(Array.from({ length: 12 }, (_, turns) => load(turns)))
      expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
      expect(await readdir(dataFolder)).toEqual(['secret-key'])
    }
  })

  test('a configured text gives the same key on every node and writes no file', async () => {
    const dataFolder = await temporaryFolder()
    const key = await loadInstanceKey({ dataFolder, configured: 'a secret shared by all nodes' })
    expect(key).toHaveLength(32)
    const elsewhere = await loadInstanceKey({ dataFolder: '/nowhere', configured: 'a secret shared by all nodes' })
    expect(elsewhere.equals(key)).toBe(true)
    expect(await readdir(dataFolder)).toEqual([])
  })

  test.each(['', 'short'])('a configured text that is too short is refused: %j', async (configured) => {
    const dataFolder = await temporaryFolder()
    await expect(loadInstanceKey({ dataFolder, configured })).rejects.toThrow(/FENNEC_SECRET_KEY.*16/)
  })

  test.each(['', 'abc', `${'0'.repeat(63)}`, `${'g'.repeat(64)}`, '0'.repeat(65)])(
    'a damaged file stops the start and is not replaced: %j',
    async (text) => {
      const dataFolder = await temporaryFolder()
      await writeFile(join(dataFolder, 'secret-key'), text)
      await expect(loadInstanceKey({ dataFolder })).rejects.toThrow(/secret-key is damaged/)
      expect(await readFile(join(dataFolder, 'secret-key'), 'utf8')).toBe(text)
    },
  )
})
