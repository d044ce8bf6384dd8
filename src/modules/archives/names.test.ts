import { describe, expect, test } from 'vitest'
import { archiveName, formatNames, formatOf, isFormatName } from './names.ts'

const commit = 'a'.repeat(40)

describe('the name of an archive', () => {
  test('has the project, the ref, the commit and the path', () => {
    expect(archiveName({ project: 'demo', ref: 'feature/x', commit })).toBe(`demo-feature-x-${commit}`)
    expect(archiveName({ project: 'demo', ref: 'v1', commit, path: 'lib/a' })).toBe(`demo-v1-${commit}-lib-a`)
  })

  test('fits into a file system, and keeps its commit', () => {
    for (const text of ['x'.repeat(1_000), 'ü'.repeat(500), '🐋'.repeat(200), `${'d/'.repeat(2_000)}d`]) {
      const name = archiveName({ project: 'p'.repeat(200), ref: text, commit: 'b'.repeat(64), path: text })
      expect(Buffer.byteLength(`${name}.tar.bz2`)).toBeLessThanOrEqual(255)
      expect(name).toContain(`-${'b'.repeat(64)}-`)
      expect(name.isWellFormed() && !name.includes('\ufffd') && !name.includes('/')).toBe(true)
    }
  })
})

test('formats are known by their exact names', () => {
  expect(formatNames.map(formatOf)).toEqual([
    ...['tar.gz', 'tar.gz', 'tar.gz'],
    ...['tar.bz2', 'tar.bz2', 'tar.bz2', 'tar.bz2', 'tar.bz2'],
    ...['tar', 'zip'],
  ])
  for (const text of ['', 'ZIP', 'rar', 'constructor', '__proto__', 'tar.xz', 'zip/'])
    expect([text, isFormatName(text)]).toEqual([text, false])
})
